internal import Accounts
internal import System

/// What an app is told that asks what has come of a request.
extension ServerInitiatedSignIn {
    /// How far a request has come.
    public enum Progress: Sendable {
        case pending
        /// With the receipt of what the user has approved by it, if that is anything, and whether its port token
        /// names another user.
        case signedIn(TokenIssuer.Tokens, receipt: String?, isMergeOffered: Bool)
    }

    /// For how long it is known that a session was fetched, in seconds: a thief of what it is asked by tries it soon.
    private static let memorySeconds: Int64 = 3600

    /// How far one has come, asked at most once a second. Once it is signed in, the first answer counts; the same comes
    /// again for an app that has lost it, for a minute at most, and later ends the session.
    ///
    /// - Throws: `.unknownPath`, `.polledTooOften`, `.pushEnded`, `.pushFailed`, `.unlinked` with a ticket for somebody
    ///   who has to register.
    public func poll(_ id: String, owner: String) async throws(ServiceError) -> Progress {
        let now = clock.seconds
        if let handle = PushSecret(id, .app)?.hash(owner: owner) { try limits.poll(handle, now: now) }
        let (push, content, _) = try await find(id, owner)
        switch push.state {
        case .denied: throw .pushEnded(.denied)
        case .failed: throw .pushFailed
        case .cancelled: throw .pushEnded(.cancelled)
        case .pending, .silent, .signedIn, .taken, .unlinked:
            guard push.expiresAt > now else { throw .pushEnded(.expired) }
        }
        switch push.state {
        case .signedIn, .taken: return try await fetch(push, approves: content.acrValues != nil, now: now)
        case .unlinked:
            guard let ticket = push.ticket.flatMap(content.openShared).flatMap(LinkTicket.init(encoded:)) else {
                throw .pushFailed
            }
            throw .unlinked(ticket)
        default: return .pending
        }
    }

    /// Whether a request is known here to be somebody's, without a look into the store.
    public func isKnown(_ id: String, owner: String) -> Bool {
        PushSecret(id, .app).map { limits.isKnown($0.hash(owner: owner), now: clock.seconds) } ?? false
    }

    private func fetch(
        _ push: PendingPush, approves: Bool, now: Int64
    ) async throws(ServiceError) -> Progress {
        let redemption = PushRedemption(
            handle: push.handle, sessionExpiresAt: tokenIssuer.firstExpiry(now: now),
            graceSeconds: tokenIssuer.configuration.refreshRepeats.promptly, rememberedUntil: now + Self.memorySeconds,
            now: now)
        let outcome = try await stored { () throws(RepositoryError) in try await repository.fetch(redemption) }
        guard case .fetched(let session) = outcome else { throw .pushEnded(.expired) }
        let refreshToken = try await tokenIssuer.refreshTokens.text(
            of: RefreshToken(of: session, as: tokenIssuer.configuration.subjects))
        let receipt = approves ? try await tokenIssuer.receipt(ofSignInTo: session, in: repository) : nil
        let tokens = try tokenIssuer.tokens(
            of: session, to: tokenIssuer.configuration.audienceOfPosters, permissions: nil, refreshToken: refreshToken,
            now: now)
        return .signedIn(tokens, receipt: receipt, isMergeOffered: session.isMergeOffered)
    }
}

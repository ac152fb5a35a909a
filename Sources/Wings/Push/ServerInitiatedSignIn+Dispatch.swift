internal import Accounts
internal import Crypto
internal import HTTPClient
package import Providers
package import SignIn
internal import Syntax
internal import System

extension ServerInitiatedSignIn {
    /// Tells the carrier, after the app was answered: what it says, and when, is no part of that answer.
    ///
    /// - Throws: why the carrier could not ask, which the app is told when it asks. A carrier that can't be told to
    ///   stop asking is no error: nothing it says counts any more.
    package func deliver(_ delivery: Delivery, in call: CallContext) async throws(ServiceError) {
        guard let client = ProviderClient(entering: delivery.provider, through: transport, in: call) else {
            if let secret = delivery.secret { await fail(secret, delivery) }
            throw .overloaded
        }
        let issuer = if let known = delivery.issuer { known } else { try await issuer(delivery.content, client) }
        if let former = delivery.former { await cancel(former, issuer, client) }
        guard let secret = delivery.secret else { return }
        let answer: PushAnswer
        do throws(ProviderError) {
            answer = try await client.push(
                request(delivery, secret), at: issuer, identifier: Random.token(byteCount: 16), now: clock.seconds)
        } catch {
            // When the service stops, the carrier may still have got it, and its notification comes after the next
            // start.
            if !error.isOurEnd { await fail(secret, delivery) }
            throw ServiceError(error)
        }
        guard case .accepted(let carrierID, let expiresIn) = answer else { return }
        if let expiresIn { limits.learn(expiresIn, at: issuer.issuer) }
        guard let sealed = try? delivery.content.sealShared(Array(carrierID.utf8)) else { return }
        let now = clock.seconds
        let isPending = try await stored { () throws(RepositoryError) in
            try await repository.notePush(secret.hash(), carrierID: sealed, now: now)
        }
        if !isPending, try await isTakenBack(secret) { await cancel(carrierID, issuer, client) }
    }

    private func request(_ delivery: Delivery, _ secret: PushSecret) -> PushRequest {
        let (configuration, content) = (delivery.provider.configuration, delivery.content)
        return PushRequest(
            clientID: configuration.clientID, redirectURI: configuration.redirectURIs.first ?? "",
            notificationURI: tokenIssuer.configuration.issuer.address(Self.notificationPath),
            scopes: configuration.scopes,
            acrValues: content.acrValues ?? configuration.minimumACR?.values, loginHint: content.loginHint,
            correlationID: content.correlationID, context: content.context,
            expiresIn: limits.lifetime(at: content.issuer), notificationToken: secret.text, state: content.state,
            nonce: content.nonce)
    }

    private func cancel(_ carrierID: String, _ issuer: ProviderMetadata, _ client: borrowing ProviderClient) async {
        do throws(ProviderError) {
            try await client.cancelPush(
                carrierID, at: issuer, identifier: Random.token(byteCount: 16), now: clock.seconds)
        } catch {
            // The client has noted it for the log.
            return
        }
    }

    /// Whether the app took a request back, or began it anew, before the carrier had answered.
    private func isTakenBack(_ secret: PushSecret) async throws(ServiceError) -> Bool {
        let now = clock.seconds
        let push = try await stored { () throws(RepositoryError) in
            try await repository.push(notifiedBy: secret.hash(), now: now)
        }
        return push == nil || push?.state == .cancelled
    }

    private func fail(_ secret: PushSecret, _ delivery: Delivery) async {
        limits.release(delivery.content.hint, of: delivery.content.ownersHint)
        let now = clock.seconds
        do throws(RepositoryError) {
            _ = try await repository.endPush(secret.hash(), as: .failed, notified: nil, now: now)
        } catch {
            // It stays pending until it expires.
            return
        }
    }
}

extension ProviderError {
    fileprivate var isOurEnd: Bool {
        guard case .call(let problem) = self else { return false }
        return problem.failure == .transport(.shutDown) || problem.failure == .transport(.cancelled)
    }
}

/// What an app is told that asks what has come of a request.
extension ServerInitiatedSignIn {
    /// How far a request has come.
    package enum Progress: Sendable {
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
    package func poll(_ id: String, owner: String) async throws(ServiceError) -> Progress {
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
    package func isKnown(_ id: String, owner: String) -> Bool {
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

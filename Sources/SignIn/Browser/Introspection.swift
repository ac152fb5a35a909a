public import Accounts
public import Apps
internal import Syntax
internal import System

/// What a token of ours is good for, told to services that take it (RFC 7662).
public struct Introspection: Sendable {
    /// A token that is good at this moment.
    public struct Active: Sendable {
        public let session: Session
        /// Seconds since 1970.
        public let expiresAt: Int64
        /// What it can be used for at this moment.
        public let permissions: Permissions
        /// Whom it is made out to.
        public let audience: String
        /// `Bearer` for an access token; nil for a refresh token, which no service takes.
        public let tokenType: String?
    }

    /// Who asks.
    public enum Caller: Sendable {
        /// By its identifier.
        case resourceServer(String)
        /// It learns of its own tokens only (RFC 7662 §4).
        case app(RegisteredApp)

        fileprivate var id: String {
            switch self {
            case .resourceServer(let id): id
            case .app(let app): app.clientID
            }
        }
    }

    let repository: any SessionRepository
    let tokenIssuer: TokenIssuer
    let rights: SessionRights
    let line: FairLine
    let clock: Clock

    /// The `iss` of what is introspected.
    public var issuer: String { tokenIssuer.configuration.issuer.text }

    /// The `sub` of a session's user.
    public func subject(of session: Session) -> String { tokenIssuer.subject(of: session) }

    /// - Parameter lane: whose turn it is beside the caller's, by where it asks from.
    /// - Returns: nil for a token that is not good, whatever the reason: that is nobody else's business (§2.2).
    /// - Throws: `ServiceError.overloaded` when too many ask, this one among the most; `.storageUnavailable`.
    public func introspect(
        _ token: String, by caller: Caller, from lane: [UInt8]
    ) async throws(ServiceError) -> Active? {
        let turn = FairLine.Turn(key: Array(caller.id.utf8), address: lane)
        try await line.enter(turn)
        defer { line.leave(turn) }
        let now = clock.seconds
        guard let active = try await active(token, now: now) else { return nil }
        // A service that is an app of ours may also ask for what is made out to it (RFC 7662 §4).
        if case .app(let app) = caller, active.session.app != app.clientID, active.audience != app.clientID {
            return nil
        }
        return active
    }

    private func active(_ token: String, now: Int64) async throws(ServiceError) -> Active? {
        if let presented = try await tokenIssuer.refreshTokens.presented(token, now: now) {
            guard case .signed(let generation, let user) = presented.token,
                let session = try await session(presented.session, now: now), session.user == user,
                session.generation == generation, let owner = rights.owner(of: session)
            else { return nil }
            return Active(
                session: session, expiresAt: session.expiresAt,
                permissions: rights.permissions(of: session, owner, narrowed: nil),
                audience: rights.audience(of: session, owner), tokenType: nil)
        }
        let known = tokenIssuer.access(of: token, at: now)
        guard let access = known != nil ? known : try await newlyKnown(token, now: now),
            let session = try await session(access.bearer.session, now: now),
            tokenIssuer.subject(of: session) == access.bearer.subject,
            let owner = rights.owner(of: session)
        else { return nil }
        return Active(
            session: session, expiresAt: access.expiresAt,
            permissions: rights.permissions(of: session, owner, narrowed: access.bearer.permissions),
            audience: access.bearer.audience, tokenType: "Bearer")
    }

    private func newlyKnown(
        _ token: String, now: Int64
    ) async throws(ServiceError) -> (bearer: TokenIssuer.Bearer, expiresAt: Int64)? {
        try await tokenIssuer.findsKey(of: token, now: now) ? tokenIssuer.access(of: token, at: now) : nil
    }

    private func session(_ id: SessionID, now: Int64) async throws(ServiceError) -> Session? {
        try await stored { () throws(RepositoryError) in try await repository.session(id, now: now) }
    }
}

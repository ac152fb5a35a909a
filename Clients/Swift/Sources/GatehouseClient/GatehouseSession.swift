import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The session of an app's user at Gatehouse: signs in, gives access tokens that are good, signs out.
///
/// However many ask for an access token at once, one refresh is made. Its answer may get lost on the way: then the same refresh token is
/// sent again, which the server answers with the same successor for a while (`session.refreshGraceSeconds`). Nothing but the server's word
/// ends a session.
public actor GatehouseSession {
    /// How patient a session is.
    public struct Patience: Sendable {
        /// An access token that ends sooner, in seconds, is not handed out any more.
        public var margin: TimeInterval = 60
        /// The pauses, in seconds, after which a request is sent again whose answer got lost; each is varied by a half. All of them
        /// together, with the time that requests take, lie within the server's grace.
        public var pauses: [TimeInterval] = [0.2, 1, 3]

        public init() {}
    }

    private let api: API
    private let store: any SessionStore
    private let patience: Patience
    private let now: @Sendable () -> Date
    /// What was stored last; not yet, if `isUnsaved`.
    private var current: StoredSession?
    private var isUnsaved = false
    /// The refresh that is under way, by its number.
    private var refreshing: (number: Int, task: Task<StoredSession, any Error>)?
    private var refreshes = 0

    /// - Parameters:
    ///   - base: the address of the service: https, or http to this machine.
    ///   - apiKey: where the service asks for one (`apiKeys`).
    /// - Throws: `GatehouseError.insecureAddress`, or what the store throws.
    public init(
        base: URL, store: any SessionStore, apiKey: String? = nil, transport: any Transport = URLSessionTransport(),
        patience: Patience = Patience(), now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        api = try API(base: base, transport: transport, apiKey: apiKey)
        self.store = store
        self.patience = patience
        self.now = now
        current = try store.load()
    }

    public var isSignedIn: Bool { current != nil }

    /// Signs a user in, in the place of whoever was signed in before.
    ///
    /// - Parameter provider: the name of the provider's section, where there are several.
    /// - Returns: what the service says of the user.
    /// - Throws: `GatehouseError`. An answer that got lost is not asked for again: a code is good for one use.
    @discardableResult
    public func signIn(with evidence: Evidence, at provider: String? = nil) async throws -> User {
        var members = evidence.members
        members["provider"] = provider ?? members["provider"]
        let sent = now()
        guard let answer = await api.send(try api.request("POST", "auth/signin", json: members)) else {
            throw GatehouseError.unreachable
        }
        guard answer.isGood else { throw answer.isPassing ? GatehouseError.unreachable : answer.refusal }
        guard let session = StoredSession(answer, now: sent) else { throw GatehouseError.unreachable }
        // What an earlier session's refresh brings is nobody's any more.
        refreshing = nil
        try keep(session)
        return (try answer.decoded() as SignedIn).user
    }

    /// An access token that is good for a while.
    ///
    /// - Throws: `GatehouseError.notSignedIn` when the user has to sign in again, `.unreachable` when that can't be told now.
    public func accessToken() async throws -> String { try await fresh(insteadOf: nil).accessToken }

    /// Sends a request with the access token, and once more with another one where that is refused.
    ///
    /// - Parameter request: to your own API, or to the service.
    /// - Throws: `GatehouseError.insecureAddress` where others could read the token on its way; what the transport throws.
    public func send(_ request: URLRequest) async throws -> (body: Data, status: Int) {
        guard let url = request.url, API.isSecure(url) else { throw GatehouseError.insecureAddress }
        let session = try await fresh(insteadOf: nil)
        let answer = try await api.transport.send(request.authorized(by: session))
        guard answer.status == 401 else { return answer }
        return try await api.transport.send(request.authorized(by: try await fresh(insteadOf: session.accessToken)))
    }

    /// What the service knows of the user (`GET /users/me`).
    public func user() async throws -> User { try await call("GET", "users/me") }

    /// Changes values of the user's own (`PATCH /users/me`).
    @discardableResult
    public func edit(_ values: [String: String]) async throws -> User {
        try await call("PATCH", "users/me", json: values)
    }

    /// Links another identity to the user (`POST /users/me/identities`).
    @discardableResult
    public func link(_ evidence: Evidence, at provider: String? = nil) async throws -> LinkedIdentity {
        var members = evidence.members
        members["provider"] = provider ?? members["provider"]
        return try await call("POST", "users/me/identities", json: members)
    }

    /// Ends the session here, and at the service.
    ///
    /// - Throws: `GatehouseError.unreachable` where the service could not be told. Here it has ended all the same, and there it ends by itself.
    public func signOut() async throws {
        // What it brings is to be given up, too.
        if let refreshing { _ = try? await refreshing.task.value }
        guard let session = current else { return }
        current = nil
        isUnsaved = false
        do { try store.clear() } catch { throw GatehouseError.notStored }
        // By the refresh token, which is good although the access token may have ended (RFC 7009).
        let request = try api.request("POST", "auth/revoke", json: ["token": session.refreshToken])
        guard let answer = await api.send(request), answer.isGood else { throw GatehouseError.unreachable }
    }

    private func call<Value: Decodable & Sendable>(
        _ method: String, _ path: String, json: [String: String]? = nil
    ) async throws -> Value {
        let request = try api.request(method, path, json: json)
        let session = try await fresh(insteadOf: nil)
        guard var answer = await api.send(request.authorized(by: session)) else { throw GatehouseError.unreachable }
        if answer.status == 401 {
            let renewed = try await fresh(insteadOf: session.accessToken)
            guard let second = await api.send(request.authorized(by: renewed)) else { throw GatehouseError.unreachable }
            answer = second
        }
        guard answer.isGood else { throw answer.isPassing ? GatehouseError.unreachable : answer.refusal }
        return try answer.decoded()
    }

    // MARK: Refreshing

    /// - Parameter refused: an access token that was refused, whatever its time says.
    private func fresh(insteadOf refused: String?) async throws -> StoredSession {
        guard let session = current else { throw GatehouseError.notSignedIn }
        if isUnsaved { try keep(session) }
        if session.accessToken != refused, isFresh(session) { return session }
        return try await (refreshing?.task ?? begin(session, insteadOf: refused)).value
    }

    private func isFresh(_ session: StoredSession) -> Bool {
        session.expiresAt.timeIntervalSince(now()) > patience.margin
    }

    /// A task of its own: whoever asked first may go away, and the others wait for it all the same.
    private func begin(_ session: StoredSession, insteadOf refused: String?) -> Task<StoredSession, any Error> {
        refreshes += 1
        let number = refreshes
        let task = Task { try await refresh(session, insteadOf: refused, number) }
        refreshing = (number, task)
        return task
    }

    private func refresh(
        _ session: StoredSession, insteadOf refused: String?, _ number: Int
    ) async throws -> StoredSession {
        defer { if refreshing?.number == number { refreshing = nil } }
        if let other = try? store.load(), other != session, other.user == session.user {
            current = other
            if other.accessToken != refused, isFresh(other) { return other }
            return try await exchange(other)
        }
        return try await exchange(session)
    }

    private func exchange(_ session: StoredSession) async throws -> StoredSession {
        let request = try api.request(
            "POST", "auth/token", json: ["grant_type": "refresh_token", "refresh_token": session.refreshToken])
        for pause in patience.pauses + [nil] {
            let sent = now()
            if let answer = await api.send(request) {
                if answer.endsSession { return try await end(session) }
                if answer.isGood, let renewed = StoredSession(answer, now: sent) {
                    return try take(renewed, after: session)
                }
                guard answer.isGood || answer.isPassing else { throw answer.refusal }
            }
            guard let pause else { break }
            try? await Task.sleep(nanoseconds: UInt64(pause * .random(in: 0.5...1.5) * 1e9))
        }
        throw GatehouseError.unreachable
    }

    private func take(_ renewed: StoredSession, after session: StoredSession) throws -> StoredSession {
        guard renewed.user == session.user else { throw GatehouseError.anotherUser }
        // Signed out, or in as somebody else, while the answer was on its way.
        guard current == session else { throw GatehouseError.notSignedIn }
        try keep(renewed)
        return renewed
    }

    /// The service says that it is over; unless another process has got a successor meanwhile.
    private func end(_ session: StoredSession) async throws -> StoredSession {
        guard current == session else { throw GatehouseError.notSignedIn }
        if let other = try? store.load(), other.refreshToken != session.refreshToken, other.user == session.user {
            current = other
            return isFresh(other) ? other : try await exchange(other)
        }
        current = nil
        try? store.clear()
        throw GatehouseError.notSignedIn
    }

    /// Keeps a session before anybody gets a token of it.
    private func keep(_ session: StoredSession) throws {
        current = session
        isUnsaved = true
        do { try store.save(session) } catch { throw GatehouseError.notStored }
        isUnsaved = false
    }
}

/// The part of a sign-in's answer that is about the user.
private struct SignedIn: Decodable {
    let user: User
}

extension URLRequest {
    fileprivate func authorized(by session: StoredSession) -> URLRequest {
        var request = self
        request.setValue("Bearer \(session.accessToken)", forHTTPHeaderField: "Authorization")
        return request
    }
}

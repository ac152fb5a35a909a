import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The session of an app's user at Gatehouse: signs in, gives access tokens that are good, signs out.
///
/// However many ask for an access token at once, one refresh is made. Its answer may get lost on the way: then the same
/// refresh token is sent again, which the server answers with the same successor for a while
/// (`session.refreshRepeat`). Nothing but the server's word ends a session.
public actor GatehouseSession {
    /// How patient a session is.
    public struct Patience: Sendable {
        /// An access token that ends sooner, in seconds, is not handed out any more.
        public var margin: TimeInterval = 60
        /// The pauses, in seconds, after which a request is sent again whose answer got lost; each is varied by a half.
        /// All of them together, with the time that requests take, lie within a minute: later repeats are counted.
        public var pauses: [TimeInterval] = [0.2, 1, 3]

        public init() {}
    }

    let api: API
    let store: any SessionStore
    private let patience: Patience
    let now: @Sendable () -> Date
    /// What was stored last; not yet, if `unsaved` is there.
    var current: StoredSession?
    /// What the store still has in the place of the current one, which it would not take.
    private var unsaved: StoredSession?
    /// The number of the refresh that is under way.
    private var refreshing: Int?
    private var refreshes = 0
    /// How many sessions have been left here.
    private(set) var left = 0
    /// Who waits for it.
    private var waiting: [Int: CheckedContinuation<StoredSession, any Error>] = [:]
    private var waiters = 0

    /// - Parameters:
    ///   - base: the address of the service: https, or http to this machine.
    ///   - servers: the addresses of your own APIs, which `send` may give the token to beside the service.
    ///   - apiKey: where the service asks for one (`apiKeys`).
    /// - Throws: `GatehouseError.insecureAddress`, or what the store throws.
    public init(
        base: URL, store: any SessionStore, servers: [URL] = [], apiKey: String? = nil,
        transport: any Transport = URLSessionTransport(), patience: Patience = Patience(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        api = try API(base: base, servers: servers, transport: transport, apiKey: apiKey)
        self.store = store
        self.patience = patience
        self.now = now
        current = try store.load()
    }

    public var isSignedIn: Bool { current != nil }

    /// An access token that is good for a while.
    ///
    /// - Throws: `GatehouseError.notSignedIn` when the user has to sign in again, `.unreachable` when that can't be
    ///   told now.
    public func accessToken() async throws -> String { try await fresh(insteadOf: nil).accessToken }

    /// Sends a request with the access token, and once more with another one where the answer says that the token is
    /// not good.
    ///
    /// - Parameter request: to one of your `servers`, or to the service.
    /// - Throws: `GatehouseError.unnamedServer` for any other; what the transport throws.
    public func send(_ request: URLRequest) async throws -> (body: Data, response: HTTPURLResponse) {
        guard let url = request.url, api.mayGetTokens(url) else { throw GatehouseError.unnamedServer }
        let session = try await fresh(insteadOf: nil)
        let answer = try await api.transport.send(request.authorized(by: session))
        guard API.asksForAnotherToken(answer.response) else { return answer }
        return try await api.transport.send(request.authorized(by: try await fresh(insteadOf: session.accessToken)))
    }

    /// Ends the session here, and at the service.
    ///
    /// - Throws: `GatehouseError.unreachable` where the service could not be told, and `.notStored` where the store
    ///   could not be cleared, which another launch would find it in. Here it has ended all the same, and there,
    ///   untold, it ends by itself.
    public func signOut() async throws(GatehouseError) {
        guard let session = current else { return }
        leave()
        // Both, whatever becomes of either.
        let isCleared = (try? store.clear()) != nil
        let isRevoked = await revoke(session)
        guard isCleared else { throw .notStored }
        guard isRevoked else { throw .unreachable }
    }

    /// By the refresh token, which is good although the access token may have ended, and after it was replaced, too
    /// (RFC 7009 §2.1).
    func revoke(_ session: StoredSession) async -> Bool {
        await revoke(session.refreshToken, of: session.clientID)
    }

    func revoke(_ token: String, of clientID: String?) async -> Bool {
        var members = ["token": token]
        members["client_id"] = clientID
        return await api.send(api.request("POST", "auth/revoke", json: members))?.isGood == true
    }

    /// Forgets a session that has ended at the service.
    ///
    /// - Parameter count: how many sessions had been left when that was asked for; one that has begun since stays.
    /// - Throws: `GatehouseError.notStored` where the store could not be cleared.
    func forget(after count: Int) throws {
        guard count == left else { return }
        leave()
        do { try store.clear() } catch { throw GatehouseError.notStored }
    }

    /// Whatever is under way is of a session that is nobody's any more.
    func leave() {
        left += 1
        current = nil
        unsaved = nil
        refreshing = nil
        tell(.failure(GatehouseError.notSignedIn))
    }

    /// An operation on the signed-in user.
    func call<Value: Decodable & Sendable>(
        _ method: String, _ path: String, json: [String: String]? = nil
    ) async throws -> Value {
        let request = api.request(method, path, json: json)
        let session = try await fresh(insteadOf: nil)
        guard var answer = await api.send(request.authorized(by: session)) else { throw GatehouseError.unreachable }
        if answer.asksForAnotherToken {
            let renewed = try await fresh(insteadOf: session.accessToken)
            guard let second = await api.send(request.authorized(by: renewed)) else { throw GatehouseError.unreachable }
            answer = second
        }
        guard answer.isGood else { throw answer.refusal() }
        return try answer.decoded()
    }

    // MARK: Refreshing

    /// - Parameter refused: an access token that was refused, whatever its time says.
    private func fresh(insteadOf refused: String?) async throws -> StoredSession {
        guard let latest = current else { throw GatehouseError.notSignedIn }
        let session = try unsaved.map { try keep(latest, after: $0) } ?? latest
        if isUsable(session, insteadOf: refused) { return session }
        if refreshing == nil {
            refreshes += 1
            let number = refreshes
            refreshing = number
            // A task of its own: the first caller may go away, and the others wait for it all the same.
            Task { await refresh(number, insteadOf: refused) }
        }
        waiters += 1
        let waiter = waiters
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                waiting[waiter] = continuation
            }
        } onCancel: {
            Task { await giveUp(waiter) }
        }
    }

    private func giveUp(_ waiter: Int) {
        waiting.removeValue(forKey: waiter)?.resume(throwing: CancellationError())
    }

    private func isUsable(_ session: StoredSession, insteadOf refused: String?) -> Bool {
        session.accessToken != refused && session.expiresAt.timeIntervalSince(now()) > patience.margin
    }

    private func refresh(_ number: Int, insteadOf refused: String?) async {
        let outcome: Result<StoredSession, any Error>
        do { outcome = .success(try await successor(number, insteadOf: refused)) } catch { outcome = .failure(error) }
        // Otherwise those who waited have been told when somebody signed out, or in.
        guard refreshing == number else { return }
        refreshing = nil
        tell(outcome)
    }

    private func tell(_ outcome: Result<StoredSession, any Error>) {
        let told = waiting.values
        waiting = [:]
        for waiter in told { waiter.resume(with: outcome) }
    }

    private func successor(_ number: Int, insteadOf refused: String?) async throws -> StoredSession {
        for pause in patience.pauses + [nil] {
            let session = try latest(number)
            if isUsable(session, insteadOf: refused) { return session }
            if let renewed = try await exchange(session, number) { return renewed }
            guard let pause else { break }
            try await Task.sleep(nanoseconds: UInt64(pause * .random(in: 0.5...1.5) * 1e9))
        }
        throw GatehouseError.unreachable
    }

    /// The session to refresh, from the store before every attempt: a refresh token that another process has replaced,
    /// and whose successor it has used, is a stolen one to the service.
    private func latest(_ number: Int) throws -> StoredSession {
        guard refreshing == number, let session = current else { throw GatehouseError.notSignedIn }
        return try stored(after: session)
    }

    /// What the store has now, which is another process's word if it is another session; or what is known, where it
    /// can't be read.
    private func stored(after session: StoredSession) throws -> StoredSession {
        let found: StoredSession?
        do { found = try store.load() } catch { return session }
        (current, unsaved) = (found, nil)
        guard let found else { throw GatehouseError.notSignedIn }
        guard found.user == session.user else { throw GatehouseError.anotherUser }
        return found
    }

    /// - Returns: nil where the same may be tried again: no answer came, or another process has stored a session
    ///   meanwhile.
    private func exchange(_ session: StoredSession, _ number: Int) async throws -> StoredSession? {
        var members = ["grant_type": "refresh_token", "refresh_token": session.refreshToken]
        members["client_id"] = session.clientID
        let request = api.request("POST", "auth/token", json: members)
        let sent = now()
        let answer = await api.send(request)
        // Signed out, or in as somebody else, while the answer was on its way.
        guard refreshing == number else { throw GatehouseError.notSignedIn }
        guard let answer else { return nil }
        if answer.endsSession {
            guard try latest(number).refreshToken == session.refreshToken else { return nil }
            current = nil
            try? store.clear()
            throw answer.isLocked ? GatehouseError.locked : GatehouseError.notSignedIn
        }
        guard answer.isGood || answer.isPassing else { throw answer.refusal() }
        guard answer.isGood,
            let renewed = StoredSession(answer, now: sent, clientID: session.clientID)
        else { return nil }
        guard renewed.user == session.user else { throw GatehouseError.anotherUser }
        return try keep(renewed, after: session)
    }

    /// Keeps a session before anybody gets a token of it.
    ///
    /// - Parameter former: what it came of, and what the store has, unless another process has gone on from there.
    private func keep(_ session: StoredSession, after former: StoredSession) throws -> StoredSession {
        let found = try stored(after: former)
        guard found == former else { return found }
        (current, unsaved) = (session, former)
        do { try store.save(session) } catch { throw GatehouseError.notStored }
        unsaved = nil
        return session
    }
}

extension URLRequest {
    fileprivate func authorized(by session: StoredSession) -> URLRequest {
        var request = self
        request.setValue("Bearer \(session.accessToken)", forHTTPHeaderField: "Authorization")
        return request
    }
}

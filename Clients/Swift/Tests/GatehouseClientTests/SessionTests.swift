import Foundation
import GatehouseClient
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The time, as a test puts it forward.
final class TestClock: @unchecked Sendable {
    // Unchecked: the lock is held whenever the time is touched.
    private let lock = NSLock()
    private var time = Date()

    var now: Date { lock.withLock { time } }
    func pass(seconds: TimeInterval) { lock.withLock { time += seconds } }
}

/// A client, what stands between it and the service, and the service.
struct Stage {
    let service: Service
    let proxy: CuttingProxy
    let clock = TestClock()
    let store = MemoryStore()

    static func with(registration: String = "automatic", _ body: (Stage) async throws -> Void) async throws {
        let service = try await Service(registration: registration)
        defer { service.stop() }
        let proxy = try CuttingProxy(before: service.url)
        defer { proxy.stop() }
        try await body(Stage(service: service, proxy: proxy))
    }

    func session(
        _ other: (any SessionStore)? = nil, servers: [URL] = [], by transport: any Transport = SocketTransport()
    ) throws -> GatehouseSession {
        var patience = GatehouseSession.Patience()
        patience.pauses = [0.01, 0.01]
        let clock = clock
        return try GatehouseSession(
            base: proxy.url, store: other ?? store, servers: servers, transport: transport, patience: patience,
            now: { clock.now })
    }

    /// What the service answers to a token.
    func status(of token: String) async throws -> Int {
        var request = URLRequest(url: service.url.appendingPathComponent("users/me"))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return try await URLSessionTransport().send(request).response.statusCode
    }

    func signedIn(_ other: (any SessionStore)? = nil) async throws -> GatehouseSession {
        let session = try session(other)
        try await session.signIn(with: service.evidence(), at: "auth0")
        return session
    }
}

@Suite(.serialized) struct `A session of an app` {
    @Test func `signs in by an ID token, reads, edits, links and signs out`() async throws {
        try await Stage.with { stage in
            let session = try stage.session()
            let user = try await session.signIn(with: stage.service.evidence(), at: "auth0").user
            let read = try await session.user()
            #expect(user.email == "ada@example.com" && user == read)
            #expect(try await session.edit(["birthdate": "1815-12-10"]).id == user.id)
            #expect(try await session.link(stage.service.evidence(at: "okta"), at: "other").provider == "other")
            let token = try await session.accessToken()
            try await session.signOut()
            #expect(stage.store.load() == nil)
            await #expect(throws: GatehouseError.notSignedIn) { try await session.accessToken() }
            #expect(try await stage.status(of: token) == 401)
        }
    }

    @Test func `tells that the account is locked, and is not signed in any more`() async throws {
        try await Stage.with { stage in
            let session = try stage.session()
            let user = try await session.signIn(with: stage.service.evidence(), at: "auth0").user
            try await stage.service.lock(user.id)
            // By a token that should be good, too.
            await #expect(throws: GatehouseError.locked) { try await session.user() }
            #expect(stage.store.load() == nil)
            await #expect(throws: GatehouseError.notSignedIn) { try await session.accessToken() }
            await #expect(throws: GatehouseError.locked) {
                try await session.signIn(with: stage.service.evidence(), at: "auth0")
            }
        }
    }

    @Test func `stays when an identity that is to be linked is locked`() async throws {
        try await Stage.with { stage in
            let session = try await stage.signedIn()
            let body = #"{"error":"locked","error_code":"locked"}"#
            stage.proxy.answer("HTTP/1.1 423 Locked\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            await #expect(throws: GatehouseError.locked) {
                try await session.link(stage.service.evidence("grace", at: "okta"), at: "other")
            }
            stage.proxy.answer(nil)
            #expect(try await session.user().email == "ada@example.com" && stage.store.load() != nil)
        }
    }

    @Test func `tells what the service has refused, and nothing of what was sent`() async throws {
        try await Stage.with { stage in
            let session = try stage.session()
            let evidence = Evidence.code("a-secret-code", redirectURI: "com.example.app:/callback", codeVerifier: nil)
            #expect(!"\(evidence)".contains("a-secret-code"))
            do {
                try await session.signIn(with: evidence, at: "auth0")
                Issue.record("a made-up code signs nobody in")
            } catch let error as GatehouseError {
                guard case .refused(let status, let code, _) = error else { throw error }
                #expect(status == 400 && code == "invalid_request" && !"\(error)".contains("a-secret-code"))
            }
            #expect(await !session.isSignedIn)
        }
    }

    @Test func `makes one refresh for two hundred who ask at once with a token that has ended`() async throws {
        try await Stage.with { stage in
            let session = try await stage.signedIn()
            let before = try await session.accessToken()
            #expect(stage.proxy.count("/auth/token") == 0)
            stage.clock.pass(seconds: 900)
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<200 { group.addTask { try await session.accessToken() } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(stage.proxy.count("/auth/token") == 1)
            #expect(tokens.count == 1 && !tokens.contains(before))
            #expect(tokens.first == stage.store.load()?.accessToken, "stored before anybody got it")
        }
    }

    @Test func `survives an answer that gets lost at any byte`() async throws {
        try await Stage.with { stage in
            let session = try await stage.signedIn()
            stage.clock.pass(seconds: 900)
            _ = try await session.accessToken()
            let length = stage.proxy.lastLength
            #expect(length > 500)
            var last = try #require(stage.store.load())
            for count in 0..<length {
                stage.clock.pass(seconds: 900)
                stage.proxy.cut(count)
                let token = try await session.accessToken()
                let stored = try #require(stage.store.load())
                #expect(stored.accessToken == token && stored.refreshToken != last.refreshToken, "after \(count) bytes")
                last = stored
            }
            // Each was heard twice but for those of which the client has had all that matters.
            #expect(stage.proxy.count("/auth/token") > 2 * length - 10)
            #expect(try await session.user().email == "ada@example.com")
        }
    }

    @Test func `survives an answer that gets lost by URLSession, too`() async throws {
        try await Stage.with { stage in
            let session = try stage.session(by: URLSessionTransport())
            try await session.signIn(with: stage.service.evidence(), at: "auth0")
            stage.clock.pass(seconds: 900)
            _ = try await session.accessToken()
            let length = stage.proxy.lastLength
            for count in stride(from: length - 400, to: length, by: 20) {
                stage.clock.pass(seconds: 900)
                stage.proxy.cut(count)
                #expect(try await session.accessToken() == stage.store.load()?.accessToken, "after \(count) bytes")
            }
        }
    }

    @Test func `stays when nobody answers, and ends when the service says so`() async throws {
        try await Stage.with { stage in
            let session = try await stage.signedIn()
            for trouble in [
                "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "",
            ] {
                stage.clock.pass(seconds: 900)
                stage.proxy.answer(trouble)
                await #expect(throws: GatehouseError.unreachable) { try await session.accessToken() }
                #expect(stage.store.load() != nil)
                stage.proxy.answer(nil)
                _ = try await session.accessToken()
            }
            // From another device.
            let token = try await session.accessToken()
            var request = URLRequest(url: stage.service.url.appendingPathComponent("users/me/sessions"))
            request.httpMethod = "DELETE"
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            #expect(try await URLSessionTransport().send(request).response.statusCode == 200)
            stage.clock.pass(seconds: 900)
            await #expect(throws: GatehouseError.notSignedIn) { try await session.accessToken() }
            #expect(stage.store.load() == nil)
        }
    }

    @Test func `gets another token when one is refused that should be good`() async throws {
        try await Stage.with { stage in
            let session = try await stage.signedIn()
            let kept = try #require(stage.store.load())
            let spoilt = String(kept.accessToken.dropLast(4)) + "AAAA"
            let other = MemoryStore()
            let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(kept)) as? [String: Any]
            let changed = (json ?? [:]).merging(["accessToken": spoilt]) { $1 }
            other.save(
                try JSONDecoder().decode(StoredSession.self, from: JSONSerialization.data(withJSONObject: changed)))
            let again = try stage.session(other)
            #expect(try await again.user().email == "ada@example.com")
            #expect(stage.proxy.count("/auth/token") == 1)
            _ = session
        }
    }

    @Test func `takes over what another process has stored meanwhile`() async throws {
        try await Stage.with { stage in
            let app = try await stage.signedIn()
            let widget = try stage.session()
            stage.clock.pass(seconds: 900)
            let token = try await app.accessToken()
            #expect(try await widget.accessToken() == token)
            #expect(stage.proxy.count("/auth/token") == 1)
        }
    }
}

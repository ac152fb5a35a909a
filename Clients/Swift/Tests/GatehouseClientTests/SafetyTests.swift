import Foundation
import GatehouseClient
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Keeps nothing, and lets nothing go, for as long as a test says so.
private final class FullStore: SessionStore, @unchecked Sendable {
    // Unchecked: the lock is held whenever what changes is touched.
    private let lock = NSLock()
    private var isFull = false
    private var session: StoredSession?

    func fill(_ isFull: Bool) { lock.withLock { self.isFull = isFull } }
    func load() -> StoredSession? { lock.withLock { session } }
    func clear() throws {
        try lock.withLock {
            if isFull { throw CocoaError(.fileWriteNoPermission) }
            session = nil
        }
    }
    func save(_ session: StoredSession) throws {
        try lock.withLock {
            if isFull { throw CocoaError(.fileWriteOutOfSpace) }
            self.session = session
        }
    }
}

@Suite(.serialized) struct `What a session never does` {
    @Test(arguments: ["http://sign-in.example.com", "ftp://127.0.0.1", "http://127.0.0.1.example.com"])
    func `speak where others can listen`(address: String) throws {
        let url = try #require(URL(string: address))
        #expect(throws: GatehouseError.insecureAddress) { try GatehouseSession(base: url, store: MemoryStore()) }
    }

    @Test(arguments: [true, false])
    func `send a token to an address that nobody has named`(byURLSession: Bool) async throws {
        try await Stage.with { stage in
            let session = try stage.session(by: byURLSession ? URLSessionTransport() : SocketTransport())
            try await session.signIn(with: stage.service.evidence(), at: "auth0")
            let other = try CuttingProxy(before: stage.service.url)
            defer { other.stop() }
            stage.proxy.answer(
                "HTTP/1.1 307 Elsewhere\r\nLocation: \(other.url)/auth/token\r\nContent-Length: 0\r\n\r\n")
            stage.clock.pass(seconds: 900)
            await #expect(throws: GatehouseError.unreachable) { try await session.accessToken() }
            #expect(other.count("/auth/token") == 0 && stage.store.load() != nil)
            for address in ["https://api.example.com/me", "http://127.0.0.1:\(other.port)/me", "users/me"] {
                let request = URLRequest(url: try #require(URL(string: address)))
                await #expect(throws: GatehouseError.unnamedServer) { try await session.send(request) }
            }
        }
    }

    @Test func `keep a token from a server that was named`() async throws {
        try await Stage.with { stage in
            let named = try CuttingProxy(before: stage.service.url)
            defer { named.stop() }
            let session = try stage.session(servers: [named.url])
            try await session.signIn(with: stage.service.evidence(), at: "auth0")
            let request = URLRequest(url: named.url.appendingPathComponent("users/me"))
            #expect(try await session.send(request).response.statusCode == 200)
            #expect(throws: GatehouseError.insecureAddress) {
                try stage.session(servers: [URL(fileURLWithPath: "/tmp")])
            }
        }
    }

    @Test func `post what is good for one use again because it was refused`() async throws {
        try await Stage.with { stage in
            let session = try await stage.signedIn()
            let token = try #require(try await stage.service.evidence(at: "okta")["id_token"])
            for _ in 0..<2 {
                do {
                    try await session.link(.idToken(token, nonce: "of another sign-in"), at: "other")
                    Issue.record("a token with another nonce links nothing")
                } catch let error as GatehouseError {
                    guard case .refused(401, "invalid_id_token", _) = error else { throw error }
                }
            }
            #expect(stage.proxy.count("/users/me/identities") == 2 && stage.proxy.count("/auth/token") == 0)
        }
    }

    @Test func `take an answer that is about another user`() async throws {
        try await Stage.with { stage in
            let (store, other) = (MemoryStore(), MemoryStore())
            let session = try await stage.signedIn(store)
            let stranger = try stage.session(other)
            try await stranger.signIn(with: stage.service.evidence("grace"), at: "auth0")
            let foreign = try #require(other.load())
            let body =
                #"{"access_token":"\#(foreign.accessToken)","refresh_token":"\#(foreign.refreshToken)","expires_in":900}"#
            stage.proxy.answer("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            stage.clock.pass(seconds: 900)
            let before = store.load()
            await #expect(throws: GatehouseError.anotherUser) { try await session.accessToken() }
            #expect(store.load() == before)
        }
    }

    @Test func `lose a session that could not be kept`() async throws {
        try await Stage.with { stage in
            let store = FullStore()
            let session = try await stage.signedIn(store)
            let old = store.load()
            store.fill(true)
            stage.clock.pass(seconds: 900)
            await #expect(throws: GatehouseError.notStored) { try await session.accessToken() }
            #expect(store.load() == old && stage.proxy.count("/auth/token") == 1)
            await #expect(throws: GatehouseError.notStored) { try await session.accessToken() }
            store.fill(false)
            #expect(try await session.accessToken() == store.load()?.accessToken)
            #expect(store.load() != old && stage.proxy.count("/auth/token") == 1)
        }
    }

    @Test func `stay signed in here because the service can't be told`() async throws {
        try await Stage.with { stage in
            let session = try await stage.signedIn()
            stage.proxy.answer("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
            await #expect(throws: GatehouseError.unreachable) { try await session.signOut() }
            #expect(await !session.isSignedIn)
            #expect(stage.store.load() == nil)
        }
    }

    @Test func `keep from the service that a store can't be cleared`() async throws {
        try await Stage.with { stage in
            let store = FullStore()
            let session = try await stage.signedIn(store)
            let token = try await session.accessToken()
            store.fill(true)
            await #expect(throws: GatehouseError.notStored) { try await session.signOut() }
            #expect(await !session.isSignedIn)
            await #expect(throws: GatehouseError.notSignedIn) { try await session.accessToken() }
            #expect(try await stage.status(of: token) == 401)
            let later = try stage.session(store)
            stage.clock.pass(seconds: 900)
            await #expect(throws: GatehouseError.notSignedIn) { try await later.accessToken() }
        }
    }

    @Test func `leave the session behind that another sign-in takes the place of`() async throws {
        try await Stage.with { stage in
            let session = try await stage.signedIn()
            let before = try await session.accessToken()
            try await session.signIn(with: stage.service.evidence("grace"), at: "auth0")
            #expect(try await stage.status(of: before) == 401)
            #expect(try await stage.status(of: session.accessToken()) == 200)
            #expect(stage.store.load()?.accessToken == (try await session.accessToken()))
        }
    }

    @Test func `leave a session behind that could not be stored at its sign-in`() async throws {
        try await Stage.with { stage in
            let store = FullStore()
            let session = try await stage.signedIn(store)
            let before = try await session.accessToken()
            store.fill(true)
            await #expect(throws: GatehouseError.notStored) {
                try await session.signIn(with: stage.service.evidence("grace"), at: "auth0")
            }
            #expect(stage.proxy.count("/auth/revoke") == 1)
            #expect(try await session.accessToken() == before, "of whom it was before")
            #expect(try await stage.status(of: before) == 200)
        }
    }

    @Test func `show a token`() async throws {
        try await Stage.with { stage in
            _ = try await stage.signedIn()
            let stored = try #require(stage.store.load())
            var dumped = ""
            dump(stored, to: &dumped)
            for shown in ["\(stored)", String(reflecting: stored), dumped] {
                #expect(!shown.contains(stored.accessToken) && !shown.contains(stored.refreshToken))
            }
        }
    }

    @Test func `leave a file that others may read`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let store = FileStore(file)
        #expect(try store.load() == nil)
        try await Stage.with { stage in
            let session = try await stage.signedIn(store)
            stage.clock.pass(seconds: 900)
            let token = try await session.accessToken()
            #expect(try store.load()?.accessToken == token)
            let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(permissions == 0o600)
            #expect(try await stage.session(store).accessToken() == token, "another launch")
            try await session.signOut()
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }
}

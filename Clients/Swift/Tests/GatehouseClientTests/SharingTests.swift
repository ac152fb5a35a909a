import Foundation
import GatehouseClient
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Loses the answer to the first refresh, and lets something happen before that is noticed.
private actor LosingTransport: Transport {
    private let meanwhile: @Sendable () async throws -> Void
    private var hasLost = false

    init(_ meanwhile: @escaping @Sendable () async throws -> Void) {
        self.meanwhile = meanwhile
    }

    func send(_ request: URLRequest) async throws -> (body: Data, response: HTTPURLResponse) {
        let answer = try await SocketTransport().send(request)
        guard request.url?.path == "/auth/token", !hasLost else { return answer }
        hasLost = true
        try await meanwhile()
        throw URLError(.networkConnectionLost)
    }
}

@Suite(.serialized) struct `A session that several share` {
    @Test func `goes on from what another process has stored between two attempts`() async throws {
        try await Stage.with { stage in
            let widget = try await stage.signedIn()
            let app = try stage.session(
                by: LosingTransport {
                    // The second of them makes what the app has sent a token of long ago.
                    for _ in 0..<2 {
                        _ = try await widget.accessToken()
                        stage.clock.pass(seconds: 900)
                    }
                    _ = try await widget.accessToken()
                })
            stage.clock.pass(seconds: 900)
            let token = try await app.accessToken()
            #expect(token == stage.store.load()?.accessToken)
            #expect(try await widget.user().email == "ada@example.com", "nobody was taken for a thief")
        }
    }

    @Test func `is over in each process when one signs out`() async throws {
        try await Stage.with { stage in
            let app = try await stage.signedIn()
            let widget = try stage.session()
            try await app.signOut()
            stage.clock.pass(seconds: 900)
            await #expect(throws: GatehouseError.notSignedIn) { try await widget.accessToken() }
            #expect(await !widget.isSignedIn)
            #expect(stage.proxy.count("/auth/token") == 0)
        }
    }

    @Test func `gives nobody the token of another user who has signed in meanwhile`() async throws {
        try await Stage.with { stage in
            let app = try await stage.signedIn()
            let widget = try stage.session()
            try await app.signIn(with: stage.service.evidence("grace"), at: "auth0")
            let grace = stage.store.load()
            stage.clock.pass(seconds: 900)
            await #expect(throws: GatehouseError.anotherUser) { try await widget.accessToken() }
            #expect(stage.store.load() == grace, "and overwrites nothing")
            #expect(try await widget.accessToken() == stage.store.load()?.accessToken)
        }
    }

    @Test func `lets go who is cancelled, and refreshes for the others`() async throws {
        try await Stage.with { stage in
            let (heard, hearing) = AsyncStream<Void>.makeStream()
            let (gone, leaving) = AsyncStream<Void>.makeStream()
            let session = try stage.session(
                by: LosingTransport {
                    hearing.finish()
                    for await _ in gone {}
                })
            try await session.signIn(with: stage.service.evidence(), at: "auth0")
            stage.clock.pass(seconds: 900)
            let first = Task { try await session.accessToken() }
            for await _ in heard {}
            let second = Task { try await session.accessToken() }
            first.cancel()
            // The refresh is still under way: it ends only when this one has gone.
            await #expect(throws: CancellationError.self) { try await first.value }
            leaving.finish()
            #expect(try await second.value == stage.store.load()?.accessToken)
        }
    }
}

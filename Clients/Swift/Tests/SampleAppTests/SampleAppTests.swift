import Foundation
import FoundationNetworking
import GatehouseClient
import GatehouseTesting
import Synchronization
import Testing

/// The tests of an app that signs its users in with Gatehouse, as its maker writes them. Each has a whole service
/// of its own, with simulated providers.
@Suite struct `An app` {
    /// What the app does with what the provider's SDK gives it.
    private func signIn(_ session: GatehouseSession, _ approved: Authorized) async throws -> User {
        let evidence = Evidence.code(
            approved.code, redirectURI: approved.redirectURI, codeVerifier: approved.codeVerifier,
            network: approved.mccmnc)
        return try await session.signIn(with: evidence, at: approved.provider).user
    }

    @Test(arguments: ["ada", "grace"])
    func `signs its user in, reads who that is, refreshes and signs out`(subscriber: String) async throws {
        try await withGatehouse { gatehouse in
            let clock = Clock()
            let session = try GatehouseSession(
                base: gatehouse.baseURL, store: MemoryStore(), now: { clock.now })
            let user = try await signIn(session, gatehouse.authorize(subscriber))
            #expect(user.email == "\(subscriber)@example.com")
            #expect(try await session.user() == user)

            let first = try await session.accessToken()
            clock.pass(seconds: 86_400)
            let second = try await session.accessToken()
            #expect(first != second)
            #expect(try await session.user() == user)

            try await session.signOut()
            await #expect(throws: GatehouseError.notSignedIn) { try await session.accessToken() }
            #expect(try await status(of: second, at: gatehouse) == 401)
        }
    }

    @Test func `knows the user again, whichever carrier it is`() async throws {
        try await withGatehouse { gatehouse in
            let session = try GatehouseSession(base: gatehouse.baseURL, store: MemoryStore())
            let first = try await signIn(session, gatehouse.authorize("ada", at: .aurora))
            gatehouse.simulation.port(subscriber: "ada", to: .borealis)
            let second = try await signIn(session, gatehouse.authorize("ada", at: .borealis))
            #expect(first.id == second.id)
        }
    }

    @Test func `is told that the provider can't answer, and signs in once it can`() async throws {
        try await withGatehouse { gatehouse in
            let session = try GatehouseSession(base: gatehouse.baseURL, store: MemoryStore())
            gatehouse.simulation.misbehave(.answer(.serviceUnavailable), at: .token, of: .plain, times: 1)
            let approved = try await gatehouse.authorize("ada", at: .plain)
            await #expect(throws: GatehouseError.self) { try await signIn(session, approved) }
            #expect(await !session.isSignedIn)
            let user = try await signIn(session, gatehouse.authorize("ada", at: .plain))
            #expect(user.email == "ada@example.com")
        }
    }

    /// What the service answers to a token.
    private func status(of token: String, at gatehouse: RunningGatehouse) async throws -> Int {
        var request = URLRequest(url: gatehouse.baseURL.appendingPathComponent("users/me"))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return try await URLSessionTransport().send(request).response.statusCode
    }
}

/// The time, as a test puts it forward.
private final class Clock: Sendable {
    private let ahead = Mutex<TimeInterval>(0)

    var now: Date { Date() + ahead.withLock { $0 } }
    func pass(seconds: TimeInterval) { ahead.withLock { $0 += seconds } }
}

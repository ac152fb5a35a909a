import Accounts
import AccountsSQL
import EventLoop
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Logging
import SignIn
import SimulatedCarriers
import Syntax
import System
import Telemetry
import Testing

@testable import AccountsSQLite
@testable import Composition
@testable import Operations

@Suite struct `A store under a configuration that has changed` {
    private static let former = "https://before.example"
    /// Carriers elsewhere, or the plain provider's users would be those of the carriers' section, too.
    private static let apart = ["trustedIssuers: ['localhost']"]

    /// Has somebody sign in, and the store be as if that had been at an issuer of the former name.
    private static func withFormerUser(
        _ body: (RunningGatehouse, JSONValue?) async throws -> Void
    ) async throws {
        try await RunningGatehouse.with(zenkey: Self.apart) { gatehouse in
            let user = try await gatehouse.signIn("ada", at: .plain)["user"]?["user_id"]
            #expect(user != nil)
            await gatehouse.server.stop()
            let path = gatehouse.folder.appending(path: "users.db").path
            let connection = try SQLiteConnection(path: path, isWritable: true)
            try connection.execute(
                "UPDATE identities SET issuer = '\(former)'; DELETE FROM meta WHERE name = 'providers'")
            try await body(gatehouse, user)
        }
    }

    /// A server with the same store.
    private static func restarted(
        _ gatehouse: RunningGatehouse, plain: [String], _ body: (Server) async throws -> Void
    ) async throws {
        let yaml = RunningGatehouse.yaml(gatehouse.simulation, gatehouse.folder, zenkey: apart, plain: plain)
        let server = try await RunningGatehouse.start(yaml, gatehouse.log, [:])
        do { try await body(server) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private static func lines(_ gatehouse: RunningGatehouse) -> [Substring] {
        gatehouse.log.text.split(separator: "\n")
    }

    private static func signIn(_ gatehouse: RunningGatehouse, at server: Server) async throws -> HTTPTestAnswer {
        try await gatehouse.post(
            "/auth/signin", try await gatehouse.authorize("ada", at: .plain).body(), at: server.address.port)
    }

    @Test func `of another issuer starts only with an alias, by which everybody is found and moved once`() async throws
    {
        try await Self.withFormerUser { gatehouse, user in
            let failure = await #expect(throws: StartError.self) {
                try await Self.restarted(gatehouse, plain: []) { _ in }
            }
            let sentence = "\(String(describing: failure.map { "\($0)" }))"
            #expect(sentence.contains("1 users") && sentence.contains(Self.former), "\(sentence)")
            #expect(sentence.contains("provider.plain.issuer"), "\(sentence)")
            let alias = "issuerAliases: ['\(Self.former)={plain}']"
            for _ in 0..<2 {
                try await Self.restarted(gatehouse, plain: [alias]) { server in
                    let answer = try await Self.signIn(gatehouse, at: server)
                    #expect(answer.status == 200, "\(answer.text)")
                    #expect(answer["user"]?["user_id"] == user && answer["new_user"] == false)
                }
            }
            // Everybody is moved, so the alias may go.
            try await Self.restarted(gatehouse, plain: []) { server in
                let answer = try await Self.signIn(gatehouse, at: server)
                #expect(answer["user"]?["user_id"] == user)
                let trail = try await server.repository.auditEvents(after: 0, limit: 99).map(\.kind)
                #expect(trail.filter { $0 == .identityRenamed }.count == 1)
            }
        }
    }

    @Test func `whose section is called otherwise finds everybody, and says so with their number`() async throws {
        try await RunningGatehouse.with(zenkey: Self.apart) { gatehouse in
            let user = try await gatehouse.signIn("ada", at: .plain)["user"]?["user_id"]
            await gatehouse.server.stop()
            let yaml = RunningGatehouse.yaml(gatehouse.simulation, gatehouse.folder, zenkey: Self.apart)
                .replacing("providers: [zenkey, plain]", with: "providers: [zenkey, simple]")
                .replacing("\n  plain:\n", with: "\n  simple:\n")
            let server = try await RunningGatehouse.start(yaml, gatehouse.log, [:])
            let answer = try await Self.signIn(gatehouse, at: server)
            await server.stop()
            #expect(answer["user"]?["user_id"] == user, "\(answer.text)")
            let told = Self.lines(gatehouse).first { $0.contains("they sign in by another one: simple") }
            #expect(
                told?.contains("users=1") == true && told?.contains("provider=plain") == true,
                "\(Self.lines(gatehouse))")
        }
    }

    @Test func `whose client is another one says so with the number, and refuses where subjects are the client's`()
        async throws
    {
        try await RunningGatehouse.with(zenkey: Self.apart) { gatehouse in
            _ = try await gatehouse.signIn("ada", at: .plain)
            await gatehouse.server.stop()
            try await Self.restarted(gatehouse, plain: ["clientID: another"]) { _ in }
            let told = Self.lines(gatehouse).first { $0.contains("the section has another client") }
            #expect(told?.contains("users=1") == true)
            // Counted when something has changed, and not at each start.
            let count = Self.lines(gatehouse).count { $0.contains("the section has another client") }
            try await Self.restarted(gatehouse, plain: ["clientID: another"]) { _ in }
            #expect(Self.lines(gatehouse).count { $0.contains("the section has another client") } == count)
            let pairwise = ["profile: telenor-id"]
            try await Self.restarted(gatehouse, plain: pairwise + ["clientID: another"]) { _ in }
            let failure = await #expect(throws: StartError.self) {
                try await Self.restarted(gatehouse, plain: pairwise + ["clientID: third"]) { _ in }
            }
            let sentence = "\(String(describing: failure.map { "\($0)" }))"
            #expect(sentence.contains("third; expected another, by which 1 users"), "\(sentence)")
        }
    }

    @Test func `whose scopes, tenants or crossClientKey are others serves those who are there`() async throws {
        try await RunningGatehouse.with(zenkey: Self.apart) { gatehouse in
            let user = try await gatehouse.signIn("ada", at: .plain)["user"]?["user_id"]
            await gatehouse.server.stop()
            for line in ["scopes: [openid]", "crossClientKey: kurtid", "crossClientKey: other"] {
                try await Self.restarted(gatehouse, plain: [line]) { server in
                    let answer = try await Self.signIn(gatehouse, at: server)
                    #expect(answer["user"]?["user_id"] == user, "\(line)")
                }
            }
            let told = Self.lines(gatehouse).filter { $0.contains("the section has another crossClientKey") }
            #expect(told.count == 1 && told.first?.contains("users=1") == true)
        }
    }

    @Test func `keeps the tokens of who is stored under the former name, and revokes them where it is now`()
        async throws
    {
        let plain = ["keepTokens: true", "scopes: [openid, profile, email, offline_access]"]
        try await RunningGatehouse.with(top: VaultFlow.apps, zenkey: Self.apart, plain: plain) { gatehouse in
            let flow = try await VaultFlow(gatehouse, misbehaving: nil)
            await gatehouse.server.stop()
            try SQLiteConnection(path: gatehouse.folder.appending(path: "users.db").path, isWritable: true).execute(
                "UPDATE identities SET issuer = '\(Self.former)'; DELETE FROM meta WHERE name = 'providers'")
            let yaml = RunningGatehouse.yaml(
                gatehouse.simulation, gatehouse.folder, top: VaultFlow.apps, zenkey: Self.apart,
                plain: plain + ["issuerAliases: ['\(Self.former)={plain}']"])
            let server = try await RunningGatehouse.start(yaml, gatehouse.log, [:])
            do {
                func call(_ method: String, _ path: String) async throws -> HTTPTestAnswer {
                    let basic = "Basic " + Base64.encode(Array("service:secret-of-the-service".utf8))
                    let headers = ["Authorization": "Bearer \(flow.token)", "Client-Authorization": basic]
                    return try await LoopbackClient(port: server.address.port).send(method, path, headers: headers)
                }
                let token = try await call(
                    "GET", "/users/me/identities/\(flow.identity)/access-token?force_refresh=true")
                #expect(token.status == 200, "\(token.text)")
                let profile = try await call("POST", "/users/me/refresh-profile")
                #expect(profile.status == 200 && profile["email"] != nil, "\(profile.text)")
                #expect(try await call("DELETE", "/users/me").status == 200)
                let delivery = OutboxDelivery(
                    repository: server.repository, providers: ProviderRegistry(server.providers),
                    transport: server.grantTransport, clock: .system, giveUpSeconds: 3600, observers: .none)
                try await delivery.deliver { OutboxLog.tell($0, gatehouse.log.logger) }
                #expect(try await server.repository.outboxStatus().pending == 0)
                #expect(gatehouse.simulation.requests(at: .revocation).count == 1)
                let trail = try await server.repository.auditEvents(after: 0, limit: 99).map(\.kind)
                #expect(trail.contains(.providerRevocationDone), "\(trail)")
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }
    }
}

import Foundation
import GatehouseTesting
import Glibc
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `The log of a server` {
    @Test func `tells every request and every outcome, and nothing personal or secret`() async throws {
        try await RunningGatehouse.with(top: "apiKeys: [app-key-1]") { gatehouse in
            let key = ["X-API-KEY": "app-key-1"]
            let authorized = try await gatehouse.authorize("ada")
            let more: [String: JSONValue?] = [
                "correlation_id": "0123456789ab", "nonce": "secret-nonce", "context": "secret-context",
            ]
            let refused = try await gatehouse.post("/auth/signin", authorized.body(more), key)
            #expect(refused.status == 401)
            let second = try await gatehouse.authorize("ada")
            let signedIn = try await gatehouse.post(
                "/auth/signin", second.body(), key.merging(["X-Request-ID": "quoted-id-1"]) { $1 })
            #expect(signedIn.status == 200)
            let token = try #require(signedIn["token"]?.string)
            let refreshToken = try #require(signedIn["refresh_token"]?.string)
            _ = try await gatehouse.call("GET", "/users/me", bearer: token, headers: key)
            _ = try await gatehouse.call(
                "POST", "/auth/token", headers: key,
                form: ["grant_type": "refresh_token", "refresh_token": refreshToken])
            _ = try await gatehouse.call("GET", "/nothing?code=\(second.code)", headers: key)
            gatehouse.simulation.port(subscriber: "ada", to: .borealis)
            let moved = try await gatehouse.authorize("ada", at: .borealis)
            #expect(try await gatehouse.post("/auth/signin", moved.body(), key)["migrated"] == true)

            let log = gatehouse.log.text
            #expect(log.contains("route=/auth/signin"))
            #expect(log.contains("request_id=quoted-id-1"))
            #expect(log.contains("correlation_id=0123456789ab"))
            #expect(log.contains("outcome=new_user"))
            #expect(log.contains("outcome=migrated"))
            #expect(log.contains("reason=\"invalid_id_token: context\"") || log.contains("invalid_id_token: nonce"))
            let user = try #require(signedIn["user"]?.object)
            var secrets = [
                authorized.code, authorized.verifier, second.code, second.verifier, moved.code, token, refreshToken,
                "eyJ", "demo-secret", "app-key-1", "secret-nonce", "secret-context",
                gatehouse.simulation.subject(of: "ada", for: RunningGatehouse.clientID, at: .aurora),
                gatehouse.simulation.subject(of: "ada", for: RunningGatehouse.clientID, at: .borealis),
            ]
            secrets += user.members.compactMap(\.value.string)
            for secret in secrets {
                #expect(!log.contains(secret), "the log tells something that begins with \(secret.prefix(5))")
            }
        }
    }

    /// Packages log at levels that the service itself never uses, and by default they spell a value out to its depth.
    @Test func `names its services at its most talkative, and spells out nothing of what they hold`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let folder = gatehouse.folder.appending(path: "talkative")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let (file, log) = (folder.appending(path: "gatehouse.yaml"), folder.appending(path: "log"))
            try Data(RunningGatehouse.yaml(gatehouse.simulation, folder).utf8).write(to: file)
            let server = try await ServerProcess(
                configuration: file, log: log, environment: ["GATEHOUSE_LOG_LEVEL": "trace"])
            defer { server.kill() }
            server.signal(SIGTERM)
            #expect(await server.process.ended() == .exited(0))
            let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
            for name in ["server", "reloading", "stop signals"] {
                #expect(lines.contains { $0.contains("Starting service") && $0.contains(name) })
            }
            #expect(lines.allSatisfy { $0.utf8.count < 400 && !$0.contains("eyJ") })
        }
    }
}

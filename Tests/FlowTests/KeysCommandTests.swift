import Accounts
import AccountsSQL
import AccountsSQLite
import GatehouseTesting
import Glibc
import HTTPTesting
import JSON
import Patience
import Sealing
import Settings
import SignIn
import System
import Testing
import Wings

@testable import Composition
@testable import Operations

@Suite struct `The keys command` {
    @Test func `publishes a new signing key first, and seals everything under a new data key`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let signedIn = try await gatehouse.signIn("ada")
            let token = try #require(signedIn["token"]?.string)
            let refreshToken = try #require(signedIn["refresh_token"]?.string)
            let before = try await gatehouse.run("keys", "list", "--json")
            let first = try #require(before.json["signing_keys"]?.array?.first?["kid"]?.string)
            let rotated = try await gatehouse.run("keys", "rotate", "--json")
            #expect(rotated.status == 0, "\(rotated.errors)")
            #expect(rotated.json["data_key"] == 2)
            let after = try await gatehouse.run("keys", "list", "--json")
            let signing = try #require(after.json["signing_keys"]?.array)
            #expect(signing.map { $0["state"] } == ["published", "signing", "signing"])
            #expect(signing.map { $0["purpose"] } == ["session", "session", "receipt"])
            #expect(signing.first { $0["kid"] == .string(first) }?["state"] == "signing")
            #expect(after.json["data_keys"]?.array?.map { $0["seals"] } == [true, false])
            #expect(try await gatehouse.run("store", "check").status == 0)
            // The server opens what was sealed anew under its feet, and seals under the new key.
            #expect(try await gatehouse.call("GET", "/users/me", bearer: token).status == 200)
            #expect(try await gatehouse.refresh(refreshToken).status == 200)
            #expect(try await gatehouse.signIn("grace").status == 200)
            #expect(!after.output.contains("PRIVATE"))
        }
    }

    @Test func `lets a new key sign at once when told so, which a start or a few seconds bring to the server`()
        async throws
    {
        try await RunningGatehouse.with { gatehouse in
            _ = try await gatehouse.signIn("ada")
            let store = try await gatehouse.openStore()
            let keys = try await SessionKeys.load(from: store.repository, for: [], now: 0)
            let before = keys.document
            let rotated = try await gatehouse.run("keys", "rotate", "--now", "--json")
            #expect(rotated.status == 0, "\(rotated.errors)")
            let listed = try await gatehouse.run("keys", "list", "--json")
            #expect(listed.json["signing_keys"]?.array?.map { $0["state"] } == ["signing", "verifying", "signing"])
            #expect(listed.json["signing_keys"]?.array?.first?["kid"] == rotated.json["kid"])

            let log = RecordedLog()
            let housekeeping = Self.housekeeping(store, keys, log)
            let work = Task { await housekeeping.run() }
            try await eventually("other keys") { keys.document != before }
            housekeeping.stop()
            await work.value
            let kid = try #require(rotated.json["kid"]?.string)
            #expect(String(decoding: keys.document, as: UTF8.self).contains(kid))
            #expect(keys.count == 2)
            await store.repository.close()
        }
    }

    private static func housekeeping(_ store: OpenStore, _ keys: SessionKeys, _ log: RecordedLog) -> Housekeeping {
        Housekeeping(
            HousekeepingJobs.all(
                repository: store.repository, keys: keys, accessTokenSeconds: 900,
                clock: .system, logger: log.logger),
            clock: .system, logger: log.logger)
    }

    @Test func `leaves what it could not finish to the server`() async throws {
        try await RunningGatehouse.with { gatehouse in
            for name in ["ada", "grace", "linus"] { _ = try await gatehouse.signIn(name) }
            let store = try await gatehouse.openStore()
            let keys = try await SessionKeys.load(from: store.repository, for: [], now: 0)
            // As if the command had been killed after its first step.
            _ = try await store.repository.rotateDataKey(KeyRing.maker(masterKey: store.masterKey, now: 1))
            let log = RecordedLog()
            let housekeeping = Self.housekeeping(store, keys, log)
            let work = Task { await housekeeping.run() }
            try await eventually("the line that all is sealed anew") { log.text.contains("sealed anew") }
            housekeeping.stop()
            await work.value
            #expect(try await store.repository.reseal(limit: 1) == 0, "something is left")
            #expect(try await store.repository.check().isEmpty)
            await store.repository.close()
        }
    }
}

extension RunningGatehouse {
    /// This server's store, as a command has it open.
    func openStore() async throws -> OpenStore {
        let loaded = Settings.load(yaml: RunningGatehouse.yaml(simulation, folder))
        guard case .valid(let settings, _, _) = loaded else { throw CancellationError() }
        return try await OpenStore.open(
            settings.storage, tables: StoreTables(of: Wing.all), formerIssuers: .none, for: .tool,
            now: Int64(time(nil)))
    }
}

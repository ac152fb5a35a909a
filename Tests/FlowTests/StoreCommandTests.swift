import CSQLite
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `The store command` {
    @Test func `finds what no longer opens, and says where`() async throws {
        try await RunningGatehouse.with { gatehouse in
            _ = try await gatehouse.signIn("ada")
            let sound = try await gatehouse.run("store", "check")
            #expect(sound.status == 0)
            #expect(sound.output == "The store is in order.\n")
            try gatehouse.execute("UPDATE users SET profile = x'0000000100'")
            let broken = try await gatehouse.run("store", "check")
            #expect(broken.status == 1)
            #expect(broken.output == "Sealed values in users that do not open: 1.\n")
            let asJSON = try await gatehouse.run("store", "check", "--json")
            #expect(asJSON.status == 1)
            #expect(asJSON.json["findings"]?.array?.count == 1)
        }
    }

    @Test func `tells how the store is`() async throws {
        try await RunningGatehouse.with { gatehouse in
            _ = try await gatehouse.signIn("ada")
            let told = try await gatehouse.run("store", "status", "--json")
            #expect(told.status == 0, "\(told.errors)")
            #expect(told.json["live_codes"] == 1)
            let version = unsafe String(cString: sqlite3_libversion())
            #expect(told.json["sqlite"]?.string == version)
            #expect(told.json["erasure_in_log"] == false)
            for name in ["database_bytes", "log_bytes", "page_bytes", "pages", "schema"] {
                #expect((told.json[name]?.integer ?? 0) > 0, "\(name)")
            }
            for name in ["free_pages", "checkpoint_age_seconds"] { #expect((told.json[name]?.integer ?? -1) >= 0) }
            let text = try await gatehouse.run("store", "status")
            #expect(text.output.contains("database     "))
        }
    }

    @Test func `makes a backup that another server starts from`() async throws {
        try await RunningGatehouse.with { gatehouse in
            _ = try await gatehouse.signIn("ada")
            let restored = gatehouse.folder.appending(path: "restored")
            try FileManager.default.createDirectory(at: restored, withIntermediateDirectories: true)
            let copy = restored.appending(path: "users.db")
            let backup = try await gatehouse.run("store", "backup", copy.path)
            #expect(backup.status == 0, "\(backup.errors)")
            let mode = try FileManager.default.attributesOfItem(atPath: copy.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let again = try await gatehouse.run("store", "backup", copy.path)
            #expect(again.status == 1)
            #expect(again.errors.contains("exists already"))
            let nowhere = try await gatehouse.run(
                "store", "backup", gatehouse.folder.appending(path: "none/users.db").path)
            #expect(nowhere.status == 1)

            let file = restored.appending(path: "gatehouse.yaml")
            try Data(RunningGatehouse.yaml(gatehouse.simulation, restored).utf8).write(to: file)
            let keyless = try await CommandRun(["users", "list", "--config", file.path])
            #expect(keyless.status == 1)
            #expect(keyless.errors.contains("the master key file"))
            try FileManager.default.copyItem(
                at: gatehouse.folder.appending(path: "users.db.key"), to: restored.appending(path: "users.db.key"))
            let users = try await CommandRun(["users", "list", "--json", "--config", file.path])
            #expect(users.json["user_id"] == 1)
        }
    }

    @Test func `imports users, who then sign in as themselves`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let grace = try await gatehouse.signIn("grace", at: .plain)
            let record = try await gatehouse.run("users", "export", "1", "--with-subjects")
            #expect(try await gatehouse.run("users", "erase", "1", "--yes").status == 0)
            let file = try gatehouse.write([record.output.trimmingCharacters(in: .newlines)])
            let imported = try await gatehouse.run("store", "import", file, "--json")
            #expect(imported.status == 0, "\(imported.errors)")
            #expect(imported.json["created"] == 1)
            let back = try await gatehouse.signIn("grace", at: .plain)
            #expect(back["new_user"] == false, "an imported user was not recognised")
            #expect(back["user"]?["name"] == grace["user"]?["name"])
        }
    }

    @Test func `imports again without harm, completes users, and tells conflicts by line`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let file = try gatehouse.write([gatehouse.line("secret-a"), "", gatehouse.line("secret-b")])
            #expect(try await gatehouse.run("store", "import", file).output.contains("2 users created"))
            let again = try await gatehouse.run("store", "import", file, "--json")
            #expect(again.status == 0)
            #expect(again.json["already_there"] == 2)
            let more = try gatehouse.write(
                [gatehouse.line("secret-a", "secret-c"), gatehouse.line("secret-a", "secret-b")], as: "more.jsonl")
            let completed = try await gatehouse.run("store", "import", more, "--json")
            #expect(completed.status == 1)
            #expect(completed.json["completed"] == 1)
            #expect(completed.json["conflicts"] == 1)
            #expect(completed.errors.contains("line 2: its identities belong to several users"))
            #expect(!completed.everything.contains("secret-"))
        }
    }

    @Test func `imports nothing when a line is bad, unless told to skip it`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let file = try gatehouse.write([gatehouse.line("secret-a"), "{\"secret-b", gatehouse.line("")])
            let refused = try await gatehouse.run("store", "import", file)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("line 2: it is not JSON"))
            #expect(refused.errors.contains("line 3: identity 1 has no subject"))
            #expect(refused.output == "3 lines, 2 bad. Nothing was stored.\n")
            #expect(!refused.everything.contains("secret-"))
            let dry = try await gatehouse.run("store", "import", file, "--skip-bad", "--dry-run")
            #expect(dry.status == 1)
            #expect(try await gatehouse.run("users", "list").output.isEmpty)
            let skipped = try await gatehouse.run("store", "import", file, "--skip-bad", "--json")
            #expect(skipped.status == 0)
            #expect(skipped.json["created"] == 1)
            #expect(skipped.json["bad"] == 2)
        }
    }

    @Test func `imports from a pipe, and leaves nothing of it behind`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let lines = (1...100).map { gatehouse.line("secret-\($0)") }.joined(separator: "\n")
            let before = try FileManager.default.contentsOfDirectory(atPath: gatehouse.folder.path).count
            let imported = try await gatehouse.run("store", "import", "-", "--json", input: lines)
            #expect(imported.json["created"] == 100, "\(imported.errors)")
            let after = try FileManager.default.contentsOfDirectory(atPath: gatehouse.folder.path)
            // The configuration that the command was given is new.
            #expect(after.count == before + 1, "\(after)")
            let missing = try await gatehouse.run("store", "import", gatehouse.folder.appending(path: "none").path)
            #expect(missing.status == 1)
            #expect(try await gatehouse.run("store", "import", gatehouse.folder.path).status == 1)
        }
    }
}

extension RunningGatehouse {
    /// Changes the store behind everybody's back.
    func execute(_ sql: String) throws {
        var database: OpaquePointer?
        try #require(unsafe sqlite3_open(folder.appending(path: "users.db").path, &database) == SQLITE_OK)
        defer { unsafe sqlite3_close(database) }
        try #require(unsafe sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
    }
}

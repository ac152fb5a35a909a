import Foundation
import HTTPTesting
import JSON
import Testing

/// `scripts/sanitize` says so: what limits a process there limits the sanitizer first.
private let isSanitized = ProcessInfo.processInfo.environment["DEV_SANITIZER"] != nil

@Suite struct `Yesterday's backup` {
    @Test func `restored by a command brings back nobody who left, no session and no leaked key`() async throws {
        try await OperatedServer.with { service in
            let staying = try await service.signIn("ada")
            let leaving = try await service.signIn("grace")
            let session = try #require(staying["token"]?.string)
            let gone = try #require(leaving["user"]?["user_id"]?.integer)
            let listed = try await service.run("keys", "list", "--json")
            let leaked = try #require(
                listed.json["signing_keys"]?.array?.first { $0["purpose"] == "session" }?["kid"]?.string)
            #expect(try await service.run("keys", "rotate", "--now").status == 0)
            let backup = service.folder.appending(path: "backup.db").path
            #expect(try await service.run("store", "backup", backup).status == 0)

            #expect(try await service.run("users", "erase", "\(gone)", "--yes").status == 0)
            let retired = try await service.run("keys", "retire", leaked)
            #expect(retired.status == 0, "\(retired.errors)")
            let beside = try await service.run("store", "restore", backup)
            #expect(beside.status == 1)
            #expect(beside.errors.contains("stop it first"))
            let compacted = try await service.run("store", "compact")
            #expect(compacted.status == 1)
            try await service.stop()

            let restored = try await service.run("store", "restore", backup, "--json")
            #expect(restored.status == 0, "\(restored.errors)")
            #expect(restored.json["users"] == 1)
            #expect(restored.json["users_erased"] == 1)
            #expect(try await service.run("store", "compact").status == 0)
            try await service.start()
            #expect(try await service.status(bearer: session) == 401)
            #expect(try await !service.publishedKeys().contains(leaked))
            let back = try await service.signIn("grace")
            #expect(back["new_user"] == true)
            #expect((back["user"]?["user_id"]?.integer ?? 0) > gone)
            let known = try await service.signIn("ada")
            #expect(known["user"]?["user_id"] == staying["user"]?["user_id"])
            #expect(try await service.run("store", "check").status == 0)
        }
    }

    @Test func `put in the store's place by hand does not start, and is told how to be restored`() async throws {
        try await OperatedServer.with { service in
            _ = try await service.signIn("grace")
            let backup = service.folder.appending(path: "backup.db").path
            #expect(try await service.run("store", "backup", backup).status == 0)
            #expect(try await service.run("users", "erase", "1", "--yes").status == 0)
            try await service.stop()
            try FileManager.default.removeItem(atPath: service.database)
            try FileManager.default.copyItem(atPath: backup, toPath: service.database)
            let refused = try await service.run("serve")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("older than its ledger"), "\(refused.errors)")
            try FileManager.default.removeItem(atPath: service.database + "-ledger")
            try FileManager.default.removeItem(atPath: service.database)
            let bare = try await service.run("store", "restore", backup)
            #expect(bare.status == 1)
            #expect(bare.errors.contains("nothing was restored: there is no ledger"))
            #expect(try await service.run("store", "restore", backup, "--without-ledger").status == 0)
        }
    }

    @Test(.enabled(if: !isSanitized, "a sanitizer takes more memory than the process may"))
    func `yesterday's backup is restored beside a ledger with gigabytes in it that are none of ours, in little memory`()
        async throws
    {
        try await OperatedServer.with { service in
            for name in ["ada", "grace", "mary"] { _ = try await service.signIn(name) }
            let backup = service.folder.appending(path: "backup.db").path
            #expect(try await service.run("store", "backup", backup).status == 0)
            for user in ["1", "2"] { #expect(try await service.run("users", "erase", user, "--yes").status == 0) }
            try await service.stop()
            // A hole in the file, as one line between two records.
            let ledger = try FileHandle(forUpdating: URL(filePath: service.database + "-ledger"))
            let records = try #require(try ledger.readToEnd())
            let second = try #require(records.firstIndex(of: UInt8(ascii: "\n"))) + 1
            try ledger.truncate(atOffset: UInt64(second))
            try ledger.seek(toOffset: 2 << 30)
            try ledger.write(contentsOf: Data("\n".utf8) + records[second...])
            try ledger.close()
            let restored = try await service.run("store", "restore", backup, "--json", limits: ["--as=\(3 << 29)"])
            #expect(restored.status == 0, "\(restored.errors)")
            #expect(restored.json["users_erased"] == 2)
            #expect(restored.json["lines_passed_over"] == 1)
        }
    }
}

@Suite struct `A disk that is full` {
    @Test(
        .enabled(if: !isSanitized, "a sanitizer writes a file of its own as a process starts"), arguments: [1, 2, 3])
    func `stops a restore and a compaction, which change nothing and say so`(quarters: Int) async throws {
        try await OperatedServer.with { service in
            let session = try #require(try await service.signIn("ada")["token"]?.string)
            let backup = service.folder.appending(path: "backup.db").path
            #expect(try await service.run("store", "backup", backup).status == 0)
            _ = try await service.signIn("grace")
            try await service.stop()
            let before = try service.files()
            // No file may be longer: what a quota does, too.
            let size = try #require(before["users.db"]).count * quarters / 4
            let restored = try await service.run("store", "restore", backup, limits: ["--fsize=\(size)"])
            #expect(restored.status == 1)
            #expect(
                restored.errors.contains("nothing was restored: the disk is full, so that the backup can't be copied"),
                "\(restored.errors)")
            #expect(try service.files() == before)
            let compacted = try await service.run("store", "compact", limits: ["--fsize=\(size)"])
            #expect(compacted.status == 1)
            #expect(
                compacted.errors.contains("nothing was compacted: the disk is full"), "\(compacted.errors)")
            #expect(try service.files() == before)
            try await service.start()
            #expect(try await service.status(bearer: session) == 200)
            #expect(try await service.run("store", "check").status == 0)
        }
    }
}

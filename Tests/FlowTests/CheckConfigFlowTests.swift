import Foundation
import GatehouseTesting
import JSON
import Testing

@testable import Composition
@testable import Operations

/// What `check-config` says of the machine that it is asked on.
@Suite struct `check-config` {
    /// - Parameters:
    ///   - top: lines beside the sections.
    ///   - plain: how the provider's section gives the secret.
    private func check(
        _ folder: URL, _ top: String = "", plain: String = "clientSecret: the-secret-of-the-shop",
        words: [String] = [], storage: String? = nil
    ) async throws -> CommandRun {
        let file = try ShopConfiguration.write(in: folder, storage: storage, secret: plain, top: top)
        return try await CommandRun(["check-config", "--config", file] + words)
    }

    @Test func `has nothing to say where all is well`() async throws {
        try await ShopConfiguration.withFolder { folder in
            let checked = try await check(folder)
            #expect(checked.status == 0)
            #expect(checked.errors == "")
            #expect(checked.output == "The configuration is valid.\n")
        }
    }

    @Test func `says that a folder is no store`() async throws {
        try await ShopConfiguration.withFolder { folder in
            let checked = try await check(folder, storage: "url: 'file:\(folder.path)'")
            #expect(checked.status == 1)
            #expect(checked.errors.contains("fault: storage.url"), "\(checked.errors)")
            #expect(checked.errors.contains("which is a folder; expected a file, such as file:\(folder.path)/"))
            #expect(checked.output == "")
        }
    }

    @Test func `says that the key of a store is lost, and so does serve`() async throws {
        try await ShopConfiguration.withFolder { folder in
            try Data("something".utf8).write(to: folder.appending(path: "users.db"))
            let checked = try await check(folder)
            #expect(checked.status == 1)
            #expect(checked.errors.contains("fault: storage.masterKeyFile"), "\(checked.errors)")
            let sentence = "users.db.key is missing, and \(folder.path)/users.db can be opened with it alone"
            #expect(checked.errors.contains(sentence))
            let served = try await CommandRun(
                ["serve", "--config", folder.appending(path: "gatehouse.yaml").path])
            #expect(served.status == 1)
            #expect(served.errors.contains(sentence))
        }
    }

    @Test func `says that what is there is no store`() async throws {
        try await ShopConfiguration.withFolder { folder in
            try Data(repeating: 0x61, count: 8192).write(to: folder.appending(path: "users.db"))
            try Data("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8".utf8)
                .write(to: folder.appending(path: "users.db.key"))
            let checked = try await check(folder)
            #expect(checked.everything.contains("the file is no database"), "\(checked.everything)")
        }
    }

    @Test func `tells of a port that is taken, a secret that all can read, and placeholders`() async throws {
        try await RunningGatehouse.with { gatehouse in
            try await ShopConfiguration.withFolder { folder in
                let secret = folder.appending(path: "secret")
                try Data("the-secret-of-the-shop".utf8).write(to: secret)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: secret.path)
                let top =
                    "probes: {host: 127.0.0.1, port: \(gatehouse.port)}\n"
                    + "session: {issuer: 'https://signin.example.com'}"
                let checked = try await check(
                    folder, top, plain: "clientSecretFile: '\(secret.path)'", words: ["--json"])
                #expect(checked.status == 0)
                #expect(checked.json["faults"] == [])
                let told = Dictionary(
                    uniqueKeysWithValues: (checked.json["notices"]?.array ?? []).map {
                        ($0["key"]?.string ?? "", $0["notice"]?.string ?? "")
                    })
                #expect(told["probes.port"]?.contains("where something listens already") == true, "\(told)")
                #expect(told["provider.plain.clientSecretFile"]?.hasSuffix("chmod 600 \(secret.path)") == true)
                #expect(told["session.issuer"]?.contains("signin.example.com, which is a host of examples") == true)
                #expect(told.count == 3)
            }
        }
    }

    @Test func `tells of an address that the machine has not`() async throws {
        try await ShopConfiguration.withFolder { folder in
            let checked = try await check(folder, "probes: {host: 192.0.2.1, port: 9}")
            #expect(checked.status == 0)
            #expect(checked.errors.contains("probes.host is 192.0.2.1, which is no address of this machine"))
        }
    }

    @Test func `tells of a database that can't be reached from here, with what libpq says`() async throws {
        try await ShopConfiguration.withFolder { folder in
            let key = folder.appending(path: "master.key")
            try Data("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8".utf8).write(to: key)
            let storage =
                "url: 'postgres://gatehouse@127.0.0.1:1/gatehouse', masterKeyFile: '\(key.path)', connectSeconds: 1"
            let checked = try await check(folder, storage: storage)
            #expect(checked.status == 0)
            #expect(checked.errors.contains("notice: storage.url can't be looked at from here"), "\(checked.errors)")
        }
    }

    @Test(arguments: [["help", "bogus"], ["help", "store", "bogus"], ["bogus"]])
    func `is a command, and what is none ends with status 64`(words: [String]) async throws {
        let run = try await CommandRun(words)
        #expect(run.status == 64)
        #expect(run.errors.contains("bogus"))
        #expect(try await CommandRun(["help", "store", "check"]).status == 0)
    }
}

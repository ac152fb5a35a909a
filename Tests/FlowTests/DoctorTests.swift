import Foundation
import GatehouseTesting
import JSON
import Testing

@testable import Composition
@testable import Operations

@Suite struct `doctor` {
    private func examine(
        _ folder: URL, storage: String? = nil, provider: String = "issuer: 'https://id.shop.test'", top: String = "",
        words: [String] = ["--offline"], environment: [String: String] = [:]
    ) async throws -> CommandRun {
        let file = try ShopConfiguration.write(in: folder, storage: storage, provider: provider, top: top)
        return try await CommandRun(["doctor", "--json", "--config", file] + words, environment: environment)
    }

    /// What was found about one thing.
    private func found(_ about: String, _ run: CommandRun) -> JSONValue? {
        run.json["found"]?.array?.first { $0["about"]?.string == about }
    }

    @Test func `looks at the store, its disk and what this user may have`() async throws {
        try await ShopConfiguration.withFolder { folder in
            let run = try await examine(folder)
            #expect(found("configuration", run)?["verdict"] == "good")
            // How fast and how full this machine's disk is, is not the test's to say.
            for about in ["server", "store, space", "store, disk", "open files"] {
                #expect(found(about, run)?["sentence"]?.string?.isEmpty == false, "\(about): \(run.everything)")
            }
            #expect(run.status < 2)
            #expect(run.json["exit_status"] == .integer(Int64(run.status)))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["gatehouse.yaml"])
        }
    }

    @Test func `ends with 2 where the configuration is faulty, and names every fault`() async throws {
        try await ShopConfiguration.withFolder { folder in
            let run = try await examine(folder, top: "registration: manual\nlog: {level: loud}")
            #expect(run.status == 2)
            let sentences = (run.json["found"]?.array ?? []).compactMap { $0["sentence"]?.string }
            #expect(
                sentences.contains { $0.hasPrefix("registration") } && sentences.contains { $0.hasPrefix("log.level") })
        }
    }

    @Test func `ends with 2 where the store is a folder`() async throws {
        try await ShopConfiguration.withFolder { folder in
            let run = try await examine(folder, storage: "url: 'file:\(folder.path)'")
            #expect(run.status == 2)
            #expect(run.everything.contains("which is a folder"))
        }
    }

    @Test func `asks the providers, and says which does not answer`() async throws {
        try await ShopConfiguration.withFolder { folder in
            let run = try await examine(
                folder, provider: "issuer: 'http://127.0.0.1:1', allowLoopbackHTTP: true", words: [])
            #expect(run.status == 2)
            #expect(found("provider plain, discovery", run)?["verdict"] == "bad", "\(run.everything)")
        }
    }

    @Test func `says that a database can't be asked, and why`() async throws {
        try await ShopConfiguration.withFolder { folder in
            let key = folder.appending(path: "master.key")
            try Data("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8".utf8).write(to: key)
            let storage =
                "url: 'postgres://gatehouse@127.0.0.1:1/gatehouse', masterKeyFile: '\(key.path)', connectSeconds: 1"
            let run = try await examine(folder, storage: storage)
            #expect(run.status == 2)
            #expect(found("database", run)?["verdict"] == "bad", "\(run.everything)")
        }
    }

    @Test func `tells how a database is`() async throws {
        try await ShopConfiguration.withFolder { folder in
            try await SharedStore.with { environment in
                let run = try await examine(folder, environment: environment)
                #expect(found("database", run)?["verdict"] == "good", "\(run.everything)")
                for about in ["connections", "rights", "clock", "encoding"] {
                    #expect(found("database, \(about)", run)?["sentence"]?.string?.isEmpty == false)
                }
            }
        }
    }
}

import Accounts
import AccountsSQL
import AccountsSQLite
import Foundation
import GatehouseTesting
import Settings
import Telemetry
import Testing
import Wings

@testable import Composition
@testable import Operations

@Suite struct `A store that is not there` {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "gatehouse-missing-\(UUID().uuidString)")

    private func storage(_ more: String) throws -> Settings.Storage { try settings(more).storage }

    private func settings(_ more: String, top: String = "") throws -> Settings {
        let loaded = Settings.load(
            yaml: """
                \(top)
                storage: {url: 'file:\(folder.path)/volume/users.db'\(more)}
                providers: [plain]
                provider: {plain: {profile: openid, issuer: 'https://login.example', clientID: a, clientSecret: b,
                  redirectURIs: ['a:/b']}}
                """)
        guard case .valid(let settings, _, _) = loaded else {
            Issue.record("the test's configuration is faulty: \(loaded)")
            throw CancellationError()
        }
        return settings
    }

    private func keyFile() throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "master.key")
        try Data(String(repeating: "A", count: 43).utf8).write(to: path)
        return path.path
    }

    private func open(_ storage: Settings.Storage) async throws {
        let store = try await OpenStore.open(
            storage, tables: .own, formerIssuers: .none, for: .server(loops: []), now: 1)
        await store.repository.close()
    }

    @Test func `a store that is not there is an error where a master key is named, and is not made`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = try keyFile()
        let storage = try storage(", masterKeyFile: '\(key)'")
        let failure = await #expect(throws: StartError.self) { try await open(storage) }
        #expect("\(String(describing: failure))".contains("storage.create: true"))
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "volume").path))
    }

    @Test func `a store that is not there is made where storage.create says so, and then needs it no more`()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = try keyFile()
        try await open(try storage(", masterKeyFile: '\(key)', create: true"))
        try await open(try storage(", masterKeyFile: '\(key)'"))
    }

    @Test func `a store of a real service is not made with the key of the examples`() async throws {
        let example = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Config/secrets.example/master_key").standardized.path
        let settings = try settings(
            ", masterKeyFile: '\(example)', create: true", top: "session: {issuer: 'https://id.example.com'}")
        let failure = await #expect(throws: StartError.self) {
            await
                (try await Server.start(
                    settings, wings: Wing.all, observers: .none, metrics: MetricRegistry(), logger: RecordedLog().logger
                ))
                .stop()
        }
        #expect("\(String(describing: failure))".contains("the one of the examples"))
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "volume").path))
    }

    @Test func `a store that is not there is made with its key where none is named`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await open(try storage(""))
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: "volume/users.db.key").path))
    }
}

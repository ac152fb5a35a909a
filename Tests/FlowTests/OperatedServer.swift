import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Synchronization
import Testing

/// A server as a process of its own, with a folder of its own, and the commands of its operator.
final class OperatedServer: Sendable {
    let gatehouse: RunningGatehouse
    let folder: URL
    private let process = Mutex<ServerProcess?>(nil)

    /// Starts one, runs `body`, and ends it.
    static func with(_ body: (OperatedServer) async throws -> Void) async throws {
        try await RunningGatehouse.with { gatehouse in
            let operated = try OperatedServer(gatehouse)
            defer { operated.process.withLock { $0?.kill() } }
            try await operated.start()
            try await body(operated)
        }
    }

    private init(_ gatehouse: RunningGatehouse) throws {
        self.gatehouse = gatehouse
        folder = gatehouse.folder.appending(path: "operated")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let issuer = "\nsession: {issuer: '\(Self.issuer)'}\n"
        try Data((RunningGatehouse.yaml(gatehouse.simulation, folder) + issuer).utf8).write(to: configuration)
    }

    static let issuer = "https://sign-in.example"
    private var configuration: URL { folder.appending(path: "gatehouse.yaml") }
    var database: String { folder.appending(path: "users.db").path }
    var masterKey: String { database + ".key" }

    func start(environment: [String: String] = [:]) async throws {
        let log = folder.appending(path: "log-\(UUID().uuidString)")
        let started = try await ServerProcess(configuration: configuration, log: log, environment: environment)
        process.withLock { $0 = started }
    }

    /// Lets it come to its end, after which the database is one file.
    func stop() async throws {
        let ending = process.withLock { process in
            defer { process = nil }
            return process
        }
        ending?.signal(SIGTERM)
        await ending?.process.ended()
    }

    func run(_ arguments: String..., limits: [String] = []) async throws -> CommandRun {
        try await CommandRun(arguments + ["--config", configuration.path], limits: limits)
    }

    /// Every file of the store and its bytes, but those that are locks, what SQLite makes anew, and a log with nothing
    /// in it.
    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("users.db") && !name.hasSuffix("-shm") && !name.hasSuffix("-open") {
            let bytes = try Data(contentsOf: folder.appending(path: name))
            files[name] = name.hasSuffix("-wal") && bytes.isEmpty ? nil : bytes
        }
        return files
    }

    /// Starts a command that may be killed.
    func launch(_ arguments: String...) throws -> ChildProcess {
        try ServerProcess.launch(
            arguments + ["--config", configuration.path], log: folder.appending(path: "log-\(UUID().uuidString)"))
    }

    private func send(
        _ method: String, _ path: String, headers: [String: String] = [:], body: [UInt8]? = nil
    ) async throws -> HTTPTestAnswer {
        let port = try #require(process.withLock { $0?.port })
        return try await LoopbackClient(port: port).send(method, path, headers: headers, body: body)
    }

    func signIn(_ name: String) async throws -> HTTPTestAnswer {
        try await send(
            "POST", "/auth/signin", headers: ["Content-Type": "application/json"],
            body: try await gatehouse.authorize(name).body().serialized)
    }

    func status(bearer token: String) async throws -> Int {
        try await send("GET", "/users/me", headers: ["Authorization": "Bearer \(token)"]).status
    }

    func refresh(_ token: String) async throws -> HTTPTestAnswer {
        let form = FormText.encode(["grant_type": "refresh_token", "refresh_token": token])
        return try await send(
            "POST", "/auth/token", headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array(form.utf8))
    }

    func publishedKeys() async throws -> [String] {
        try await send("GET", "/.well-known/jwks.json")["keys"]?.array?.compactMap { $0["kid"]?.string } ?? []
    }
}

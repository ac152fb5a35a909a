import Foundation
import GatehouseTesting
import Glibc
import JSON
import Patience
import Settings
import SimulatedCarriers
import Testing
import Wings

@testable import Composition
@testable import Operations

@Suite struct `The configuration of a process` {
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "configuration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private func yaml(_ folder: URL, _ more: String = "") -> String {
        """
        http: {port: 0, loops: 1}
        admin: {port: 0}
        storage: {url: 'file:\(folder.path)/users.db'}
        providers: [zenkey]
        provider: {zenkey: {clientID: ccid-0, clientSecret: s3cret}}
        \(more)

        """
    }

    /// Runs the executable to its end.
    private func run(_ arguments: [String], _ yaml: String, in folder: URL) async throws -> CommandRun {
        let file = folder.appending(path: "gatehouse.yaml")
        try Data(yaml.utf8).write(to: file)
        return try await CommandRun(arguments + ["--config", file.path])
    }

    @Test func `the configuration of a process is told all its faults at once by check-config`() async throws {
        try await withFolder { folder in
            try Data("garbage".utf8).write(to: folder.appending(path: "users.db.key"))
            let more = """
                admin.token: s3cret-s3cret-s3cret
                session: {issuer: 'http://0.0.0.0'}
                registration: manual
                """
            let checked = try await run(["check-config"], yaml(folder, more), in: folder)
            #expect(checked.status == 1)
            for key in ["admin.token", "storage.masterKeyFile", "session.issuer", "registration"] {
                #expect(checked.errors.contains("fault: \(key)"), "\(key)")
            }
            #expect(checked.errors.contains("admin: {token: …}"))
            #expect(!checked.everything.contains("s3cret") && !checked.everything.contains("garbage"))
        }
    }

    @Test func `the configuration of a process has a reference that print-config prints without reading any`()
        async throws
    {
        let printed = try await CommandRun(["print-config", "--reference"])
        #expect(printed.status == 0)
        #expect(printed.output == SettingsReference.markdown(wings: Wing.all.map(\.settings)))
        #expect(printed.errors == "")
    }

    @Test func `the configuration of a process is refused by serve in lines of JSON where the log is JSON`()
        async throws
    {
        try await withFolder { folder in
            let faulty = yaml(folder, "log: {format: json, level: critical}\nregistration: manual\nwhat: ever\n")
            let served = try await run(["serve"], faulty, in: folder)
            #expect(served.status == 1)
            let lines = served.errors.split(separator: "\n").map { try? JSONValue(parsing: Array($0.utf8)) }
            #expect(lines.count == 2)
            #expect(lines.allSatisfy { $0?["level"] == "critical" && $0?["time"]?.string != nil })
            #expect(lines.first??["message"] == "the configuration is faulty")
            #expect(served.errors.contains("registration"))
        }
    }

    @Test(arguments: ["text", "json"])
    func `decides how a start that fails is told`(format: String) async throws {
        try await withFolder { folder in
            // A database whose master key is not there.
            try Data().write(to: folder.appending(path: "users.db"))
            let logged = yaml(folder, "log: {format: \(format), level: critical}\n")
            let served = try await run(["serve"], logged, in: folder)
            #expect(served.status == 1)
            let line = try? JSONValue(parsing: Array(served.errors.utf8.dropLast()))
            if format == "json" {
                #expect(line?["message"] == "the server does not start", "\(served.errors)")
                #expect(line?["reason"]?.string?.contains(folder.path) == true)
            } else {
                #expect(line == nil && served.errors.hasPrefix("gatehouse: "), "\(served.errors)")
            }
        }
    }

    @Test func `the configuration of a process has its changes that wait for a restart named on SIGHUP, by key alone`()
        async throws
    {
        try await withFolder { folder in
            let (file, log) = (folder.appending(path: "gatehouse.yaml"), folder.appending(path: "log"))
            func text() -> String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
            func reload(_ yaml: String, times: Int) async throws {
                try Data(yaml.utf8).write(to: file)
                server.signal(SIGHUP)
                try await eventually("changes that are named") {
                    text().components(separatedBy: "were read again").count > times
                }
            }
            try Data(yaml(folder).utf8).write(to: file)
            let server = try await ServerProcess(configuration: file, log: log)
            defer { server.kill() }
            let changed = yaml(folder, "log: {level: debug}\nregistration: ticket\napiKeys: [k3y]\n")
                .replacing("clientSecret: s3cret", with: "clientSecret: other, requireNonce: true, minimumACR: a3")
                .replacing("loops: 1", with: "loops: 1, drainSeconds: 7")
            try await reload(changed, times: 1)
            let keys = "http.drainSeconds, registration, provider.zenkey.requireNonce, provider.zenkey.minimumACR"
            #expect(text().contains("with a restart only keys=\"\(keys)\""), "\(text())")
            #expect(!text().contains("a3") && !text().contains("k3y"))
            try await reload(yaml(folder), times: 2)
            #expect(text().components(separatedBy: "with a restart only").count == 2)
        }
    }
}

@Suite struct `Keys that have changed` {
    private func effective(_ yaml: String) throws -> [EffectiveSetting] {
        guard case .valid(_, let effective, _) = Settings.load(yaml: yaml) else { throw CancellationError() }
        return effective
    }

    private func ignored(_ change: (String) -> String, onLoopback: Bool = true) throws -> [String] {
        let yaml = """
            admin: {token: 0123456789abcdef}
            apiKeys: [one]
            providers: [zenkey]
            provider: {zenkey: {clientID: c, clientSecret: s}}

            """
        return ChangedKeys.needingRestart(
            from: try effective(yaml), to: try effective(change(yaml)), adminOnLoopback: onLoopback)
    }

    @Test func `keys that have changed are none where only what is taken over has`() throws {
        #expect(try ignored { $0 } == [])
        #expect(try ignored { $0.replacing("[one]", with: "[]") + "log: {level: debug}\n" } == [])
        #expect(
            try ignored { $0.replacing("clientSecret", with: "clientAuthentication: client_secret_post, clientSecret") }
                == [])
        #expect(try ignored { $0.replacing("{token: 0123456789abcdef}", with: "{}") } == [])
    }

    @Test func `keys that have changed wait for a restart where the client is another, or the token can't go`() throws {
        let other = try ignored {
            $0.replacing("clientID: c", with: "clientID: d, clientAuthentication: client_secret_post")
        }
        #expect(other.contains("provider.zenkey.clientID") && other.contains("provider.zenkey.clientAuthentication"))
        #expect(
            try ignored({ $0.replacing("{token: 0123456789abcdef}", with: "{}") }, onLoopback: false) == ["admin.token"]
        )
    }

    @Test func `name the list where a provider came`() throws {
        let names = try ignored {
            $0.replacing("providers: [zenkey]", with: "providers: [zenkey, plain]")
                .replacing("provider: {", with: "provider: {plain: {clientID: p, clientSecret: s}, ")
        }
        #expect(names == ["providers"])
    }
}

import Foundation
import GatehouseTesting
import Glibc
import HTTPTesting
import JSON
import Patience
import SimulatedCarriers
import Testing

@Suite struct `The server's process` {
    private func configuration(
        _ gatehouse: RunningGatehouse, _ name: String, top: String = ""
    ) throws -> (file: URL, folder: URL) {
        let folder = gatehouse.folder.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "gatehouse.yaml")
        try Data(RunningGatehouse.yaml(gatehouse.simulation, folder, top: top).utf8).write(to: file)
        return (file, folder)
    }

    private func text(_ file: URL) -> String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }

    @Test func `finishes what runs when it is told to stop, and exits in peace`() async throws {
        try await RunningGatehouse.with(latency: .milliseconds(200)) { gatehouse in
            let (file, folder) = try configuration(gatehouse, "stopped")
            let log = folder.appending(path: "log")
            let server = try await ServerProcess(configuration: file, log: log)
            let port = server.port
            let app = try await gatehouse.authorize("ada")
            async let answer = LoopbackClient(port: port).send(
                "POST", "/auth/signin", headers: ["Content-Type": "application/json"],
                body: app.body().serialized)
            let exchanges = gatehouse.simulation.requests(at: .token).count
            try await eventually("the exchange to begin") {
                gatehouse.simulation.requests(at: .token).count > exchanges
            }
            server.signal(SIGTERM)
            #expect(try await answer.status == 200)
            #expect(await server.process.ended() == .exited(0))
            #expect(text(log).contains("stopped"))
        }
    }

    @Test func `takes over API keys and client secrets on SIGHUP, and nothing from a faulty file`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let (file, folder) = try configuration(gatehouse, "reloaded", top: "apiKeys: [old-key]")
            let log = folder.appending(path: "log")
            let server = try await ServerProcess(configuration: file, log: log)
            let port = server.port
            func status(key: String) async throws -> Int {
                let app = try await gatehouse.authorize("ada")
                return try await LoopbackClient(port: port).send(
                    "POST", "/auth/signin",
                    headers: ["Content-Type": "application/json", "X-API-KEY": key], body: app.body().serialized
                ).status
            }
            #expect(try await status(key: "old-key") == 200)
            let yaml = RunningGatehouse.yaml(gatehouse.simulation, folder, top: "apiKeys: [new-key]")
            try Data(yaml.utf8).write(to: file)
            server.signal(SIGHUP)
            try await eventually("the settings to be read again") { text(log).contains("were read again") }
            #expect(try await status(key: "new-key") == 200)
            #expect(try await status(key: "old-key") == 401)

            try Data(yaml.replacing("demo-secret", with: "wrong-secret").utf8).write(to: file)
            server.signal(SIGHUP)
            try await eventually("the settings to be read once more") {
                text(log).components(separatedBy: "were read again").count >= 3
            }
            #expect(try await status(key: "new-key") == 502, "the old client secret is still in use")

            try Data("providers: [".utf8).write(to: file)
            server.signal(SIGHUP)
            try await eventually("the fault to be told") { text(log).contains("is faulty and changes nothing") }
            #expect(try await LoopbackClient(port: port).send("GET", "/healthz").status == 200)
            server.kill()
        }
    }

    @Test func `reads its settings again for a SIGHUP that comes the moment it listens`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let (file, _) = try configuration(gatehouse, "hurried")
            for _ in 1...5 {
                // Read without a pause, so that the signal is there before anything else is done.
                let pipe = Pipe()
                let server = try await ServerProcess(configuration: file, pipe: pipe)
                server.signal(SIGHUP)
                var log = ""
                while !log.contains("were read again") {
                    let data = pipe.fileHandleForReading.availableData
                    if data.isEmpty { break }
                    log += String(decoding: data, as: UTF8.self)
                }
                #expect(log.contains("were read again"))
                server.signal(SIGTERM)
                #expect(await server.process.ended() == .exited(0))
            }
        }
    }

    @Test func `says why it does not start`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let (file, folder) = try configuration(gatehouse, "refused")
            let server = try await ServerProcess(configuration: file, log: folder.appending(path: "log"))
            func refusal(_ change: (String) -> String) async throws -> String {
                let other = folder.appending(path: "other.yaml")
                try Data(change(text(file)).utf8).write(to: other)
                let log = folder.appending(path: "refusal")
                let process = try ServerProcess.launch(["serve", "--config", other.path], log: log)
                #expect(await process.ended() == .exited(1))
                return text(log)
            }
            #expect(try await refusal { $0 }.contains("another server has the database"))
            let elsewhere = folder.appending(path: "elsewhere").path
            let taken = try await refusal {
                $0.replacing("127.0.0.1, port: 0", with: "127.0.0.1, port: \(server.port)").replacing(
                    "\(folder.path)/users.db", with: elsewhere)
            }
            #expect(taken.contains("can't listen on 127.0.0.1:\(server.port)"), "\(taken)")
            server.kill()
            try Data("\(String(repeating: "A", count: 43))\n".utf8).write(to: folder.appending(path: "users.db.key"))
            #expect(try await refusal { $0 }.contains("the master key does not open the database"))
            try FileManager.default.removeItem(at: folder.appending(path: "users.db.key"))
            #expect(try await refusal { $0 }.contains("the master key file"))
            #expect(try await refusal { $0.replacing("clientID:", with: "clientId:") }.contains("clientID"))
        }
    }
    @Test func `says of a damaged store what it is and where`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let (file, folder) = try configuration(gatehouse, "damaged")
            let server = try await ServerProcess(configuration: file, log: folder.appending(path: "log"))
            server.signal(SIGTERM)
            #expect(await server.process.ended() == .exited(0))
            let database = folder.appending(path: "users.db")
            let sound = try Data(contentsOf: database)
            // The first page tells what the file is; without the others it is still a database.
            let pageSize = Int(sound[16]) << 8 | Int(sound[17])
            for (range, words) in [
                (0..<pageSize, "the file is no database"), (pageSize..<sound.count, "it is damaged"),
            ] {
                var damaged = sound
                damaged.replaceSubrange(range, with: Data(repeating: 0xFF, count: range.count))
                try damaged.write(to: database)
                let log = folder.appending(path: "refusal")
                let process = try ServerProcess.launch(["serve", "--config", file.path], log: log)
                #expect(await process.ended() == .exited(1))
                #expect(text(log).contains("the database \(database.path) can't be used: \(words)"), "\(text(log))")
            }
        }
    }
}

import EventLoop
import Foundation
import GatehouseTesting
import Glibc
import HTTPServer
import HTTPTesting
import Logging
import Patience
import SimulatedCarriers
import Synchronization
import Testing

@testable import Composition
@testable import System

@Suite struct `A service manager` {
    /// A folder whose paths are short enough for a socket's name.
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = URL(filePath: "/tmp/gh-\(UInt32.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    /// Runs `body` with the variables of a manager that listens, and the configuration of a server.
    private func managed(
        yaml more: String = "", _ body: (ServiceManagerStub, URL, URL) async throws -> Void
    ) async throws {
        try await RunningGatehouse.with { gatehouse in
            try await withFolder { folder in
                let stub = try ServiceManagerStub(in: folder)
                defer { stub.close() }
                let file = folder.appending(path: "gatehouse.yaml")
                let yaml = RunningGatehouse.yaml(gatehouse.simulation, folder, lameDuckSeconds: 0)
                try Data((yaml + more).utf8).write(to: file)
                try await body(stub, file, folder.appending(path: "log"))
            }
        }
    }

    // MARK: What it is told

    @Test func `hears that a server is ready, reads its configuration again, and stops`() async throws {
        try await managed { stub, file, log in
            let server = try await ServerProcess(
                configuration: file, log: log, environment: ["NOTIFY_SOCKET": stub.path])
            defer { server.kill() }
            try await eventually("ready") { stub.states.contains("READY=1") }
            #expect(stub.states.first?.hasPrefix("EXTEND_TIMEOUT_USEC=") == true)
            #expect(stub.messages.last == "READY=1\nSTATUS=listening on 127.0.0.1:\(server.port)")
            #expect(try await LoopbackClient(port: server.port).send("GET", "/healthz").status == 200)
            stub.forget()
            server.signal(SIGHUP)
            try await eventually("ready again") { stub.states.contains("READY=1") }
            #expect(stub.states == ["RELOADING=1", "READY=1"])
            let lines = try #require(stub.messages.first?.split(separator: "\n"))
            let time = try #require(lines.dropFirst().first?.wholeMatch(of: /MONOTONIC_USEC=(\d+)/))
            let now = MonotonicTime.now.nanoseconds / 1000
            #expect(try (now - 60_000_000...now).contains(#require(Int64(time.1))))
            stub.forget()
            server.signal(SIGTERM)
            #expect(await server.process.ended() == .exited(0))
            #expect(stub.states == ["STOPPING=1"])
            #expect(stub.messages[0].contains("EXTEND_TIMEOUT_USEC="))
        }
    }

    @Test func `hears that a server lives as often as it asks, and not what was meant for another process`()
        async throws
    {
        try await managed { stub, file, log in
            let variables = ["NOTIFY_SOCKET": stub.path, "WATCHDOG_USEC": "200000"]
            let server = try await ServerProcess(configuration: file, log: log, environment: variables)
            try await eventually("three words") { stub.states.count { $0 == "WATCHDOG=1" } >= 3 }
            server.kill()
            stub.forget()
            let other = try await ServerProcess(
                configuration: file, log: log,
                environment: variables.merging(["WATCHDOG_PID": "1", "LISTEN_PID": "1", "LISTEN_FDS": "7"]) { $1 })
            defer { other.kill() }
            try await eventually("ready") { stub.states.contains("READY=1") }
            other.signal(SIGTERM)
            #expect(await other.process.ended() == .exited(0))
            #expect(!stub.states.contains("WATCHDOG=1"))
        }
    }

    @Test func `does not hear of a process whose loop is stuck`() async throws {
        try await withFolder { folder in
            let stub = try ServiceManagerStub(in: folder)
            defer { stub.close() }
            let loop = try EventLoop(label: "stuck")
            loop.start()
            defer { loop.stop() }
            let manager = try ServiceManager(["NOTIFY_SOCKET": stub.path, "WATCHDOG_USEC": "100000"], process: 1)
            let stuck = DispatchSemaphore(value: 0)
            Task(executorPreference: loop) { _ = stuck.wait(timeout: .now() + 60) }
            let log = RecordedLog()
            let watchdog = Watchdog(manager: manager, loops: [loop], logger: log.logger)
            let running = Task { try await watchdog.run() }
            try await eventually("the watchdog's word") { log.text.contains("a loop takes up no work") }
            #expect(stub.states.isEmpty)
            stuck.signal()
            try await eventually("a sign of life") { stub.states.contains("WATCHDOG=1") }
            running.cancel()
            try await running.value
        }
    }

    // MARK: What it has opened

    @Test func `names the listener that a socket is for`() throws {
        func sockets(_ count: String, _ names: String?) throws -> InheritedSockets {
            var environment = ["LISTEN_PID": "77", "LISTEN_FDS": count]
            environment["LISTEN_FDNAMES"] = names
            return try InheritedSockets(environment, process: 77)
        }
        func numbers(_ sockets: InheritedSockets, _ listener: InheritedSockets.Listener) -> [Int32]? {
            guard case .inherited(let numbers) = sockets.place(of: listener, host: "::1", port: 1) else { return nil }
            return numbers
        }
        let several = try sockets("4", "http:redirect:http:admin")
        #expect(numbers(several, .http) == [3, 5] && numbers(several, .redirect) == [4])
        #expect(numbers(several, .admin) == [6] && numbers(several, .probes) == nil)
        #expect(throws: StartError.self) { try several.refuse(.redirect) }
        try several.refuse(.probes)
        // The only one is for apps, however its unit is called.
        for name in [nil, "gatehouse.socket", "http"] {
            #expect(numbers(try sockets("1", name), .http) == [3])
        }
        #expect(throws: InheritedSockets.Fault.self) { try sockets("2", "http:gatehouse.socket") }
        #expect(throws: InheritedSockets.Fault.self) { try sockets("2", nil) }
        #expect(throws: InheritedSockets.Fault.self) { try sockets("2", "http") }
        #expect(throws: InheritedSockets.Fault.self) { try sockets("-1", nil) }
        #expect(throws: InheritedSockets.Fault.self) { try sockets("many", nil) }
        #expect(numbers(try sockets("0", nil), .http) == nil)
    }

    @Test func `is told what of its sockets can't be served`() async throws {
        try await managed { _, file, log in
            let listening = try Listening()
            defer { listening.close() }
            for (name, told) in [
                ("redirect", "a socket is called redirect, and http.redirectPort is not set"),
                ("probes", "a socket is called probes, and nothing listens under that name"),
                ("web:http", "LISTEN_FDS is \"1\" beside 2 names in LISTEN_FDNAMES; it is to be their count"),
            ] {
                let process = try listening.launch(file, log, name: name)
                #expect(await process.ended() == .exited(1))
                #expect(try String(contentsOf: log, encoding: .utf8).contains(told))
            }
            // A file is no socket, and one end of a connection does not listen.
            let process = try listening.launch(
                file, log, name: "http", descriptor: unsafe open("/dev/null", O_RDWR | O_CLOEXEC))
            #expect(await process.ended() == .exited(1))
            #expect(try String(contentsOf: log, encoding: .utf8).contains("can't listen on"))
        }
    }

    @Test func `keeps connections for a server that is restarted under load, and none is refused`() async throws {
        try await managed { _, file, log in
            let listening = try Listening()
            defer { listening.close() }
            let callers = Callers(port: listening.port)
            let calling = Task { await callers.call() }
            for _ in 0..<5 {
                let process = try listening.launch(file, log, name: "http")
                try await callers.awaitAnswers(50)
                process.signal(SIGTERM)
                #expect(await process.ended() == .exited(0))
            }
            // Who waits now is answered by one that is started last.
            let last = try listening.launch(file, log, name: "http")
            defer { last.signal(SIGKILL) }
            try await callers.awaitAnswers(50)
            callers.end()
            await calling.value
            #expect(callers.failures == [])
        }
    }
}

/// A socket that listens before any server does, as a service manager's.
private struct Listening {
    let number: Int32
    let port: UInt16

    init() throws {
        let socket = try ListeningSocket(host: "127.0.0.1", port: 0, sharesPort: false)
        port = socket.address.port
        number = fcntl(socket.number, F_DUPFD_CLOEXEC, 100)
    }

    func close() { Glibc.close(number) }

    /// Starts a server that has it, under a name. A shell says which process it is for, and then is that process.
    func launch(_ configuration: URL, _ log: URL, name: String, descriptor: Int32? = nil) throws -> ChildProcess {
        try Data().write(to: log)
        return try ChildProcess(
            URL(filePath: "/bin/sh"),
            [
                "-c", "LISTEN_PID=$$ exec \"$0\" \"$@\"", ServerProcess.executable.path, "serve", "--config",
                configuration.path,
            ],
            environment: ["LISTEN_FDS": "1", "LISTEN_FDNAMES": name], errors: .file(log),
            inherited: [descriptor ?? number])
    }
}

/// Clients of which each asks again as soon as it is answered, over a connection of its own.
private final class Callers: Sendable {
    private let port: UInt16
    private let isOver = Atomic(false)
    private let answered = Atomic(0)
    private let failed = Mutex<[String]>([])

    init(port: UInt16) {
        self.port = port
    }

    var failures: [String] { failed.withLock(\.self) }

    func call() async {
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { await self.callUntilItIsOver() } }
        }
    }

    private func callUntilItIsOver() async {
        // Far more than there is time for.
        for _ in 0..<1_000_000 where !isOver.load(ordering: .relaxed) {
            do {
                let answer = try await LoopbackClient(port: port).send("GET", "/healthz")
                if answer.status != 200 { failed.withLock { $0.append("\(answer.status)") } }
                answered.add(1, ordering: .relaxed)
            } catch {
                failed.withLock { $0.append("\(error)") }
            }
        }
    }

    func end() { isOver.store(true, ordering: .relaxed) }

    func awaitAnswers(_ count: Int) async throws {
        let before = answered.load(ordering: .relaxed)
        try await eventually("answers") { self.answered.load(ordering: .relaxed) > before + count }
    }
}

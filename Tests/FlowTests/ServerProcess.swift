import Foundation
import GatehouseTesting
import Glibc
import Testing

/// The built executable as a process of its own, which can be killed.
struct ServerProcess {
    let process: ChildProcess
    let port: UInt16

    /// - Parameter descriptors: how many it may have open; nil for as many as this process.
    init(
        configuration: URL, log: URL, environment: [String: String] = [:], descriptors: Int? = nil
    ) async throws {
        process = try Self.launch(
            ["serve", "--config", configuration.path], log: log, environment: environment, descriptors: descriptors)
        for _ in 0..<3_000 {
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            if let address = text.firstMatch(of: /listening address=\S*:(\d+)/), let port = UInt16(address.1) {
                self.port = port
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        port = 0
        Issue.record("the server did not start")
    }

    /// Starts a server whose standard error is a pipe, which is read only until it says where it listens.
    init(configuration: URL, pipe: Pipe) async throws {
        process = try ChildProcess(
            Self.executable, ["serve", "--config", configuration.path],
            errors: .descriptor(pipe.fileHandleForWriting.fileDescriptor))
        try pipe.fileHandleForWriting.close()
        var text = ""
        while true {
            let data = pipe.fileHandleForReading.availableData
            text += String(decoding: data, as: UTF8.self)
            if let address = text.firstMatch(of: /listening address=(?:127\.0\.0\.1|\[::1\]):(\d+) loops/),
                let port = UInt16(address.1)
            {
                self.port = port
                return
            }
            if data.isEmpty { break }
        }
        port = 0
        Issue.record("the server did not start: \(text)")
    }

    /// The tests' own executable lies beside it.
    static let executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "gatehouse")

    /// Runs the executable with its standard error in a file.
    static func launch(
        _ arguments: [String], log: URL, environment: [String: String] = [:], descriptors: Int? = nil
    ) throws -> ChildProcess {
        // The file is there at once, for those who wait for a line in it.
        try Data().write(to: log)
        guard let descriptors else {
            return try ChildProcess(executable, arguments, environment: environment, errors: .file(log))
        }
        return try ChildProcess(
            URL(filePath: "/bin/sh"),
            ["-c", "ulimit -n \(descriptors); exec \"$0\" \"$@\"", executable.path] + arguments,
            environment: environment, errors: .file(log))
    }

    func signal(_ number: Int32) { process.signal(number) }

    /// Whether it ends by itself in that time; one that does not is killed.
    func ends(within time: Duration) async throws -> Bool {
        let deadline = ContinuousClock.now + time
        while process.isRunning {
            guard ContinuousClock.now < deadline else {
                kill()
                return false
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    func kill() {
        signal(SIGKILL)
        process.wait()
    }
}

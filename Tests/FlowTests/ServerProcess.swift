import Foundation
import Glibc
import Testing

/// The built executable as a process of its own, which can be killed.
struct ServerProcess {
    let process: Process
    let port: UInt16

    init(configuration: URL, log: URL) async throws {
        process = try Self.launch(["serve", "--config", configuration.path], log: log)
        for _ in 0..<500 {
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            if let address = text.firstMatch(of: /address=127\.0\.0\.1:(\d+)/), let port = UInt16(address.1) {
                self.port = port
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        port = 0
        Issue.record("the server did not start")
    }

    /// Runs the executable with its standard error in a file.
    static func launch(_ arguments: [String], log: URL) throws -> Process {
        let process = Process()
        // The tests' own executable lies beside it.
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "gatehouse")
        process.arguments = arguments
        try Data().write(to: log)
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        return process
    }

    func signal(_ number: Int32) { Glibc.kill(process.processIdentifier, number) }

    func kill() {
        signal(SIGKILL)
        process.waitUntilExit()
    }
}

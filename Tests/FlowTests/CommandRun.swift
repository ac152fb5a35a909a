import Foundation
import GatehouseTesting
import JSON
import SimulatedCarriers
import Testing

/// One run of the built executable, to its end.
struct CommandRun: Sendable {
    let status: Int32
    let output: String
    let errors: String

    /// - Parameters:
    ///   - input: what stands on standard input, through a pipe.
    ///   - environment: added to this process's own.
    ///   - limits: what the process may take, as options of prlimit(1), such as `--fsize=4096`.
    init(
        _ arguments: [String], input: String? = nil, environment: [String: String] = [:], limits: [String] = []
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (output, errors) = (folder.appending(path: "output"), folder.appending(path: "errors"))
        let pipe = Pipe()
        // Little enough for the pipe to take it at once.
        if let input { try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8)) }
        let process = try ChildProcess(
            limits.isEmpty ? ServerProcess.executable : URL(filePath: "/usr/bin/prlimit"),
            limits.isEmpty ? arguments : limits + [ServerProcess.executable.path] + arguments,
            environment: environment,
            input: .descriptor(pipe.fileHandleForReading.fileDescriptor),
            output: .file(output), errors: .file(errors))
        try pipe.fileHandleForWriting.close()
        switch await process.ended() {
        case .exited(let status): self.status = status
        case .signalled(let signal): status = 128 + signal
        }
        self.output = try String(contentsOf: output, encoding: .utf8)
        self.errors = try String(contentsOf: errors, encoding: .utf8)
    }

    var json: JSONValue { (try? JSONValue(parsing: Array(output.utf8))) ?? .null }
    var everything: String { output + errors }
}

extension RunningGatehouse {
    /// Runs a command on this server's store, beside it.
    func run(_ arguments: String..., input: String? = nil) async throws -> CommandRun {
        let file = folder.appending(path: "commands.yaml")
        try Data(RunningGatehouse.yaml(simulation, folder).utf8).write(to: file)
        return try await CommandRun(arguments + ["--config", file.path], input: input)
    }

    /// A file of users to import.
    func write(_ lines: [String], as name: String = "users.jsonl") throws -> String {
        let file = folder.appending(path: name)
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
        return file.path
    }

    /// A line of a user with subjects at the plain provider.
    func line(_ subjects: String..., more: String = "") -> String {
        let identities = subjects.map {
            #"{"provider":"plain","issuer":"\#(simulation.plain)","subject":"\#($0)"}"#
        }
        return #"{"identities":[\#(identities.joined(separator: ","))]\#(more)}"#
    }
}

import CSimulation
import Foundation
import Glibc
import Synchronization

/// What has happened, in words, and what of it must not.
final class Story: Sendable {
    private struct State {
        var lines: [(at: Int64, text: String)] = []
        var findings: [String] = []
        var counts: [String: Int] = [:]
    }

    /// How far back the story of a finding reaches, in nanoseconds.
    private static let reach: Int64 = 60_000_000_000
    private static let mostLines = 400

    private let state = Mutex(State())

    /// Something that people would tell of.
    func tell(_ text: String) {
        let now = simulation_now()
        state.withLock { state in
            state.lines.append((now, text))
            if state.lines.count > 2 * Self.mostLines { state.lines.removeFirst(Self.mostLines) }
        }
    }

    /// Counts something that has been reached.
    func count(_ name: String) { state.withLock { $0.counts[name, default: 0] += 1 } }

    /// Something that must not be. The last minute is told with the first of them.
    func find(_ text: String) {
        tell("FINDING: \(text)")
        let now = simulation_now()
        let lines = state.withLock { state in
            state.findings.append(text)
            return state.findings.count == 1 ? state.lines.filter { now - $0.at <= Self.reach } : []
        }
        for line in lines { Self.print("\(Self.time(line.at)) \(line.text)") }
    }

    var findings: [String] { state.withLock { $0.findings } }

    /// One line of JSON.
    func summary(seed: UInt64) -> String {
        let (findings, counts) = state.withLock { ($0.findings, $0.counts) }
        let members = counts.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return """
            {"seed":\(seed),"hash":"\(String(simulation_hash(), radix: 16))","steps":\(simulation_steps()),\
            "seconds":\(simulation_now() / 1_000_000_000),"lost_sectors":\(simulation_lost_sectors()),\
            "findings":\(findings.count),"reached":{\(members.joined(separator: ","))}}
            """
    }

    /// What commands print has been put aside.
    private static let output = dup(STDOUT_FILENO)

    /// Has standard output lead nowhere from now on, or to the file that `DEV_SIMULATION_OUTPUT` names, but for what is
    /// printed here.
    static func keepOutput() {
        let place = ProcessInfo.processInfo.environment["DEV_SIMULATION_OUTPUT"] ?? "/dev/null"
        let nowhere = unsafe open(place, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard output >= 0, nowhere >= 0 else { return }
        dup2(nowhere, STDOUT_FILENO)
        dup2(nowhere, STDERR_FILENO)
    }

    static func print(_ text: String) {
        var rest = Array((text + "\n").utf8)[...]
        while !rest.isEmpty {
            // Safe: the bytes live as long as the call.
            let count = unsafe rest.withUnsafeBytes { unsafe write(output, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func time(_ nanoseconds: Int64) -> String {
        let milliseconds = nanoseconds / 1_000_000
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.utf8.count) + rest
    }
}

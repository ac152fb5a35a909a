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
    /// How many findings are told.
    private static let mostFindings = 20

    /// Whether `DEV_SIMULATION_STORY` asks for the whole story, at once.
    private static let tellsAll = ProcessInfo.processInfo.environment["DEV_SIMULATION_STORY"] != nil

    private let state = Mutex(State())
    /// When it began, by the clock of the process.
    private let began = simulation_now()

    /// Something that people would tell of.
    func tell(_ text: String) {
        let now = simulation_now() - began
        if Self.tellsAll { Self.print("\(Self.time(now)) \(text)") }
        state.withLock { state in
            state.lines.append((now, text))
            if state.lines.count > 2 * Self.mostLines { state.lines.removeFirst(Self.mostLines) }
        }
    }

    /// Counts something that has been reached.
    func count(_ name: String) { state.withLock { $0.counts[name, default: 0] += 1 } }

    /// Something that must not be. The last minute is told with the first of them, and of the others what was found.
    func find(_ text: String) {
        tell("FINDING: \(text)")
        let now = simulation_now() - began
        let lines = state.withLock { state in
            state.findings.append(text)
            let lines = state.findings.count == 1 ? state.lines : state.lines.suffix(1)
            return state.findings.count <= Self.mostFindings ? lines.filter { now - $0.at <= Self.reach } : []
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
            "seconds":\((simulation_now() - began) / 1_000_000_000),"lost_sectors":\(simulation_lost_sectors()),\
            "findings":\(findings.count),"reached":{\(members.joined(separator: ","))}}
            """
    }

    /// What commands print has been put aside.
    private static let output = dup(STDOUT_FILENO)

    /// Has standard output lead nowhere from now on, but for what is printed here; with `DEV_SIMULATION_OUTPUT`, both
    /// outputs lead to the file that it names.
    static func keepOutput() {
        let place = ProcessInfo.processInfo.environment["DEV_SIMULATION_OUTPUT"]
        let other = unsafe open(place ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard output >= 0, other >= 0 else { return }
        dup2(other, STDOUT_FILENO)
        if place != nil { dup2(other, STDERR_FILENO) }
    }

    /// Has standard output lead where it led before.
    static func giveBackOutput() {
        fflush(nil)
        dup2(output, STDOUT_FILENO)
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

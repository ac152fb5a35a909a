import CSimulation
import Foundation

/// Runs the whole service in a world that one seed makes: `simulate SEED [SECONDS [FAULT…]]`.
///
/// The faults named are switched off: `kills`, `providers`, `network`, `disk`. It prints one line of JSON, and before
/// it the story of the first finding. The status is 1 where there is one.
@main
struct Simulate {
    private static let usage = "usage: simulate SEED [SECONDS [kills|providers|network|disk]...]\n"
    private static let usualSeconds: Int64 = 300

    static func main() {
        let words = CommandLine.arguments.dropFirst()
        let without = words.dropFirst(2).map { Plan.Fault(rawValue: $0) }
        let seconds = words.dropFirst().first.map { Int64($0) } ?? usualSeconds
        guard let seed = words.first.flatMap({ UInt64($0) }), let seconds, !without.contains(nil) else {
            FileHandle.standardError.write(Data(usage.utf8))
            exit(2)
        }
        simulation_begin(seed)
        let run = Run(seconds: seconds, without: Set(without.compactMap(\.self)))
        let end = Flag()
        Task {
            await run.run()
            end.set()
        }
        end.wait()
        print(run.story.summary(seed: seed))
        exit(run.story.findings.isEmpty ? 0 : 1)
    }
}

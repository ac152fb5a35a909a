import CSimulation
import Foundation

/// Runs the whole service in a world that one seed makes: `simulate SEED [SECONDS [FAULT…]]`.
///
/// `simulate call FLOW fails|fills|power|memory N` does one thing in a calm world, in which only the N-th call to the
/// disk, or the N-th allocation of SQLite, goes wrong.
///
/// The faults named are switched off: `kills`, `providers`, `network`, `disk`, `engine`, `pauses`, `commands`. It
/// prints one line of JSON, and before it the story of the first finding. The status is 1 where there is one.
@main
struct Simulate {
    private static let usage = """
        usage: simulate SEED [SECONDS [kills|providers|network|disk|engine|pauses|commands]...]
               simulate call FLOW fails|fills|power|memory N
        FLOW: \(ChosenCall.Flow.allCases.map(\.rawValue).joined(separator: ", "))

        """
    private static let usualSeconds: Int64 = 300
    /// Of so many worlds one is of instances that share a database, and the others of one server with a file.
    private static let seedsOfInstances: UInt64 = 50
    /// Of so many worlds everybody leaves one at the end; of so many, one is looked at a day later.
    private static let seedsOfLeaving: UInt64 = 10
    private static let seedsOfEmptying: UInt64 = 1000
    private static let instances = 3
    private static let rehearsal: Int64 = 5

    static func main() {
        rehearse()
        // Safe: the words are the process's own, and stay.
        unsafe simulation_each_world(CommandLine.argc, CommandLine.unsafeArgv)
        let words = (0..<simulation_word_count()).map { unsafe String(cString: simulation_word($0)) }
        if words.first == "call" { runCall(words) } else { runWorld(words) }
    }

    private static func fail(_ text: String = usage) -> Never {
        FileHandle.standardError.write(Data(text.utf8))
        exit(2)
    }

    /// Has this process, from which all worlds are made, do once what each of them does: what is loaded, looked up and
    /// worked out by then is so in all of them.
    private static func rehearse() {
        Story.keepOutput()
        simulation_begin(0)
        let run = Run(seconds: rehearsal, instances: nil, without: Set(Plan.Fault.allCases), farewell: .told)
        wait(run.run)
        simulation_end()
        Story.giveBackOutput()
        guard let finding = run.story.findings.first else { return }
        fail("the world before all others went wrong: \(finding)\n")
    }

    private static func runCall(_ words: [String]) {
        guard words.count == 4, let flow = ChosenCall.Flow(rawValue: words[1]),
            let fault = ChosenCall.Fault(rawValue: words[2]), let number = UInt64(words[3])
        else { fail() }
        Story.keepOutput()
        simulation_begin(number)
        let chosen = ChosenCall(flow: flow, fault: fault, number: number)
        end(seed: number, chosen.story, chosen.run)
    }

    private static func runWorld(_ words: [String]) {
        let without = words.dropFirst(2).map { Plan.Fault(rawValue: $0) }
        let seconds = words.dropFirst().first.map { Int64($0) } ?? usualSeconds
        guard let seed = words.first.flatMap({ UInt64($0) }), let seconds, !without.contains(nil) else { fail() }
        Story.keepOutput()
        simulation_begin(seed)
        let instances = seed % Self.seedsOfInstances == 0 ? Self.instances : nil
        if instances != nil, !Engine.isThere {
            fail("\(seed) is a world of instances: scripts/simulate has their engine\n")
        }
        let farewell: Run.Farewell =
            seed % Self.seedsOfEmptying == 1 ? .tillAllIsOver : seed % Self.seedsOfLeaving == 1 ? .told : .none
        let run = Run(
            seconds: seconds, instances: instances, without: Set(without.compactMap(\.self)), farewell: farewell)
        end(seed: seed, run.story, run.run)
    }

    /// Lets the world run to its end, and says what came of it.
    private static func end(seed: UInt64, _ story: Story, _ body: @escaping @Sendable () async -> Void) -> Never {
        wait(body)
        Story.print(story.summary(seed: seed))
        exit(story.findings.isEmpty ? 0 : 1)
    }

    private static func wait(_ body: @escaping @Sendable () async -> Void) {
        let end = Flag()
        Task {
            await body()
            end.set()
        }
        end.wait()
    }
}

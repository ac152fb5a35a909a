import ArgumentParser
import CSimulation
import EventLoop
import Foundation
import Operations
import Synchronization

/// The one who runs `gatehouse store …` and `gatehouse keys …`. Each command is a process of its own, and may be
/// killed.
final class Operator: Sendable {
    /// What came of a command.
    enum Outcome: Equatable {
        case done
        case failed(String)
        /// It was killed, and nobody knows how far it came.
        case killed
    }

    private struct Commands: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "gatehouse", subcommands: OperatorCommands.all)
    }

    private static let pause: Duration = .milliseconds(20)

    let configuration: String
    private let story: Story
    /// Those whose commands run.
    private let running = Mutex<Set<Int32>>([])

    /// - Parameter configuration: the server's file.
    init(configuration: String, story: Story) { (self.configuration, self.story) = (configuration, story) }

    /// Runs a command to its end, or until it is killed.
    ///
    /// - Parameters:
    ///   - limit: how long it may run before it is killed; nil for as long as it takes.
    ///   - begun: hears by which number it can be killed.
    func run(_ words: [String], killedAfter limit: Duration? = nil, begun: (Int32) -> Void = { _ in }) async -> Outcome
    {
        let owner = Owners.next()
        running.withLock { _ = $0.insert(owner) }
        defer { running.withLock { _ = $0.remove(owner) } }
        begun(owner)
        let hadCrashed = simulation_has_crashed()
        let outcome = Shared()
        Task { [configuration] in
            simulation_set_owner(owner)
            outcome.set(await Self.outcome(of: words + ["--config", configuration]))
        }
        let began = ContinuousClock.now
        while true {
            if let outcome = outcome.value { return tell(words, outcome) }
            if !running.withLock({ $0.contains(owner) }) || !hadCrashed && simulation_has_crashed() {
                return tell(words, .killed)
            }
            if let limit, ContinuousClock.now - began >= limit {
                simulation_kill(owner)
                return tell(words, .killed)
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Kills all commands, as the end of the machine does that they run on.
    func end() {
        let owners = running.withLock { running in
            defer { running = [] }
            return running
        }
        for owner in owners.sorted() { simulation_kill(owner) }
    }

    private static func outcome(of words: [String]) async -> Outcome {
        do {
            var command = try Commands.parseAsRoot(words)
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
            return .done
        } catch {
            return .failed(Commands.fullMessage(for: error))
        }
    }

    private func tell(_ words: [String], _ outcome: Outcome) -> Outcome {
        let command = words.prefix(2).joined(separator: " ")
        switch outcome {
        case .done:
            story.count("commands done: \(command)")
            story.tell("gatehouse \(command) is done")
        case .failed(let reason):
            story.count("commands refused")
            story.tell("gatehouse \(command) fails: \(reason)")
        case .killed:
            story.count("commands killed")
            story.tell("gatehouse \(command) is killed")
        }
        return outcome
    }

    private final class Shared: Sendable {
        private let outcome = Mutex<Outcome?>(nil)
        var value: Outcome? { outcome.withLock(\.self) }
        func set(_ value: Outcome) { outcome.withLock { $0 = value } }
    }
}

public import EventLoop
internal import Synchronization
internal import System

/// Whether the loops that answer apps take up work: one that is stuck answers nobody, and only a new process does.
public struct LoopPulse: Sendable {
    /// How long a loop may take to take up a job.
    private static let patience = Duration.seconds(1)
    private static let pause = Duration.milliseconds(2)

    private let loops: [EventLoop]

    public init(_ loops: [EventLoop]) {
        self.loops = loops
    }

    private final class Beats: Sendable {
        let count = Atomic<Int>(0)
    }

    /// Has each of them take up a job, and waits for it as long as that may take.
    package func areAlive(within patience: Duration = Self.patience) async -> Bool {
        let beats = Beats()
        for loop in loops {
            Task(executorPreference: loop) { beats.count.wrappingAdd(1, ordering: .relaxed) }
        }
        let end = MonotonicTime.now + patience
        while beats.count.load(ordering: .relaxed) < loops.count {
            guard MonotonicTime.now < end, !Task.isCancelled else { return false }
            try? await Task.sleep(for: Self.pause)
        }
        return true
    }
}

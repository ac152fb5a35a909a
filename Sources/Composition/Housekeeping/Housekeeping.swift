import Logging
import Synchronization
import System
import Wings

/// Does its jobs, each at its own intervals. None waits for another: one that takes long, hangs or fails holds up
/// nobody.
final class Housekeeping: Sendable {
    /// How often at most a job that goes on failing is told: one that runs every second or two would fill the log.
    private static let complaintInterval = Duration.seconds(60)

    private let jobs: [HousekeepingJob]
    private let clock: Clock
    private let logger: Logger
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let stopped = Atomic(false)

    /// - Parameter clock: what the jobs go by that remove what is old.
    init(_ jobs: [HousekeepingJob], clock: Clock, logger: Logger) {
        (self.jobs, self.clock, self.logger) = (jobs, clock, logger)
    }

    /// Works until ``stop()``.
    func run() async {
        let work = Task { [jobs, clock, logger] in
            await withTaskGroup(of: Void.self) { group in
                for job in jobs { group.addTask { await Self.repeatedly(job, clock, logger) } }
            }
        }
        task.withLock { $0 = work }
        if stopped.load(ordering: .sequentiallyConsistent) { work.cancel() }
        await work.value
    }

    /// Ends all jobs; what one of them is in the middle of is brought to its end.
    func stop() {
        stopped.store(true, ordering: .sequentiallyConsistent)
        task.withLock { $0 }?.cancel()
    }

    private static func repeatedly(_ job: HousekeepingJob, _ clock: Clock, _ logger: Logger) async {
        var toldAt: ContinuousClock.Instant?
        var watch = ClockWatch()
        while !Task.isCancelled {
            do {
                let isSteady = watch.isSteady(wall: clock.milliseconds, at: .now)
                if isSteady || !job.needsSteadyClock { try await job.work() }
                toldAt = nil
            } catch {
                let now = ContinuousClock.now
                // Who is told to stop may fail for that very reason.
                if !Task.isCancelled, toldAt.map({ now - $0 >= complaintInterval }) ?? true {
                    logger.warning("\(job.complaint)", metadata: ["reason": "\(error)"])
                    toldAt = now
                }
            }
            try? await Task.sleep(for: job.interval)
        }
    }
}

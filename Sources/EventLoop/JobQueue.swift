import Synchronization

/// The jobs a loop still has to run: its own, which need no lock, and those other threads hand over.
struct JobQueue: ~Copyable {
    private let remote = Mutex<[UnownedJob]>([])
    private var local: [UnownedJob] = []

    /// Adds a job of the loop itself.
    mutating func appendLocal(_ job: UnownedJob) {
        local.append(job)
    }

    /// Adds a job from any thread.
    ///
    /// - Returns: whether the loop must be woken: only the first job in an empty queue does that.
    borrowing func appendRemote(_ job: UnownedJob) -> Bool {
        remote.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
    }

    /// Moves everything that waits into `batch`, which must be empty; it keeps both buffers' memory in use.
    mutating func take(into batch: inout [UnownedJob]) {
        swap(&batch, &local)
        remote.withLock { jobs in
            guard !jobs.isEmpty else { return }
            batch.append(contentsOf: jobs)
            jobs.removeAll(keepingCapacity: true)
        }
    }

    borrowing func isEmpty() -> Bool {
        local.isEmpty && remote.withLock(\.isEmpty)
    }
}

import Synchronization

/// The jobs that other threads hand to a loop.
///
/// The loop's own jobs are not in here: they are changed without a lock, and a change of one value that holds both
/// would race with the other threads' reading of it.
struct RemoteJobs: ~Copyable {
    private let jobs = Mutex<[UnownedJob]>([])

    /// Adds a job.
    ///
    /// - Returns: whether the loop must be woken: only the first job in an empty queue does that.
    borrowing func append(_ job: UnownedJob) -> Bool {
        jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
    }

    /// Moves everything that waits to the end of `batch`; it keeps its memory.
    borrowing func take(into batch: inout [UnownedJob]) {
        jobs.withLock { jobs in
            guard !jobs.isEmpty else { return }
            batch.append(contentsOf: jobs)
            jobs.removeAll(keepingCapacity: true)
        }
    }

    /// Asked with every turn of a loop, so not with a key path: the runtime would make and follow one each time.
    borrowing func isEmpty() -> Bool { jobs.withLock { $0.isEmpty } }
}

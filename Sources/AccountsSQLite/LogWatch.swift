public import Accounts
import Glibc
import Synchronization

/// The log as it was last looked at.
struct LogWatch {
    /// Tells whether a file has changed, without opening it: closing it would drop the locks SQLite may hold on it.
    struct FileState: Equatable {
        let size: Int64
        let seconds: Int
        let nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            size = Int64(status.st_size)
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    private var state: FileState?
    private var groups = 0

    /// - Returns: whether the log has changed since the last look, and whether this process has written since then.
    mutating func look(_ path: String, groups: Int) -> (hasChanged: Bool, hasWritten: Bool) {
        let state = FileState(path)
        defer { (self.state, self.groups) = (state, groups) }
        return (state != self.state, groups != self.groups)
    }
}

extension SQLiteAccounts {
    /// Keeps the log in order while nobody signs in: what other processes write is copied back, and whom they erase is gone
    /// from it soon. To be called every second or so by the server; when nothing has happened it costs one system call.
    ///
    /// - Parameter now: seconds since 1970.
    public func tidyLog(now: Int64) async throws(RepositoryError) {
        let log = writer.log
        let groups = writer.counts.groups
        let (hasChanged, hasWritten) = logWatch.withLock { $0.look(resolved(settings.path) + "-wal", groups: groups) }
        if hasChanged {
            try await readers.read { connection throws(RepositoryError) in try log.noticeForeignChange(connection) }
        }
        if log.hasRemains.load(ordering: .relaxed) {
            _ = try await scrub()
        } else if hasChanged, !hasWritten {
            // A group of ours looks after the log by itself, so where there was none, one is made.
            try await probe(now: now)
        }
    }
}

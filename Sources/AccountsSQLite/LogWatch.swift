public import Accounts
import AccountsSQL
import CSQLite
import Synchronization
import System

/// The log as it was last looked at.
struct LogWatch {
    /// Of the log's file, asked for without opening it: closing it would drop the locks SQLite may hold on it.
    private var state: FileStatus?
    private var groups = 0

    /// - Returns: whether the log has changed since the last look, and whether this process has written since then.
    mutating func look(_ path: String, groups: Int) -> (hasChanged: Bool, hasWritten: Bool) {
        let state = try? FileStatus(of: path)
        defer { (self.state, self.groups) = (state, groups) }
        return (state != self.state, groups != self.groups)
    }
}

extension SQLiteAccounts {
    /// Keeps the log in order while nobody signs in: what other processes write is copied back, and whom they erase is
    /// gone from it soon. To be called every second or so by the server; when nothing has happened it costs one system
    /// call.
    ///
    /// - Parameter now: seconds since 1970.
    public func tidyLog(now: Int64) async throws(RepositoryError) {
        let log = writer.log
        let groups = writer.counts.groups
        let (hasChanged, hasWritten) = logWatch.withLock {
            $0.look(FileNames.resolved(settings.path) + "-wal", groups: groups)
        }
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

import Accounts
import AccountsSQL
import CSQLite
import Synchronization

/// Copies the write-ahead log back into the database, and empties it of who was erased: on the writer's connection,
/// between two groups.
///
/// SQLite up to 3.51.2 can lose what was committed when a checkpoint begins on a log that is all copied back while
/// another connection starts that log over (sqlite.org/wal.html §11). So one connection alone makes checkpoints: that
/// of the process which has the server lock; a tool takes the lock for one checkpoint, where no server has it. And it
/// makes one only right after a commit of its own: from then on the log has something that is not copied back, and
/// nobody else can start it over.
///
/// Nothing here waits for a reader, or for another process that writes.
// @unchecked: all but what is constant or atomic is touched on the writer's queue only.
final class LogKeeper: @unchecked Sendable {
    private static let shortestPause = Duration.milliseconds(10)
    private static let maximumPause = Duration.seconds(1)

    /// Whether the log may still have pages of somebody who was erased.
    let hasRemains = Atomic(false)
    private let path: String
    private let hasServerLock: Bool
    private let threshold: Int
    /// How long the log was after the last commit, and at what length it is copied back next.
    private var (length, due): (Int, Int)
    /// When the log may be emptied next.
    private var emptying = ContinuousClock.now
    private var pause = shortestPause
    /// Whether the mark of an erasure can be looked for: not before there are tables.
    private let isReady = Atomic(false)

    init(_ settings: SQLiteSettings) {
        path = settings.path
        hasServerLock = settings.access != .besideServer
        threshold = max(1, settings.checkpointPages)
        (length, due) = (0, threshold)
    }

    /// Looks whether an erasure is unfinished, by a process that is gone. Within the transaction that opens the store.
    func begin(_ connection: SQLiteConnection) throws(RepositoryError) {
        isReady.store(true, ordering: .relaxed)
        try noticeForeignChange(connection)
    }

    /// Looks whether another process has erased somebody.
    func noticeForeignChange(_ connection: SQLiteConnection) throws(RepositoryError) {
        guard isReady.load(ordering: .relaxed), try ErasureMark(connection: connection).count() != nil else { return }
        hasRemains.store(true, ordering: .relaxed)
    }

    /// Does what is due. To be called after every commit, when its callers have their answers.
    func tidy(_ connection: SQLiteConnection) {
        guard let pages = connection.log.takePages() else { return }
        // It was started over.
        if pages < length { due = threshold }
        length = pages
        if hasRemains.load(ordering: .relaxed) {
            if ContinuousClock.now >= emptying { empty(connection) }
        } else if pages >= due {
            // What a reader has kept from being copied back waits for the next time.
            due = pages + threshold
            _ = checkpoint(connection, SQLITE_CHECKPOINT_PASSIVE)
        }
    }

    /// Has the next ``tidy(_:)`` try to empty the log, however lately that failed.
    func hurry() { emptying = .now }

    /// Closes the connection; the log goes with the last one.
    func close(_ connection: inout SQLiteConnection?) {
        withServerLock {
            // A backup that was cut off may keep it longer than the lock.
            if isKnownUniquelyReferenced(&connection) { connection?.copyBackOnClose() }
            connection = nil
        }
        connection = nil
    }

    private func empty(_ connection: SQLiteConnection) {
        let isEmpty = connection.patience.suspended {
            do throws(RepositoryError) {
                let mark = ErasureMark(connection: connection)
                guard let count = try mark.count() else { return true }
                guard checkpoint(connection, SQLITE_CHECKPOINT_TRUNCATE) else { return false }
                return try mark.clear(count)
            } catch {
                // Whatever it is, the next write meets it too, and its caller is told.
                return false
            }
        }
        // What the mark's going has written is no reason for more.
        _ = connection.log.takePages()
        if isEmpty {
            hasRemains.store(false, ordering: .relaxed)
            (length, due, pause) = (0, threshold, Self.shortestPause)
            // It takes several syncs, during which sign-ins wait: many erasures in a row share them.
            emptying = .now + Self.maximumPause
        } else {
            emptying = .now + pause
            pause = min(pause * 2, Self.maximumPause)
        }
    }

    /// - Returns: whether it went as far as its mode says.
    private func checkpoint(_ connection: SQLiteConnection, _ mode: Int32) -> Bool {
        var isDone = false
        withServerLock { isDone = connection.patience.suspended { connection.checkpoint(mode) } }
        return isDone
    }

    /// Runs `body` unless a server has the lock, which keeps the log in order itself.
    private func withServerLock(_ body: () -> Void) {
        if hasServerLock { return body() }
        guard let lock = try? StoreLock(.server, database: path) else { return }
        body()
        withExtendedLifetime(lock) {}
    }
}

/// How long the write-ahead log is, as the commits of one connection leave it.
///
/// It belongs to that connection and is touched by its queue alone.
final class LogLength {
    private var pages: Int?

    /// Is told by SQLite from now on. It must outlive the connection.
    func attend(_ database: OpaquePointer) {
        // SQLite calls within a commit of the connection only, and this object is the connection's own.
        _ = unsafe sqlite3_wal_hook(
            database,
            { context, _, _, pages in
                guard let context = unsafe context else { return SQLITE_OK }
                unsafe Unmanaged<LogLength>.fromOpaque(context).takeUnretainedValue().pages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// - Returns: how many pages were in the log after the last commit that wrote any; nil when none did since this was
    ///   last asked.
    func takePages() -> Int? {
        defer { pages = nil }
        return pages
    }
}

extension SQLiteConnection {
    /// - Returns: whether it went as far as its mode says.
    fileprivate func checkpoint(_ mode: Int32) -> Bool {
        unsafe sqlite3_wal_checkpoint_v2(database, "main", mode, nil, nil) == SQLITE_OK
    }

    fileprivate func copyBackOnClose() {
        _ = unsafe csqlite_set_checkpoint_on_close(database, 1)
    }
}

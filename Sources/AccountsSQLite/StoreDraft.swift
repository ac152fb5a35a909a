import Accounts
import AccountsSQL
import Glibc
import System

/// A file beside the store that is to take its place, under a name of its own until then.
// @unchecked: it is used by one restore or compaction, step by step.
final class StoreDraft: @unchecked Sendable {
    private static let chunkBytes = 1 << 20
    private static let asideSuffix = "-examined"
    private static let journalMode = Query("PRAGMA journal_mode = DELETE")

    let path: String
    /// Held while it is filled where it is made beside a server; nil where the server's lock is enough.
    private let lock: File?
    private var isPublished = false

    /// Under the server's lock, so that there is one at a time.
    init(beside database: String) {
        path = Self.path(beside: database)
        lock = nil
        Self.removeLeftovers(beside: database)
    }

    /// Under a name of its own, for what is looked at and takes nothing's place. What a process that is gone has left
    /// is removed by the next one.
    init(asideOf database: String) throws(RepositoryError) {
        do throws(SystemError) {
            let made = try BackupDraft.make(for: FileNames.resolved(database) + Self.asideSuffix)
            path = made.path
            lock = .some(made.file)
        } catch {
            throw .unavailable(error.unavailability)
        }
    }

    deinit { discard() }

    /// Removes it unless it has taken the store's place. Only when nothing reads or writes it any more.
    func discard() {
        if !isPublished { Self.remove(path) }
    }

    /// Removes what a process that is gone has left: it may hold somebody who was erased. Under the server's lock.
    static func removeLeftovers(beside database: String) { remove(path(beside: database)) }

    private static func path(beside database: String) -> String { FileNames.resolved(database) + "-draft" }

    private static func remove(_ path: String) {
        for suffix in ["", "-journal", "-wal", "-shm"] { try? FileNames.remove(path + suffix) }
    }

    /// Copies a file, and a log that lies beside it; neither is opened for writing.
    ///
    /// - Throws: `.noStore` when there is no such file.
    func copy(_ file: String, progress: (_ done: Int, _ total: Int) -> Void) throws(RepositoryError) {
        guard FileNames.exists(file) else { throw .notOpened(.noStore) }
        do throws(SystemError) {
            try Self.copy(file, to: path, isThere: lock != nil, progress)
            if FileNames.exists(file + "-wal") {
                try Self.copy(file + "-wal", to: path + "-wal", isThere: false) { _, _ in }
            }
        } catch {
            throw .unavailable(error.unavailability)
        }
    }

    /// Opens it as one file, once it is known to be a store of ours and whole.
    ///
    /// - Throws: `.noStore`, `.newerSchema`, `.unavailable`.
    func open(_ settings: SQLiteSettings) throws(RepositoryError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, isWritable: true, busyTimeout: settings.busyTimeout)
        try connection.setCommonOptions(settings, cacheKiB: settings.writerCacheKiB)
        try connection.keepTemporaryTables(inMemory: false)
        try Schema.check(connection)
        _ = try Schema.isCurrent(connection)
        guard try connection.first(Self.journalMode, read: { $0.text(0) }) == "delete" else {
            throw .unavailable(.cannotOpen)
        }
        // Until it is published it is worth nothing, and then it is on disk.
        try connection.execute(
            "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;"
        )
        return connection
    }

    /// Puts it in the store's place. With no connection open, and under both locks.
    ///
    /// - Returns: where the former store is; nil where nothing was kept.
    func publish(_ kind: Replacement, at database: String) throws(ReplacementError) -> String? {
        do throws(SystemError) { try FileNames.sync(path) } catch { throw .notBegun(error.unavailability) }
        let former = try kind.publish(path, at: database)
        isPublished = true
        return former
    }

    private static func copy(
        _ source: String, to target: String, isThere: Bool, _ progress: (_ done: Int, _ total: Int) -> Void
    ) throws(SystemError) {
        let from = try File(source, O_RDONLY)
        let to = try File(target, isThere ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL)
        let size = Int(try from.status().size)
        var chunk = [UInt8](repeating: 0, count: chunkBytes)
        var done = 0
        while true {
            let count = try from.read(into: &chunk)
            if count == 0 { return }
            try to.write(chunk.span.extracting(0..<count))
            done += count
            progress(done, size)
        }
    }
}

public import Accounts
import AccountsSQL
import Dispatch
import Glibc
import System

/// Why a file is not in the store's place.
enum ReplacementError: Error, Equatable {
    /// And nothing has changed.
    case notBegun(Unavailability)
    /// But it is decided, and who opens the store next goes on.
    case unfinished(Unavailability)
}

/// Puts another file in the place of the store, so that a crash leaves the old store or the new one, and never one with
/// the log of the other.
///
/// What is to come lies, whole and on disk, beside the store under a name that says what it is. With that name it is
/// decided: the next process that opens the store, under the server's lock, does what is left of ``finish(_:)``, each
/// step of which may be done again. Until then everything is as it was.
enum Replacement: String, CaseIterable {
    /// A backup. The former store is kept under a name with the time.
    case restored = "-restored"
    /// The store itself without its free pages. Nothing is kept.
    case compacted = "-compacted"

    static func isUnfinished(_ path: String) -> Bool {
        allCases.contains { FileNames.exists(FileNames.resolved(path) + $0.rawValue) }
    }

    /// Decides that a file, which is on disk, takes the store's place. Under both locks, with no connection open.
    ///
    /// - Returns: where the former store is; nil where nothing was kept.
    func publish(_ draft: String, at path: String) throws(ReplacementError) -> String? {
        let path = FileNames.resolved(path)
        do throws(SystemError) {
            try FileNames.rename(draft, to: path + rawValue)
        } catch {
            throw .notBegun(error.unavailability)
        }
        do throws(SystemError) {
            try FileNames.syncFolder(of: path)
            return try finish(path)
        } catch {
            throw .unfinished(error.unavailability)
        }
    }

    /// Does what was decided. Under both locks, with no connection open.
    static func finish(_ path: String) throws(RepositoryError) {
        let path = FileNames.resolved(path)
        do throws(SystemError) {
            for kind in allCases where FileNames.exists(path + kind.rawValue) { _ = try kind.finish(path) }
        } catch {
            throw .unavailable(error.unavailability)
        }
    }

    private func finish(_ path: String) throws(SystemError) -> String? {
        let coming = path + rawValue
        let former = try formerName(path, coming)
        // The store with its log first: one without the other would be less than it was.
        if let former {
            try unless(EEXIST) { () throws(SystemError) in try FileNames.link(path, as: former) }
            try unless(ENOENT) { () throws(SystemError) in
                try FileNames.rename(path + "-wal", to: former + "-wal")
            }
        }
        for suffix in ["-wal", "-shm", "-journal"] {
            try unless(ENOENT) { () throws(SystemError) in try FileNames.remove(path + suffix) }
        }
        // The log's name is gone from the disk before the new store has its own.
        try FileNames.syncFolder(of: path)
        try FileNames.rename(coming, to: path)
        try FileNames.syncFolder(of: path)
        return former
    }

    /// The same name however often it is asked for: it has the time at which the new file was written.
    private func formerName(_ path: String, _ coming: String) throws(SystemError) -> String? {
        guard self == .restored, FileNames.exists(path) else { return nil }
        let status = try FileStatus(of: coming)
        return "\(path)-former-\(status.changedSeconds).\(status.changedNanoseconds)"
    }

    private func unless(_ code: Int32, _ body: () throws(SystemError) -> Void) throws(SystemError) {
        do throws(SystemError) { try body() } catch { if error.code != code { throw error } }
    }
}

/// What is done to a store that nobody has open.
extension SQLiteAccounts {
    /// Puts a backup in the place of the store, or where there is none. Every number that was given since the backup
    /// stays unused, and what the ledger tells is done to it again. Whatever is wrong changes nothing; a crash leaves
    /// the old store or the restored one.
    ///
    /// - Parameters:
    ///   - settings: where the store is.
    ///   - now: seconds since 1970.
    ///   - unlockKeyRing: opens the stored data keys with the master key.
    ///   - progress: called now and then, on any thread.
    public static func restore(
        _ request: RestoreRequest, in settings: SQLiteSettings, now: Int64, unlockKeyRing: @escaping KeyRingUnlocker,
        progress: @escaping @Sendable (ReplacementProgress) -> Void = { _ in }
    ) async throws(RestoreError) -> RestoreOutcome {
        let restore = Restore(
            settings: settings, request: request, now: now, unlock: unlockKeyRing, progress: progress,
            origin: AuditContext.current)
        let result: Result<RestoreOutcome, RestoreError>
        do throws(RepositoryError) {
            result = try await alone(settings) { Result { () throws(RestoreError) in try restore.run() } }
        } catch {
            throw .store(error)
        }
        return try result.get()
    }

    /// Writes the store anew without free pages, which leaves nothing of who was erased. Whatever is wrong changes
    /// nothing; a crash leaves the store as it was or compacted.
    public static func compact(
        _ settings: SQLiteSettings, unlockKeyRing: @escaping KeyRingUnlocker,
        progress: @escaping @Sendable (ReplacementProgress) -> Void = { _ in }
    ) async throws(CompactError) -> CompactOutcome {
        let compaction = Compaction(settings: settings, unlock: unlockKeyRing, progress: progress)
        let result: Result<CompactOutcome, CompactError>
        do throws(RepositoryError) {
            result = try await alone(settings) { Result { () throws(CompactError) in try compaction.run() } }
        } catch {
            throw .store(error)
        }
        return try result.get()
    }

    /// Does something on a thread of its own while nobody has the store open.
    private static func alone<Value: Sendable>(
        _ settings: SQLiteSettings, _ body: @escaping @Sendable () -> Value
    ) async throws(RepositoryError) -> Value {
        let lock = try await StoreLock.take(.server, database: settings.path, within: settings.busyTimeout)
        let use = try await StoreLock.take(.replacement, database: settings.path, within: settings.busyTimeout)
        let value = await withCheckedContinuation { continuation in
            DispatchQueue(label: "gatehouse.store.replacement").async { continuation.resume(returning: body()) }
        }
        withExtendedLifetime((lock, use)) {}
        return value
    }
}

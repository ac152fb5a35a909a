public import Accounts
import Dispatch

/// What is done to a store that nobody has open.
extension SQLiteAccounts {
    /// Puts a backup in the place of the store, or where there is none. Every number that was given since the backup stays
    /// unused, and what the ledger tells is done to it again. Whatever is wrong changes nothing; a crash leaves the old store
    /// or the restored one.
    ///
    /// - Parameters:
    ///   - settings: where the store is.
    ///   - now: seconds since 1970.
    ///   - unlockKeyRing: opens the stored data keys with the master key.
    ///   - progress: called now and then, on any thread.
    public static func restore(
        _ request: RestoreRequest, in settings: SQLiteSettings, now: Int64, unlockKeyRing: @escaping KeyRingUnlocker,
        progress: @escaping @Sendable (ReplacementProgress) -> Void = { _ in }
    ) async throws(RestoreFailure) -> RestoreOutcome {
        let restore = Restore(
            settings: settings, request: request, now: now, unlock: unlockKeyRing, progress: progress)
        let result: Result<RestoreOutcome, RestoreFailure>
        do throws(RepositoryError) {
            result = try await alone(settings) { Result { () throws(RestoreFailure) in try restore.run() } }
        } catch {
            throw .store(error)
        }
        return try result.get()
    }

    /// Writes the store anew without free pages, which leaves nothing of who was erased. Whatever is wrong changes nothing; a
    /// crash leaves the store as it was or compacted.
    public static func compact(
        _ settings: SQLiteSettings, unlockKeyRing: @escaping KeyRingUnlocker,
        progress: @escaping @Sendable (ReplacementProgress) -> Void = { _ in }
    ) async throws(CompactFailure) -> CompactOutcome {
        let compaction = Compaction(settings: settings, unlock: unlockKeyRing, progress: progress)
        let result: Result<CompactOutcome, CompactFailure>
        do throws(RepositoryError) {
            result = try await alone(settings) { Result { () throws(CompactFailure) in try compaction.run() } }
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

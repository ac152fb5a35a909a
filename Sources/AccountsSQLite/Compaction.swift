public import Accounts
import AccountsSQL
import System

/// What came of a compaction, in bytes.
public struct CompactOutcome: Sendable, Equatable {
    public var (before, after): (Int64, Int64)
}

/// Why nothing was compacted. But for `.unfinished` nothing has changed.
public enum CompactError: Error, Equatable, Sendable {
    /// `.inUse` while somebody has the store open, `.noStore`, `.wrongMasterKey`, `.newerSchema`, `.unavailable`.
    case store(RepositoryError)
    /// The new file is examined and takes the store's place when that is next opened, or compacted: so far something is
    /// in the way.
    case unfinished(Unavailability)
    /// The copy takes up to so many bytes, and so many are free.
    case noRoom(needed: Int64, free: Int64)
    /// The store does not hold; each in one sentence.
    case damaged([String])
}

/// Writes the store anew without its free pages. The new file takes the place of the old one when it is examined;
/// nothing of who was erased comes along.
struct Compaction {
    private static let into = Query("VACUUM INTO ?")
    private static let used = Query(
        """
        SELECT (SELECT * FROM pragma_page_size) * ((SELECT * FROM pragma_page_count) - (SELECT * FROM pragma_freelist_count))
        """)
    private static let all = Query("SELECT (SELECT * FROM pragma_page_size) * (SELECT * FROM pragma_page_count)")

    let settings: SQLiteSettings
    let unlock: KeyRingUnlocker
    let progress: @Sendable (ReplacementProgress) -> Void

    /// Under both locks.
    func run() throws(CompactError) -> CompactOutcome {
        let draft = StoreDraft(beside: settings.path)
        try attempt { () throws(RepositoryError) in
            try Replacement.finish(settings.path)
            guard FileNames.exists(settings.path) else { throw .notOpened(.noStore) }
        }
        let outcome = try copy(to: draft)
        do throws(ReplacementError) {
            _ = try draft.publish(.compacted, at: settings.path)
        } catch {
            switch error {
            case .notBegun(let reason): throw .store(.unavailable(reason))
            case .unfinished(let reason): throw .unfinished(reason)
            }
        }
        return outcome
    }

    private func copy(to draft: StoreDraft) throws(CompactError) -> CompactOutcome {
        let store = try attempt { () throws(RepositoryError) in try SQLiteConnection.writer(settings) }
        let (needed, size) = try attempt { () throws(RepositoryError) in
            _ = try Schema.isCurrent(store)
            return (try store.first(Self.used) { $0.integer(0) } ?? 0, try store.first(Self.all) { $0.integer(0) } ?? 0)
        }
        let free = try attempt { () throws(RepositoryError) in try freeBytes() }
        guard free > needed else { throw .noRoom(needed: needed, free: free) }
        let findings = try attempt { () throws(RepositoryError) in
            try store.tellingLimits { () throws(RepositoryError) in try store.run(Self.into, draft.path) }
            let sealer = StoreSealer(unlock)
            let copy = try draft.open(settings)
            guard try Schema.isCurrent(copy) else { return [] as [String] }
            try Schema.add(settings.tables, copy)
            try KeyRingRows(connection: copy).open(sealer)
            return try SQLiteAccounts.examine(copy, sealer, settings.tables) { [progress] in
                progress(.examined($0, of: $1))
            }
        }
        guard findings.isEmpty else { throw .damaged(findings) }
        let after = try attempt { () throws(RepositoryError) in
            do throws(SystemError) {
                return try FileStatus(of: draft.path).size
            } catch {
                throw .unavailable(error.unavailability)
            }
        }
        return CompactOutcome(before: size, after: after)
    }

    /// What is free where the store lies.
    private func freeBytes() throws(RepositoryError) -> Int64 {
        do throws(SystemError) {
            return try FileNames.freeBytes(at: FileNames.resolved(settings.path))
        } catch {
            throw .unavailable(error.unavailability)
        }
    }

    private func attempt<Value>(_ body: () throws(RepositoryError) -> Value) throws(CompactError) -> Value {
        do throws(RepositoryError) { return try body() } catch { throw .store(error) }
    }
}

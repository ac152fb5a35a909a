public import Accounts
import AccountsSQL
import System

/// What a backup is, as a restore would find it.
public struct BackupJudgement: Sendable, Equatable {
    /// How many steps of the schema it has; a restore takes the others.
    public let schema: Int
    public let users: Int
    /// What is wrong with it, each in one sentence.
    public let findings: [String]
}

extension SQLiteAccounts {
    /// Examines a backup as a restore would, beside a server or without one. It is only read: what is examined is a
    /// copy beside the store, which is removed again.
    ///
    /// - Parameter progress: called now and then, on any thread.
    /// - Throws: `.backup` where it can't be taken at all.
    public static func judge(
        backup: String, for settings: SQLiteSettings, unlockKeyRing: @escaping KeyRingUnlocker,
        progress: @escaping @Sendable (ReplacementProgress) -> Void = { _ in }
    ) async throws(RestoreError) -> BackupJudgement {
        let sealer = StoreSealer(unlockKeyRing)
        do throws(RepositoryError) {
            let draft = try StoreDraft(asideOf: settings.path)
            // The closures that hold it too end on other threads, maybe later: it is gone when this has returned.
            defer { draft.discard() }
            return try await aside("gatehouse.store.backup.judge") { () throws(RepositoryError) in
                try draft.copy(backup) { progress(.copied($0, of: $1)) }
                return try draft.open(settings)
            } body: { connection throws(RepositoryError) in
                let schema = try Schema.current(connection)
                let findings = try examine(draft: connection, settings, sealer) { progress(.examined($0, of: $1)) }
                return BackupJudgement(schema: schema, users: try connection.userCount(), findings: findings)
            }
        } catch {
            throw .backup(error)
        }
    }

    /// Brings the copy of a backup up to date, in a transaction that stays open, and examines it.
    ///
    /// - Returns: what is wrong with it, each in one sentence.
    static func examine(
        draft connection: SQLiteConnection, _ settings: SQLiteSettings, _ sealer: StoreSealer,
        _ progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) throws(RepositoryError) -> [String] {
        try connection.execute("BEGIN IMMEDIATE")
        _ = try Schema.migrate(connection)
        try Schema.add(settings.tables, connection)
        try KeyRingRows(connection: connection).open(sealer)
        return try examine(connection, sealer, settings.tables, progress)
    }
}

import Accounts
import AccountsSQL
import System

/// The copy of a store of an earlier version that is made before it is brought up to date, since an earlier version
/// can't open it any more: `store restore` of that version puts the copy back. There is one of each schema: a start
/// that fails, and is tried again and again, fills no disk.
enum EarlierCopy {
    /// Nobody waits behind a step: this is before anything is served.
    private static let pagesPerStep: Int32 = 4096
    private static let quickCheck = Query("PRAGMA quick_check(1)")

    /// - Parameter connection: the one that writes, outside of a transaction.
    /// - Returns: where the copy is; nil where the store is new or of this version.
    /// - Throws: `.notOpened(.noEarlierCopy)`.
    static func make(_ connection: SQLiteConnection, of path: String) throws(RepositoryError) -> String? {
        guard try Schema.isBehind(connection) else { return nil }
        let copy = "\(FileNames.resolved(path))-schema-\(try Schema.current(connection))"
        do throws(RepositoryError) {
            let file = try BackupFile(for: copy, replaces: true)
            let pages = try PageCopy(from: connection, to: try file.target())
            while try pages.step(pages: pagesPerStep) {}
            pages.finish()
            let copied = try file.settled()
            guard try copied.first(quickCheck, read: { $0.text(0) }) == "ok" else { throw .unavailable(.corrupt) }
            try file.publish()
            return copy
        } catch {
            guard case .unavailable(let reason) = error else { throw error }
            throw .notOpened(.noEarlierCopy(reason))
        }
    }
}

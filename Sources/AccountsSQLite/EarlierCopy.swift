import Accounts
import AccountsSQL
import System

/// The copy of a store of an earlier version that is made before it is brought up to date, since an earlier version
/// can't open it any more: `store restore` of that version puts the copy back.
enum EarlierCopy {
    /// Between looks at whether others write, who there are none of: the server has its lock.
    private static let pagesPerStep: Int32 = 4096
    private static let quickCheck = Query("PRAGMA quick_check(1)")

    /// - Parameters:
    ///   - connection: the one that writes, outside of a transaction.
    ///   - now: seconds since 1970.
    /// - Returns: where the copy is; nil where the store is new or of this version.
    /// - Throws: `.notOpened(.noEarlierCopy)`.
    static func make(
        _ connection: SQLiteConnection, of path: String, now: Int64
    ) throws(RepositoryError) -> String? {
        guard try Schema.isBehind(connection) else { return nil }
        let copy = "\(FileNames.resolved(path))-schema-\(try Schema.current(connection))-\(now)"
        do throws(RepositoryError) {
            // Two starts within a second: the first has made it, or it has failed and left nothing.
            if FileNames.exists(copy) { return copy }
            let file = try BackupFile(for: copy)
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

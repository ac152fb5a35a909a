import Accounts
import AccountsSQL
import CSQLite

/// A copy of a database into an empty one, a few pages at a time.
///
/// What the source's own connection writes meanwhile goes into the copy too. When any other connection writes, the copy
/// begins anew with its next step, unless the source's connection has a transaction open.
// @safe: the handle is the object's own, which keeps both connections, and never leaves it.
// @unchecked: it is used on the queue of the source's connection, and when that is closed by nobody else.
@safe final class PageCopy: @unchecked Sendable {
    private let source: SQLiteConnection
    private let target: SQLiteConnection
    private var handle: OpaquePointer?
    /// How often it began anew.
    private(set) var restarts = 0
    private(set) var copied = 0
    private(set) var total = 0

    init(from source: SQLiteConnection, to target: SQLiteConnection) throws(RepositoryError) {
        guard let handle = unsafe sqlite3_backup_init(target.database, "main", source.database, "main") else {
            throw .unavailable(Unavailability(resultCode: unsafe sqlite3_extended_errcode(target.database)))
        }
        (self.source, self.target) = (source, target)
        unsafe self.handle = handle
    }

    deinit { finish() }

    /// - Returns: whether more is to be copied.
    func step(pages: Int32) throws(RepositoryError) -> Bool {
        let code = unsafe sqlite3_backup_step(handle, pages)
        guard code == SQLITE_OK || code == SQLITE_DONE else { throw .unavailable(Unavailability(resultCode: code)) }
        total = unsafe Int(sqlite3_backup_pagecount(handle))
        let copied = unsafe total - Int(sqlite3_backup_remaining(handle))
        if code == SQLITE_OK, copied <= self.copied { restarts += 1 }
        self.copied = copied
        return code == SQLITE_OK
    }

    /// Lets go of both databases; what is not whole by then never will be.
    func finish() {
        guard let ended = unsafe handle else { return }
        unsafe handle = nil
        _ = unsafe sqlite3_backup_finish(ended)
    }
}

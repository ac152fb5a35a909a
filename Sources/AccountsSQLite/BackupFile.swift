import Accounts
import AccountsSQL
import Glibc
import System

/// The file that a backup is made in, under a name of its own until it is whole.
// @unchecked: a backup's steps come one after the other, and the connection is used in one at a time.
final class BackupFile: @unchecked Sendable {
    private static let anything = Query("SELECT count(*) FROM sqlite_schema")
    private static let journalMode = Query("PRAGMA journal_mode = DELETE")

    private let path: String
    private let replaces: Bool
    /// Where it is until it has its name: a whole path, for others who are to find it.
    let draft: String
    private let lock: File
    private var connection: SQLiteConnection?

    /// - Parameter replaces: whether it takes the place of a file of that name.
    /// - Throws: `.fileExists`; `.unavailable` where it can't be made.
    init(for path: String, replaces: Bool = false) throws(RepositoryError) {
        guard replaces || !FileNames.exists(path) else { throw .notOpened(.fileExists) }
        (self.path, self.replaces) = (path, replaces)
        do throws(SystemError) {
            let made = try BackupDraft.make(for: path)
            draft = FileNames.resolved(made.path)
            lock = made.file
        } catch {
            throw .unavailable(error.unavailability)
        }
    }

    deinit { discard() }

    /// Takes the draft's name away. Only when nothing reads or writes it any more.
    func discard() {
        connection = nil
        BackupDraft.remove(draft)
    }

    /// The connection to copy into.
    func target() throws(RepositoryError) -> SQLiteConnection {
        let target = try Self.target(at: draft)
        connection = target
        return target
    }

    /// A connection to copy into an empty file.
    static func target(at path: String) throws(RepositoryError) -> SQLiteConnection {
        let target = try SQLiteConnection(path: path, isWritable: true)
        // It is on disk or gone when it is published, and until then worth nothing.
        try target.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;")
        return target
    }

    /// Makes one file of the copy, which says of itself that it has a log, as the store has.
    ///
    /// - Returns: a connection that reads it.
    func settled() throws(RepositoryError) -> SQLiteConnection {
        // Where the server has filled it there is none yet.
        let target = if let connection { connection } else { try Self.target(at: draft) }
        // Only who has read it knows that it says so.
        _ = try target.first(Self.anything) { $0.integer(0) }
        guard try target.first(Self.journalMode, read: { $0.text(0) }) == "delete" else {
            throw .unavailable(.inputOutput)
        }
        connection = nil
        return try SQLiteConnection(path: draft, isWritable: false)
    }

    /// Gives the file its name once it is on disk, unless somebody else took the name and is not to be replaced.
    func publish() throws(RepositoryError) {
        do throws(SystemError) {
            try FileNames.sync(draft)
            if replaces { try FileNames.rename(draft, to: path) } else { try FileNames.link(draft, as: path) }
            try FileNames.syncFolder(of: path)
        } catch {
            throw error.code == EEXIST ? .notOpened(.fileExists) : .unavailable(error.unavailability)
        }
    }
}

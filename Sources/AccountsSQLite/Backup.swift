public import Accounts
import Glibc

extension SQLiteAccounts {
    private static let copy = Query("VACUUM INTO ?")

    /// Copies the store, as of one moment, into a new file, while it serves. The copy has the data keys, sealed under the
    /// master key as ever, and not the master key.
    ///
    /// The whole copy is one read. The online backup of SQLite works in steps instead, but starts over whenever somebody
    /// else writes, which in a busy store is always; and it copies the pages of what was erased.
    ///
    /// - Parameter path: a file that must not exist, in a folder that must. It gets its name when it is whole and on
    ///   disk.
    /// - Throws: `.fileExists`; `.unavailable`.
    public func backup(to path: String) async throws(RepositoryError) {
        let settings = settings
        try await aside("gatehouse.store.backup") { () throws(RepositoryError) in
            try Connection.reader(settings)
        } body: { connection throws(RepositoryError) in
            let draft = "\(path).\(UInt64.random(in: 0 ... .max))"
            defer { _ = unsafe Glibc.unlink(draft) }
            try makeDraft(draft, of: path)
            try connection.run(Self.copy, draft)
            try publish(draft, as: path)
        }
    }
}

/// Made beforehand, since SQLite would give it the mode of any file.
private func makeDraft(_ draft: String, of path: String) throws(RepositoryError) {
    guard unsafe access(path, F_OK) != 0 else { throw .fileExists }
    do throws(SystemFailure) {
        close(try systemCall { unsafe open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) })
    } catch {
        throw .unavailable(error.unavailability)
    }
}

/// Gives the file its name once it is on disk, unless somebody else took the name meanwhile.
private func publish(_ draft: String, as path: String) throws(RepositoryError) {
    do throws(SystemFailure) {
        try sync(draft, flags: O_RDONLY)
        try systemCall { unsafe link(draft, path) }
        try sync(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", flags: O_RDONLY | O_DIRECTORY)
    } catch {
        throw error.code == EEXIST ? .fileExists : .unavailable(error.unavailability)
    }
}

private func sync(_ path: String, flags: Int32) throws(SystemFailure) {
    let descriptor = try systemCall { unsafe open(path, flags | O_CLOEXEC) }
    defer { close(descriptor) }
    try systemCall { fsync(descriptor) }
}

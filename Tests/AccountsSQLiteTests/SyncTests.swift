import Accounts
import CSQLite
import Synchronization
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

/// Counts how often SQLite has the file system put a connection's files on disk, by standing before the method that
/// does.
private enum SyncCount {
    // @safe: the function is SQLite's own, which stays as long as the library.
    @safe private struct Entry {
        var count = 0
        let original: @convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32
    }

    // By the address of the open file, which is SQLite's and stays as long as the connection.
    private static let entries = Mutex<[UInt: Entry]>([:])

    /// - Returns: the file's key.
    static func watch(_ connection: SQLiteConnection, _ which: Int32) throws -> UInt {
        var pointer: UnsafeMutablePointer<sqlite3_file>?
        guard unsafe sqlite3_file_control(connection.database, "main", which, &pointer) == SQLITE_OK,
            let file = unsafe pointer, let original = unsafe file.pointee.pMethods?.pointee.xSync
        else { throw FileFailure.cannotOpen }
        let key = UInt(bitPattern: file)
        entries.withLock { $0[key] = unsafe Entry(original: original) }
        // Never freed: SQLite calls through it to the end.
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        if let found = unsafe file.pointee.pMethods { unsafe methods.initialize(to: found.pointee) }
        unsafe methods.pointee.xSync = { file, flags in
            let key = UInt(bitPattern: file)
            let entry = SyncCount.entries.withLock { entries in
                entries[key]?.count += 1
                return entries[key]
            }
            return unsafe entry?.original(file, flags) ?? SQLITE_IOERR
        }
        unsafe file.pointee.pMethods = UnsafePointer(methods)
        return key
    }

    static func take(_ key: UInt) -> Int {
        entries.withLock { entries in
            defer { entries[key]?.count = 0 }
            return entries[key]?.count ?? -1
        }
    }
}

@Suite struct `Putting on disk` {
    let folder = TemporaryFolder()

    private func watch(_ store: SQLiteAccounts) async throws -> (log: UInt, database: UInt) {
        // The log's file is open once something was written.
        try await store.probe(now: 1)
        let keys = Mutex<(UInt, UInt)>((0, 0))
        try await store.writer.between { connection throws(RepositoryError) in
            do {
                let found = (
                    try SyncCount.watch(connection, SQLITE_FCNTL_JOURNAL_POINTER),
                    try SyncCount.watch(connection, SQLITE_FCNTL_FILE_POINTER)
                )
                keys.withLock { $0 = found }
            } catch {
                throw .unavailable(.cannotOpen)
            }
        }
        return keys.withLock { $0 }
    }

    @Test func `takes one sync a commit, however many share it`() async throws {
        let store = try await folder.open { $0.checkpointPages = 1_000_000 }
        let files = try await watch(store)
        for number in 0..<10 {
            _ = try await store.signedIn(Sample.signIn(Sample.subject("\(number)")))
            #expect(SyncCount.take(files.log) == 1)
        }
        let before = store.writer.counts
        await withTaskGroup { group in
            for number in 0..<64 {
                group.addTask { _ = try? await store.signedIn(Sample.signIn(Sample.subject("many \(number)"))) }
            }
        }
        let after = store.writer.counts
        #expect(after.writes - before.writes == 64)
        #expect(SyncCount.take(files.log) == after.groups - before.groups)
        #expect(after.groups - before.groups < 64)
        #expect(SyncCount.take(files.database) == 0)
        await store.close()
    }

    @Test func `putting on disk of the database comes with checkpoints alone`() async throws {
        let store = try await folder.open { $0.checkpointPages = 1 }
        let files = try await watch(store)
        _ = SyncCount.take(files.log)
        _ = SyncCount.take(files.database)
        _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
        try await store.writer.between { _ in }
        // The header of a log that is started over, the commit, and the log once more before it is copied.
        #expect(SyncCount.take(files.log) == 3)
        #expect(SyncCount.take(files.database) == 1)
        await store.close()
    }
}

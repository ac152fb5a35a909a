internal import AccountsSQL
internal import AccountsSQLite
internal import Crypto
internal import Glibc
internal import Sealing

/// A folder of its own, on the disk where the working directory is: memory would make durable writes too cheap.
struct TemporaryFolder {
    struct CannotBeMade: Error {}

    let path: String

    init() throws {
        path = "benchmarks-\(UInt64.random(in: 0 ... .max))"
        guard unsafe mkdir(path, 0o700) == 0 else { throw CannotBeMade() }
    }

    var database: String { path + "/gatehouse.db" }

    /// Removes the folder and the files a store makes.
    func remove() {
        for suffix in ["", "-wal", "-shm", "-server", "-open", "-ledger"] { unsafe unlink(database + suffix) }
        unsafe rmdir(path)
    }
}

/// An empty repository with a key ring of its own.
func openRepository(in folder: TemporaryFolder) async throws -> SQLiteAccounts {
    try await SQLiteAccounts.open(
        SQLiteSettings(path: folder.database, access: .server, tables: .own), now: Carrier.now,
        unlockKeyRing: KeyRing.unlocker(masterKey: .generate(), now: Carrier.now))
}

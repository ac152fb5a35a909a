internal import Accounts
internal import AccountsSQL
internal import AccountsSQLite
internal import Crypto
import Glibc
internal import Sealing

/// A repository in a folder of its own, which goes with it.
final class TemporaryStore: Sendable {
    let repository: SQLiteAccounts
    private let folder: String

    init() async throws(RepositoryError) {
        folder = "/tmp/gatehouse-stage-\(UInt64.random(in: 0 ... .max))"
        unsafe mkdir(folder, 0o700)
        repository = try await SQLiteAccounts.open(
            SQLiteSettings(path: folder + "/gatehouse.db", access: .server, tables: .tested, readers: 1),
            now: SigningProvider.now,
            unlockKeyRing: KeyRing.unlocker(masterKey: .generate(), now: SigningProvider.now))
    }

    deinit {
        Task { [repository, folder] in
            await repository.close()
            for name in ["", "-wal", "-shm", "-server", "-open", "-ledger"] {
                unsafe unlink(folder + "/gatehouse.db" + name)
            }
            unsafe rmdir(folder)
        }
    }
}

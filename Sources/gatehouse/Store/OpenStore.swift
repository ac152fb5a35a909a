import Accounts
import AccountsSQLite
import Crypto
import Glibc
import Sealing
import Settings
internal import System

/// The configured store, opened with its master key.
struct OpenStore: Sendable {
    let repository: SQLiteAccounts
    let masterKey: SymmetricKey
    let path: String

    /// Has SQLite keep what it sorts, while it brings a store up to date, beside the database: it is what the database holds and
    /// may be as large, and `/tmp` is often small, in memory, or others'. Whoever sets `SQLITE_TMPDIR` knows a better place.
    ///
    /// It changes the environment, so it is for the beginning of a process.
    static func keepTemporaryFiles(beside storage: Settings.Storage) {
        guard case .file(let path) = storage.url else { return }
        EnvironmentVariables.setIfMissing("SQLITE_TMPDIR", to: FileNames.folder(of: path))
    }

    /// - Parameters:
    ///   - access: a server makes the store on its first start, and the master key beside it; with a master key of the
    ///     operator's it makes one only where `storage.create` says so. A tool makes neither.
    ///   - now: seconds since 1970.
    static func open(
        _ storage: Settings.Storage, as access: SQLiteSettings.Access, now: Int64
    ) async throws(StartError) -> OpenStore {
        guard case .file(let path) = storage.url else { throw .unsupportedStorage }
        let isServer = access == .server
        // Without a store there is no master key either, and the store is what is missing.
        let isThere = FileNames.exists(path)
        guard isServer || isThere else { throw .storage(path: path, .notOpened(.noStore)) }
        let masterKey: SymmetricKey
        do throws(MasterKey.ReadError) {
            masterKey = try MasterKey.load(
                path: storage.masterKeyFile ?? path + ".key",
                madeWith: isServer && storage.masterKeyFile == nil ? path : nil)
        } catch {
            throw .masterKey(error)
        }
        if !isThere, let named = storage.masterKeyFile, !storage.create {
            throw .missingStore(path: path, masterKeyFile: named)
        }
        do throws(RepositoryError) {
            let repository = try await SQLiteAccounts.open(
                SQLiteSettings(path: path, access: access), now: now,
                unlockKeyRing: KeyRing.unlocker(masterKey: masterKey, now: now))
            return OpenStore(repository: repository, masterKey: masterKey, path: path)
        } catch {
            throw .storage(path: path, error)
        }
    }
}

import Accounts
import AccountsSQL
import AccountsSQLite
import Composition
import Crypto
import Glibc
import Sealing
import Settings
import System
import Wings

/// The configured store and its master key, for what is done while nobody has the store open.
struct ClosedStore {
    let settings: SQLiteSettings
    let unlock: KeyRingUnlocker

    /// - Parameter now: seconds since 1970.
    init(_ storage: Settings.Storage, now: Int64) throws(StartError) {
        // A file that reaches the limit of its size is an error of that write, as a full disk is.
        IgnoredSignals.add(SIGXFSZ)
        OpenStore.keepTemporaryFiles(beside: storage)
        guard case .file(let path) = storage.url else { throw .onlyFiles }
        let masterKey: SymmetricKey
        do throws(MasterKey.ReadError) {
            masterKey = try MasterKey.load(path: storage.masterKeyFile ?? path + ".key", madeWith: nil)
        } catch {
            throw .masterKey(error)
        }
        settings = SQLiteSettings(path: path, access: .insteadOfServer, tables: try StoreTables(of: Wing.all))
        unlock = KeyRing.unlocker(masterKey: masterKey, now: now)
    }
}

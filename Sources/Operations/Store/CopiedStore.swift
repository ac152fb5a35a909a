import Accounts
import AccountsPostgres
import AccountsSQL
import AccountsSQLite
import Composition
import Crypto
import EventLoop
import Postgres
import Settings
internal import System

/// One of the two stores of a copy, by what a command was told of it.
struct CopiedStore {
    enum Use {
        /// It is copied, and neither made nor changed but for what a server does as it starts.
        case source(KeyRingUnlocker)
        /// It is filled.
        case target
    }

    /// Why none can be opened by this.
    enum Fault: Error, CustomStringConvertible {
        case notALocation
        case address(ConnectionStringError)

        var description: String {
            switch self {
            case .notALocation: "is neither file:PATH nor postgres://USER@HOST/DATABASE"
            case .address(.malformed): "is no address that libpq understands"
            case .address(.namesService): "names a service; put there what the service file says"
            }
        }
    }

    private enum Location {
        case file(String)
        case postgres(ConnectionString)
    }

    /// A whole table may have to be counted, and nobody waits for an answer.
    private static let statementTimeout = Duration.seconds(3600)
    /// A server that is restarted is waited for, and one that is not there is told of.
    private static let outageTimeout = Duration.seconds(10)
    private static let pageConnections = 2

    private let location: Location
    private let dialect: Dialect
    private let tables: StoreTables

    /// - Parameters:
    ///   - storage: whose password goes with its own address, and with no other.
    ///   - tables: those of the wings too, or a copy would leave out what they keep.
    init(_ text: String, _ storage: Settings.Storage, _ tables: StoreTables) throws(Fault) {
        self.tables = tables
        dialect = Dialect(storage.dialect)
        switch StorageLocation(text) {
        case .file(let path): location = .file(path)
        case .postgres(let address):
            var password: Secret?
            if case .postgres(let configured) = storage.url, configured.revealedText == text {
                password = storage.password
            }
            do throws(ConnectionStringError) {
                location = .postgres(try ConnectionString(address.revealedText, password: password?.revealedText))
            } catch {
                throw .address(error)
            }
        case nil: throw .notALocation
        }
    }

    /// Named in messages about what is wrong with it.
    var place: String {
        switch location {
        case .file(let path): path
        case .postgres(let address): address.place
        }
    }

    /// The master key's, where nobody has named another.
    var keyFile: String? {
        if case .file(let path) = location { path + ".key" } else { nil }
    }

    /// Has SQLite keep what it sorts beside the file, as a server does.
    func keepTemporaryFiles() {
        guard case .file(let path) = location else { return }
        EnvironmentVariables.setIfMissing("SQLITE_TMPDIR", to: FileNames.folder(of: path))
    }

    /// - Parameters:
    ///   - loop: for connections to a server.
    ///   - now: seconds since 1970.
    func open(
        as use: Use, on loop: EventLoop, now: Int64
    ) async throws(RepositoryError) -> any SQLStore {
        switch (location, use) {
        case (.file(let path), .source(let unlock)):
            return try await SQLiteAccounts.open(
                SQLiteSettings(path: path, access: .insteadOfServer, tables: tables), now: now, unlockKeyRing: unlock)
        case (.file(let path), .target):
            return try await SQLiteAccounts.openToFill(path, tables: tables, now: now)
        case (.postgres(let address), .source(let unlock)):
            return try await PostgresAccounts.open(settings(address, loop), now: now, unlockKeyRing: unlock)
        case (.postgres(let address), .target):
            return try await PostgresAccounts.openToFill(settings(address, loop))
        }
    }

    private func settings(_ address: ConnectionString, _ loop: EventLoop) -> PostgresSettings {
        PostgresSettings(
            address: address, loops: [loop], dialect: dialect, mayCreate: false, tables: tables,
            limits: PoolLimits(connections: Self.pageConnections),
            statementTimeout: Self.statementTimeout, transactionTimeout: Self.statementTimeout,
            outageTimeout: Self.outageTimeout)
    }
}

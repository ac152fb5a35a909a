package import Accounts
package import AccountsPostgres
package import AccountsSQL
package import AccountsSQLite
package import Crypto
package import EventLoop
import Glibc
import Postgres
import Sealing
package import Settings
import System
package import Telemetry
package import Wings

/// The configured store, opened with its master key.
package struct OpenStore: Sendable {
    /// Who opens it.
    package enum Use: Sendable {
        /// A server makes the store on its first start; with a master key of the operator's only where `storage.create`
        /// says so.
        /// - Parameter loops: those that its connections are on, where it is a database server.
        case server(loops: [EventLoop])
        /// A tool makes none, and has a loop of its own where it takes one.
        case tool
        /// A tool that makes what is missing of a database's tables.
        case migration
        /// A tool that has a database go on which nobody is to be served from.
        case recovery
    }

    package let repository: any AccountRepository
    /// The same where it is a database server's.
    package var database: PostgresAccounts? { repository as? PostgresAccounts }
    /// The same where it is a file, with what can be done to a file only.
    let file: SQLiteAccounts?
    package let masterKey: SymmetricKey
    /// Whether this process has made it just now.
    let isNew: Bool
    /// The file, or the database and its server, named in messages about what is wrong with it.
    package let place: String
    /// The tool's own.
    private let loop: EventLoop?

    /// Has SQLite keep what it sorts, while it brings a store up to date, beside the database: it is what the database
    /// holds and may be as large, and `/tmp` is often small, in memory, or others'. An operator who sets
    /// `SQLITE_TMPDIR` knows a better place.
    ///
    /// It changes the environment, so it is for the beginning of a process.
    package static func keepTemporaryFiles(beside storage: Settings.Storage) {
        guard case .file(let path) = storage.url else { return }
        EnvironmentVariables.setIfMissing("SQLITE_TMPDIR", to: FileNames.folder(of: path))
    }

    /// - Parameters:
    ///   - tables: those of the wings too, or what they keep would be lost with the data key that sealed it.
    ///   - formerIssuers: by which users are found who were stored before an issuer changed its name.
    ///   - now: seconds since 1970.
    ///   - observers: hear of the store's steps.
    ///   - audit: hears of what the audit trail gets.
    package static func open(
        _ storage: Settings.Storage, tables: StoreTables, formerIssuers: FormerIssuers, for use: Use, now: Int64,
        observers: Observers = .none, audit: (any AuditObserver)? = nil
    ) async throws(StartError) -> OpenStore {
        switch storage.url {
        case .file(let path):
            try await open(file: path, storage, tables, formerIssuers, for: use, now: now, observers, audit)
        case .postgres(let address):
            try await open(postgres: address, storage, tables, formerIssuers, for: use, now: now, observers, audit)
        }
    }

    /// Where there is room for what a tool sets aside: beside the file.
    package var folder: String { file == nil ? "." : FileNames.folder(of: place) }

    /// The file.
    ///
    /// - Throws: `.onlyFiles` where the store is none.
    package func onlyFile() throws(StartError) -> SQLiteAccounts {
        guard let file else { throw .onlyFiles }
        return file
    }

    /// The settings as they are meant for this store: in one that is older than a key, a section that says nothing of
    /// it means what it meant then.
    ///
    /// - Returns: beside them, what operators are to be told of that.
    package func meaning(of settings: Settings) async throws(StartError) -> (
        settings: Settings, notices: [SettingsNotice]
    ) {
        var meant = settings
        let isOlder: Bool
        do throws(RepositoryError) {
            isOlder = try await repository.hasOlderDefaults()
            meant.settle(subject: try await repository.subjectForm(settings.session.chosenSubjects))
        } catch {
            throw .storage(place: place, error)
        }
        guard isOlder else { return (meant, []) }
        do throws(SettingsError) { try meant.makeWhatIsServed(writtenBefore: true) } catch { throw .settings(error) }
        return (meant, meant.noticesOfEarlierMeanings())
    }

    package func close() async {
        await repository.close()
        loop?.stop()
    }

    private static func open(
        file path: String, _ storage: Settings.Storage, _ tables: StoreTables, _ formerIssuers: FormerIssuers,
        for use: Use, now: Int64, _ observers: Observers, _ audit: (any AuditObserver)?
    ) async throws(StartError) -> OpenStore {
        let isServer = if case .server = use { true } else { false }
        // Without a store there is no master key either, and the store is what is missing.
        let isThere = FileNames.exists(path)
        guard isServer || isThere else { throw .storage(place: path, .notOpened(.noStore)) }
        if isThere, (try? FileStatus(of: path))?.isFolder == true { throw .folder(path: path) }
        let masterKey = try masterKey(
            storage.masterKeyFile ?? path + ".key", madeWith: storage.masterKeyFile == nil ? path : nil)
        if !isThere, let named = storage.masterKeyFile, !storage.create {
            throw .missingStore(place: path, masterKeyFile: named)
        }
        do throws(RepositoryError) {
            let repository = try await SQLiteAccounts.open(
                SQLiteSettings(
                    path: path, access: isServer ? .server : .besideServer, tables: tables,
                    formerIssuers: formerIssuers, requestTimeout: .seconds(storage.requestSeconds),
                    operationsPerRow: storage.operationsPerRow, copiesBeforeUpdate: storage.copyBeforeUpdate,
                    auditObserver: audit, observers: observers),
                now: now,
                unlockKeyRing: KeyRing.unlocker(masterKey: masterKey, now: now))
            return OpenStore(
                repository: repository, file: repository, masterKey: masterKey, isNew: !isThere, place: path, loop: nil)
        } catch {
            throw .storage(place: path, error)
        }
    }

    private static func open(
        postgres address: Secret, _ storage: Settings.Storage, _ tables: StoreTables, _ formerIssuers: FormerIssuers,
        for use: Use, now: Int64, _ observers: Observers, _ audit: (any AuditObserver)?
    ) async throws(StartError) -> OpenStore {
        let string: ConnectionString
        do throws(ConnectionStringError) {
            string = try ConnectionString(address.revealedText, password: storage.password?.revealedText)
        } catch {
            throw .databaseAddress(error)
        }
        // The settings' rules have made sure that it is named.
        let masterKey = try masterKey(storage.masterKeyFile ?? "", madeWith: nil)
        let (loops, own) = try loops(for: use)
        let mayCreate =
            switch use {
            case .server: storage.create
            case .tool, .recovery: false
            case .migration: true
            }
        let ledger = try await ledger(storage.ledger, on: loops[0])
        var settings = PostgresSettings(string, storage, tables, loops: loops, mayCreate: mayCreate)
        settings.formerIssuers = formerIssuers
        settings.observers = observers
        settings.auditObserver = audit
        settings.ledger = ledger
        if case .recovery = use { settings.isFenced = false }
        do throws(RepositoryError) {
            let repository = try await PostgresAccounts.open(
                settings, now: now, unlockKeyRing: KeyRing.unlocker(masterKey: masterKey, now: now))
            return OpenStore(
                repository: repository, file: nil, masterKey: masterKey, isNew: repository.isNew, place: string.place,
                loop: own)
        } catch {
            own?.stop()
            if error == .notOpened(.noStore), own == nil, let named = storage.masterKeyFile {
                throw .missingStore(place: string.place, masterKeyFile: named)
            }
            throw .storage(place: string.place, error)
        }
    }

    private static func ledger(
        _ location: StorageLocation?, on loop: EventLoop
    ) async throws(StartError) -> (any StoreLedger)? {
        switch location {
        case nil: return nil
        case .file(let path): return FileLedger(path: path)
        case .postgres(let address):
            let string: ConnectionString
            do throws(ConnectionStringError) {
                string = try ConnectionString(address.revealedText, password: nil)
            } catch {
                throw .databaseAddress(error)
            }
            let ledger = PostgresLedger(string, loop: loop)
            do throws(RepositoryError) { try await ledger.open() } catch {
                await ledger.close()
                throw .storage(place: "the ledger at \(string.place)", error)
            }
            return ledger
        }
    }

    private static func loops(for use: Use) throws(StartError) -> (loops: [EventLoop], own: EventLoop?) {
        switch use {
        case .server(let loops): return (loops, nil)
        case .tool, .migration, .recovery:
            do throws(SystemError) {
                let loop = try EventLoop(label: "store")
                loop.start()
                return ([loop], loop)
            } catch {
                throw .system(error)
            }
        }
    }

    private static func masterKey(_ path: String, madeWith store: String?) throws(StartError) -> SymmetricKey {
        do throws(MasterKey.ReadError) {
            return try MasterKey.load(path: path, madeWith: store)
        } catch {
            throw .masterKey(error)
        }
    }
}

extension PostgresSettings {
    /// How many callers a connection serves at a time: what a sign-in waits behind, and what is lost with it.
    private static let callersPerConnection = 32
    private static let waitingCallers = 8192
    /// Of Dispatch's threads, which others need too.
    private static let mostThreads = 32
    private static let clockSkewByTime = 2
    /// Half a minute after a cut the server has let go of what it held for us.
    private static let serverKeepalive = Duration.seconds(10)

    init(
        _ address: ConnectionString, _ storage: Settings.Storage, _ tables: StoreTables, loops: [EventLoop],
        mayCreate: Bool
    ) {
        self.init(
            address: address, loops: loops, dialect: Dialect(storage.dialect), mayCreate: mayCreate, tables: tables,
            limits: PoolLimits(
                connections: storage.connections, callersPerConnection: Self.callersPerConnection,
                waitingCallers: Self.waitingCallers, longestAdmission: .milliseconds(storage.queueMilliseconds),
                connectTimeout: .seconds(storage.connectSeconds),
                outagePatience: .seconds(storage.requestSeconds),
                keepsStatements: storage.preparedStatements,
                // Other engines end a session for a setting that they do not know.
                serverKeepalive: storage.dialect == .postgresql ? Self.serverKeepalive : nil),
            lockTimeout: .milliseconds(storage.lockWaitMilliseconds), waitingConnections: storage.lockConnections,
            operationsPerRow: storage.operationsPerRow,
            // So many as there are transactions at a time, or none would be worth its connection.
            waitingThreads: min(storage.connections * loops.count, Self.mostThreads),
            statementTimeout: .seconds(storage.statementSeconds),
            transactionTimeout: .seconds(2 * storage.statementSeconds),
            // What is put in order by time waits for the slowest clock.
            clockSkewSeconds: Int64(
                storage.dialect == .distributed
                    ? min(storage.clockSkewSeconds, Self.clockSkewByTime) : storage.clockSkewSeconds),
            requestTimeout: .seconds(storage.requestSeconds))
    }
}

extension StoreTables {
    /// Those of every store, and those that wings bring.
    package convenience init(of wings: [Wing]) throws(StartError) {
        do throws(TableFault) { try self.init(adding: wings.flatMap(\.tables)) } catch { throw .table(error) }
    }
}

extension Dialect {
    package init(_ setting: StorageDialect) {
        self =
            switch setting {
            case .postgresql: .postgresql
            case .distributed: .distributed
            }
    }
}

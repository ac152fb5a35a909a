/// Why a repository could not do what it was asked. Nothing of what was asked has then happened; or, where it says
/// `uncertain`, all of it or nothing.
public enum RepositoryError: Error, Equatable, Sendable {
    /// The store can't work now; it recovers by itself when the cause goes.
    case unavailable(Unavailability)
    /// The stored keys can't be opened: not the master key they were sealed under.
    case wrongMasterKey
    /// A text that was to be stored, or looked for, holds what no text of a store holds: a NUL. It came through a door
    /// that should have refused it.
    case unstorableText
    /// The store is not open, and can't be opened.
    case notOpened(StoreOpenError)
}

/// What can go wrong when a store is opened, made or replaced, beside its not working at all. It does not befall one
/// that is open.
public enum StoreOpenError: Error, Equatable, Sendable {
    /// A later version made this store; going back is not possible.
    case newerSchema(found: Int64, known: Int64)
    /// The ledger beside the store tells of changes that the store knows nothing of: it is an older copy, which
    /// somebody has put in the store's place.
    case olderThanLedger
    /// There is no store at that place, and nobody but a server makes one.
    case noStore
    /// It is of an earlier version, and could not be copied before it is changed.
    case noEarlierCopy(Unavailability)
    /// What was to be made is there already, and nothing is overwritten.
    case fileExists
    /// Another server has this store open.
    case inUse
    /// It was being filled with what another store has, which did not come to its end.
    case unfinishedCopy
    /// Its tables were made for another kind of engine.
    case otherDialect
    /// Users are there whom apps know by a `sub` of another form than the one that is wanted.
    case otherSubjects(found: SubjectForm, wanted: SubjectForm, users: Int64)
    /// The database holds its texts in another encoding than UTF-8, which has no place for most of what people are
    /// called.
    case otherEncoding(found: String)
    /// The database server is older than the oldest that this version works with.
    case olderServer(found: String, least: String)
    /// It was to be filled, and has something already.
    case notEmpty
}

/// What keeps a store from working.
public enum Unavailability: Error, Equatable, Sendable {
    case diskFull
    case readOnly
    /// Another process holds the lock.
    case locked
    case corrupt
    case notADatabase
    case cannotOpen
    case inputOutput
    case outOfMemory
    /// More is waiting than the configured limit.
    case overloaded
    case closed
    /// A sealed value does not open: it was changed, moved, or its key is missing.
    case brokenSeal
    /// There is no way to the database server, or it is not there.
    case cannotConnect(ConnectionFault)
    /// What stands before the database server does not take a session's settings.
    case settingsRefused
    /// The database server has no room for another connection.
    case tooManyConnections
    /// The way to the store has ended, or the time was over, before its answer came.
    case uncertain
    /// This machine's clock and the database server's are too far apart for what expires.
    case clock
    /// The database lacks something that was acknowledged; what, where that is known.
    case behind(StoreRegression?)
    /// Anything else, by the engine's own code.
    case engine(code: Int32)
    /// Anything else, by the database server's own code (SQLSTATE).
    case server(sqlState: String)
}

extension Unavailability: CustomStringConvertible {
    /// What an operator must know, as the end of a sentence about the store.
    public var description: String {
        switch self {
        case .diskFull: "the disk is full"
        case .readOnly: "it is read-only"
        case .locked: "another process holds its lock"
        case .corrupt: "it is damaged; restore a backup"
        case .notADatabase: "the file is no database of this service, or damaged"
        case .cannotOpen: "the file can't be opened"
        case .inputOutput: "reading or writing it fails"
        case .outOfMemory: "memory has run out"
        case .overloaded: "more is waiting than may wait"
        case .closed: "it is closed"
        case .brokenSeal: "a sealed value does not open"
        case .cannotConnect(let fault): fault.rawValue
        case .settingsRefused:
            "a pooler before the database server refuses the session's settings: pgbouncer takes them with "
                + "ignore_startup_parameters = options"
        case .tooManyConnections: "the database server takes no more connections than it has (max_connections)"
        case .uncertain: "the store has not answered in time; what was asked of it may have happened"
        case .clock:
            "the clocks of this machine and of the database server differ by more than storage.clockSkewSeconds"
        case .behind(let regression):
            "it lacks what was acknowledged: \(regression?.description ?? "another server has more"); give it back the "
                + "server that has everything, or run gatehouse store recovered on the one that is to go on"
        case .server(let state): ServerState.sentence(of: state)
        case .engine(let code): "the engine reports \(code)"
        }
    }
}

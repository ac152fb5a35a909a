/// What the server says is wrong: its SQLSTATE (PostgreSQL manual, appendix A), by name where somebody here acts on it.
///
/// The server's messages are not kept: they quote values.
public enum SQLState: Error, Equatable, Sendable {
    /// Another transaction came first, and this one must be run again (40001).
    case serializationFailure
    /// Two transactions waited for each other, and this one gave way (40P01).
    case deadlock
    /// A row with such a key is there; the constraint's name says which key (23505).
    case uniqueViolation(constraint: String)
    /// The server, or the transaction, takes no changes (25006): mostly a standby.
    case readOnly
    /// The server is being stopped, or somebody has ended this session (57P01).
    case adminShutdown
    /// The statement took longer than the server lets it, or somebody has ended it (57014).
    case canceled
    /// Somebody else has locked it, for longer than the session waits (55P03).
    case lockNotAvailable
    /// All of the server's places for connections are taken (53300).
    case tooManyConnections
    /// The server's disk is full (53100).
    case diskFull
    /// The session has no prepared statement of that name (26000): it is another one than before.
    case unknownStatement
    /// The session has a prepared statement of that name (42P05).
    case duplicateStatement
    /// What was said does not belong there (08P01): from a pooler, mostly a setting of the session.
    case protocolViolation
    /// Any other.
    case other(String)

    /// - Parameter constraint: the name that came with a violated constraint.
    init(code: String, constraint: String = "") {
        self =
            switch code {
            case "40001": .serializationFailure
            case "40P01": .deadlock
            case "23505": .uniqueViolation(constraint: constraint)
            case "25006": .readOnly
            case "57P01": .adminShutdown
            case "57014": .canceled
            case "55P03": .lockNotAvailable
            case "53300": .tooManyConnections
            case "53100": .diskFull
            case "26000": .unknownStatement
            case "42P05": .duplicateStatement
            case "08P01": .protocolViolation
            default: .other(code)
            }
    }

    /// Whether the same transaction, run again from its beginning, can succeed without anybody's doing anything.
    public var isRetryable: Bool {
        switch self {
        case .serializationFailure, .deadlock, .adminShutdown, .tooManyConnections: true
        // The next try does without.
        case .unknownStatement, .duplicateStatement: true
        // The server is starting, or recovers from a crash.
        case .other("57P03"), .other("57P02"): true
        case .uniqueViolation, .readOnly, .canceled, .lockNotAvailable, .diskFull, .protocolViolation, .other: false
        }
    }
}

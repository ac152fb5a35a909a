/// Why a batch of statements has not given its results. Nothing of what was sent is in it, nor of what the server has.
public enum PostgresError: Error, Equatable, Sendable {
    /// The server has refused it, and nothing of it has happened.
    ///
    /// - Parameter constraint: the name of the one that was violated, where it is that.
    case refused(SQLState, constraint: String?)
    /// It was never sent.
    case notSent(Trouble)
    /// It was sent, and whether it was carried out is not known.
    case unknown(Trouble)
    /// The result has another shape than its reader expects.
    case unreadable

    /// What befell the way to the server.
    public enum Trouble: Equatable, Sendable {
        /// There was no connection within the time for it.
        ///
        /// - Parameter reason: libpq's words, which name host, port, user and database, and no password.
        case cannotConnect(reason: String)
        case connectionLost
        /// Its time was over.
        case deadline
        /// As many wait already as may.
        case overloaded
        /// We have closed it.
        case closed
    }

    /// Whether the very same may well succeed when it is run again, and has not happened yet.
    public var isWorthRepeating: Bool {
        if case .refused(let state, _) = self { state.isWorthRepeating } else { false }
    }
}

/// A code of five characters by which the server names an error (PostgreSQL, Appendix A).
public struct SQLState: Equatable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String

    public init(_ text: String) { description = text }
    public init(stringLiteral text: String) { description = text }

    public static let uniqueViolation: SQLState = "23505"
    public static let serializationFailure: SQLState = "40001"
    public static let deadlockDetected: SQLState = "40P01"
    public static let readOnlyTransaction: SQLState = "25006"

    /// Whether another transaction was in the way, which may be gone the next time.
    public var isWorthRepeating: Bool { self == .serializationFailure || self == .deadlockDetected }

    /// Whether the server goes away, or ends this session (class 57, of which those with a P are its own doing).
    var endsSession: Bool { description.hasPrefix("57P") }
}

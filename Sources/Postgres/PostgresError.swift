/// Why there is no result. Nothing in it is the text of a statement, a value, or a part of the connection string.
public enum PostgresError: Error, Equatable, Sendable {
    /// What may have become of statements whose results never came.
    public enum Outcome: Equatable, Sendable {
        /// The server can't have carried them out.
        case notSent
        /// The server may have carried them out, and may have committed them.
        case unknown
    }

    /// The server has refused it, and its transaction is rolled back.
    case refused(SQLState)
    /// There is no connection, so that nothing was sent, and the last try has come to this.
    case notConnected(ConnectFailure)
    /// The same, and for so long that nobody is to wait for it any more (``PoolLimits/outagePatience``).
    case away(ConnectFailure)
    /// The connection ended first. The state is what the server said, if it came to that.
    case lost(Outcome, SQLState?)
    /// The deadline has passed first.
    case timedOut(Outcome)
    /// As many callers wait as may. Nothing was sent.
    case overloaded
    /// The pool has been closed. Nothing was sent.
    case closed
    /// The values are not what the statement declares. Nothing was sent.
    case wrongParameters
    /// A result has no such column, or something else in it.
    case unexpectedResult
    /// The transaction is over: one of its statements was refused, its deadline has passed, or its connection is gone.
    case transactionOver

    /// Whether the same transaction, run again from its beginning, can succeed, and can't have been carried out before.
    public var isRetryable: Bool {
        switch self {
        case .refused(let state): state.isRetryable
        case .notConnected(let failure): failure.isRetryable
        case .lost(.notSent, _), .overloaded: true
        case .lost(.unknown, _), .timedOut, .away, .closed, .wrongParameters, .unexpectedResult, .transactionOver: false
        }
    }
}

extension PostgresError {
    /// What observers call it: one of few names.
    var name: String {
        switch self {
        case .refused: "refused"
        case .notConnected: "not_connected"
        case .away: "away"
        case .lost: "lost"
        case .timedOut: "timed_out"
        case .overloaded: "overloaded"
        case .closed: "closed"
        case .wrongParameters, .unexpectedResult: "fault"
        case .transactionOver: "transaction_over"
        }
    }
}

/// Why there is no connection.
public enum ConnectFailure: Error, Equatable, Sendable {
    /// None of the hosts' names has an address.
    case nameNotFound
    /// Nobody listens at the address, or the socket is not there.
    case nobodyThere
    /// There is no TLS with the server that the string asks for, or its certificate is not trusted.
    case tlsFailed
    /// The server asks for a password, and there is none.
    case passwordMissing
    /// None of the servers takes writes, or is whatever else the string asks for (`target_session_attrs`).
    case otherRole
    /// No server could be spoken to, for any other reason.
    case unreachable
    /// The connection was not there in time.
    case timedOut
    /// A server was there and has refused.
    case refused(SQLState)
    /// A server was there, and may not serve (``ConnectionGreeting``).
    case notAdmitted

    /// Whether a later try can succeed without anybody's doing anything.
    var isRetryable: Bool {
        switch self {
        case .nameNotFound, .nobodyThere, .tlsFailed, .otherRole, .unreachable, .timedOut: true
        case .passwordMissing: false
        case .refused(let state): state.isRetryable
        case .notAdmitted: false
        }
    }
}

extension ConnectFailure {
    /// What libpq says where there is no server's code, in the C locale, and what it means.
    private static let messages: [(String, ConnectFailure)] = [
        ("no password supplied", .passwordMissing), ("session is read-only", .otherRole),
        ("session is not read-only", .otherRole), ("server is in hot standby mode", .otherRole),
        ("server is not in hot standby mode", .otherRole), ("certificate", .tlsFailed), ("SSL", .tlsFailed),
        ("Connection refused", .nobodyThere), ("No such file or directory", .nobodyThere),
        ("timeout expired", .timedOut), ("could not translate host name", .nameNotFound),
    ]

    /// Reads why there is no connection. Where a server has refused, the last words are its severity and code.
    init(message: String) {
        let words = message.split(whereSeparator: \.isWhitespace).suffix(2)
        if words.count == 2, let severity = words.first, let code = words.last, severity.hasSuffix(":"),
            code.utf8.count == 5,
            code.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (65...90).contains($0) })
        {
            self = .refused(SQLState(code: String(code)))
        } else {
            self = Self.messages.first { message.contains($0.0) }?.1 ?? .unreachable
        }
    }
}

public import Accounts
public import AccountsSQL
import Postgres

/// The authorization codes that requests have claimed or used, each until it would be refused for its age.
struct UsedCodeRows {
    // The state of a code is 0 while a request has claimed it to send it, 1 once it is used, and 2 where its issuer has
    // not taken it. Whose time is over long enough is as good as swept; and one's own claim is known again after a lost
    // connection.
    private static let use = Query(
        """
        INSERT INTO used_codes (hash, owner, state, expires, answer) VALUES (?1, ?2, 1, ?3, ?5)
        ON CONFLICT (hash) DO UPDATE SET owner = ?2, state = 1, expires = ?3, answer = ?5
        WHERE used_codes.expires <= ?4 OR used_codes.state = 0 AND used_codes.owner = ?2
        """)
    fileprivate static let claim = Postgres.Statement(
        """
        INSERT INTO used_codes (hash, owner, state, expires, issuer) VALUES ($1, $2, 0, $3, $5)
        ON CONFLICT (hash) DO UPDATE SET owner = $2, state = 0, expires = $3, issuer = $5
        WHERE used_codes.expires <= $4 OR used_codes.state = 2 AND used_codes.issuer = $5
            OR used_codes.state = 0 AND used_codes.owner = $2
        """)
    // The owner is the code: the same one may be sent once more.
    fileprivate static let bind = Postgres.Statement(
        """
        INSERT INTO used_codes (hash, owner, state, expires) VALUES ($1, $2, 0, $3)
        ON CONFLICT (hash) DO UPDATE SET owner = $2, expires = $3
        WHERE used_codes.expires <= $4 OR used_codes.state = 0 AND used_codes.owner = $2
        """)
    fileprivate static let isRefused = Postgres.Statement("SELECT 1 FROM used_codes WHERE hash = $1 AND state = 2")
    fileprivate static let refuse = Postgres.Statement(
        "UPDATE used_codes SET state = 2 WHERE hash = $1 AND owner = $2 AND state = 0")
    fileprivate static let forget = Postgres.Statement(
        "DELETE FROM used_codes WHERE hash = $1 AND owner = $2 AND state = 0")
    fileprivate static let find = Postgres.Statement(
        "SELECT 1 FROM used_codes WHERE hash = $1 AND state = 1 AND expires > $2")
    fileprivate static let standing = Postgres.Statement(
        "SELECT state, expires, answer FROM used_codes WHERE hash = $1 AND expires > $2")
    /// For how long a code is remembered beyond its time, in seconds: clocks differ.
    static let graceSeconds: Int64 = 300

    let connection: any Connection

    /// - Returns: false when it was used before, or another request has it.
    func consume(_ code: OneTimeUse, answer: KeptAnswer? = nil, now: Int64) throws(RepositoryError) -> Bool {
        try connection.run(
            Self.use, code.hash, code.owner, code.expiresAt, now - Self.graceSeconds, answer?.encoded)
        return connection.changes == 1
    }
}

extension PostgresAccounts {
    /// In a transaction that need not survive a power cut of the server's: what matters is that others see it before
    /// the code is sent.
    public func claimCode(
        _ code: OneTimeUse, for issuer: String, now: Int64
    ) async throws(RepositoryError) -> CodeClaim {
        // Its end needs a durable connection, and the code is spent by then.
        try await admit()
        let work = Work(self, .relaxed)
        let isClaimed = try await work.run(
            UsedCodeRows.claim, .hash(code.hash), .integer(code.owner), .integer(code.expiresAt),
            .integer(now - UsedCodeRows.graceSeconds), .text(issuer))
        if isClaimed > 0 { return .claimed }
        return try await work.any(UsedCodeRows.isRefused, .hash(code.hash)) ? .sentElsewhere : .used
    }

    public func bindChallenge(
        _ challenge: OneTimeUse, to code: OneTimeUse, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await Work(self, .relaxed).run(
            UsedCodeRows.bind, .hash(challenge.hash), .integer(Int64(bitPattern: code.hash.words.0)),
            .integer(challenge.expiresAt),
            .integer(now - UsedCodeRows.graceSeconds)) > 0
    }

    public func releaseCode(_ code: OneTimeUse, _ end: CodeClaimEnd, now: Int64) async throws(RepositoryError) {
        let statement =
            switch end {
            case .notSent: UsedCodeRows.forget
            case .refused: UsedCodeRows.refuse
            }
        try await Work(self, .relaxed).run(statement, .hash(code.hash), .integer(code.owner))
    }

    public func isCodeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool {
        try await Work(self).any(UsedCodeRows.find, .hash(hash), .integer(now - UsedCodeRows.graceSeconds))
    }

    public func standing(of use: TokenHash, now: Int64) async throws(RepositoryError) -> UseStanding {
        let row = try await Work(self).first(
            UsedCodeRows.standing, .hash(use), .integer(now - UsedCodeRows.graceSeconds))
        guard let row else { return .none }
        switch try row.integer(0) {
        case 0: return .underWay(expiresAt: try row.integer(1))
        case 1: return try row.optionalBytes(2).flatMap(KeptAnswer.init(encoded:)).map(UseStanding.answered) ?? .none
        default: return .none
        }
    }

    public func recordUsedCode(_ code: OneTimeUse, now: Int64) async throws(RepositoryError) {
        // Where somebody else has recorded it, that is as good.
        _ = try await write(.serializable) { connection throws(RepositoryError) in
            try UsedCodeRows(connection: connection).consume(code, now: now)
        }
    }

    public func write<Outcome: Refusable>(
        of key: TurnKey?, consuming evidence: Evidence, _ challenge: OneTimeUse?, answer: KeptAnswer?, now: Int64,
        _ body: @escaping @Sendable (any Connection) throws(RepositoryError) -> Outcome
    ) async throws(RepositoryError) -> Outcome {
        try await inTurn(of: key) { () async throws(RepositoryError) in
            try await write(.serializable, consuming: evidence, challenge, answer: answer, now: now, body)
        }
    }

    func write<Outcome: Refusable>(
        _ isolation: Isolation, consuming evidence: Evidence, _ challenge: OneTimeUse?, answer: KeptAnswer?, now: Int64,
        _ body: @escaping @Sendable (any Connection) throws(RepositoryError) -> Outcome
    ) async throws(RepositoryError) -> Outcome {
        try await write(isolation) { connection throws(RepositoryError) in
            if let code = evidence.oneTimeUse,
                try !UsedCodeRows(connection: connection).consume(code, answer: answer, now: now)
            {
                return .refused(.codeAlreadyUsed)
            }
            if let challenge, try !ChallengeRows(connection: connection).consume(challenge) {
                return .refused(.challengeAlreadyUsed)
            }
            return try body(connection)
        }
    }
}

extension Value {
    init(_ value: ColumnValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let number): .integer(number)
            case .text(let text): .text(text)
            case .session(let id): .session(id)
            case .hash(let hash): .hash(hash)
            }
    }

    static func hash(_ hash: TokenHash) -> Value { .bytes(hash.bytes) }
    static func session(_ id: SessionID) -> Value { .bytes(id.bytes) }
    static func optional(_ text: String?) -> Value { text.map(Value.text) ?? .null }
    static func optional(_ number: Int64?) -> Value { number.map(Value.integer) ?? .null }
    static func optional(_ hash: TokenHash?) -> Value { hash.map(Value.hash) ?? .null }
}

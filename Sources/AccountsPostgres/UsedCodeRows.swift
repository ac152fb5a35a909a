public import Accounts
public import AccountsSQL
import Postgres

/// The authorization codes that requests have claimed or used, each until it would be refused for its age.
struct UsedCodeRows {
    // The state of a code is 0 while a request has claimed it to send it, 1 once it is used, and 2 where its issuer has
    // not taken it. Whose time is over long enough is as good as swept; and one's own claim is known again after a lost
    // connection.
    private static let use = Query(use(" WHERE \(isNoOlder(hash: "?1", owner: "?2", dead: "?4"))"))
    // Behind ``useBesideOlder``, which has looked.
    private static let useAgain = Query(use(""))

    private static func use(_ condition: String) -> String {
        """
        INSERT INTO code_uses (slot, hash, owner, state, expires, answer)
        SELECT ?6::int8, ?1::bytea, ?2::int8, 1, ?3::int8, ?5::bytea\(condition)
        ON CONFLICT (hash, slot) DO UPDATE SET owner = ?2, state = 1, expires = ?3, answer = ?5
        WHERE code_uses.expires <= ?4 OR code_uses.state = 0 AND code_uses.owner = ?2
        """
    }
    // For an instance of the version before, which looks into this table alone.
    private static let useBesideOlder = Query(
        """
        INSERT INTO used_codes (hash, owner, state, expires) VALUES (?1, ?2, 1, ?3)
        ON CONFLICT (hash) DO UPDATE SET owner = ?2, state = 1, expires = ?3
        WHERE used_codes.expires <= ?4 OR used_codes.state = 0 AND used_codes.owner = ?2
        """)
    /// Whether nobody else has it where it was used by an instance of the version before, or in the store that this one
    /// was copied from.
    static func isNoOlder(hash: String, owner: String, dead: String) -> String {
        """
        NOT EXISTS (
            SELECT 1 FROM used_codes AS older WHERE older.hash = \(hash) AND older.expires > \(dead)
                AND NOT (older.state = 0 AND older.owner = \(owner)))
        """
    }

    fileprivate static let claim = Postgres.Statement(claim(besideOlder: false))
    /// The same while there may be instances of the version before, which look into `used_codes` alone.
    fileprivate static let claimBesideOlder = Postgres.Statement(claim(besideOlder: true))

    private static func claim(besideOlder: Bool) -> String {
        func isFree(_ row: String) -> String {
            "\(row).expires <= $4 OR \(row).state = 2 AND \(row).issuer = $5 OR \(row).state = 0 AND \(row).owner = $2"
        }
        func insert(_ table: String, _ slot: String?, _ condition: String) -> String {
            """
            INSERT INTO \(table) (\(slot == nil ? "" : "slot, ")hash, owner, state, expires, issuer)
            SELECT \(slot.map { $0 + ", " } ?? "")$1::bytea, $2::int8, 0, $3::int8, $5::text \(condition)
            ON CONFLICT (hash\(slot == nil ? "" : ", slot")) DO UPDATE
                SET owner = $2, state = 0, expires = excluded.expires, issuer = $5
            WHERE \(isFree(table))
            """
        }
        func isNowhere(_ table: String) -> String {
            "NOT EXISTS (SELECT 1 FROM \(table) AS other WHERE other.hash = $1 AND (\(isFree("other"))) IS NOT TRUE)"
        }
        let older = besideOlder ? "older AS (\(insert("used_codes", nil, "")) RETURNING 1), " : ""
        return """
            WITH \(older)before AS (\(insert("code_uses", "$7::int8", "WHERE $7::int8 IS NOT NULL")) RETURNING 1)
            \(insert(
                "code_uses", "$6::int8",
                """
                WHERE ($7::int8 IS NULL OR EXISTS (SELECT 1 FROM before))
                    AND \(besideOlder ? "EXISTS (SELECT 1 FROM older)" : isNowhere("used_codes"))
                    AND \(isNowhere("code_uses"))
                """))
            """
    }

    // The owner is the code: the same one may be sent once more.
    fileprivate static let bind = Postgres.Statement(
        """
        INSERT INTO code_uses (slot, hash, owner, state, expires)
        SELECT $5::int8, $1::bytea, $2::int8, 0, $3::int8
        WHERE NOT EXISTS (
            SELECT 1 FROM used_codes AS older WHERE older.hash = $1 AND older.expires > $4 AND older.owner <> $2)
        ON CONFLICT (hash, slot) DO UPDATE SET owner = $2, expires = excluded.expires
        WHERE code_uses.expires <= $4 OR code_uses.state = 0 AND code_uses.owner = $2
        """)
    fileprivate static let refuse = Postgres.Statement(
        """
        WITH older AS (UPDATE used_codes SET state = 2 WHERE hash = $1 AND owner = $2 AND state = 0)
        UPDATE code_uses SET state = 2 WHERE hash = $1 AND owner = $2 AND state = 0
        """)
    fileprivate static let forget = Postgres.Statement(
        """
        WITH older AS (DELETE FROM used_codes WHERE hash = $1 AND owner = $2 AND state = 0)
        DELETE FROM code_uses WHERE hash = $1 AND owner = $2 AND state = 0
        """)
    // A code has several rows where it was claimed in two parts, and where it was not taken and claimed anew: what it
    // is used for counts most, and next that somebody has it.
    fileprivate static let standing = Postgres.Statement(
        """
        SELECT state, expires, answer FROM (
            SELECT state, expires, answer FROM code_uses WHERE hash = $1 AND expires > $2
            UNION ALL SELECT state, expires, answer FROM used_codes WHERE hash = $1 AND expires > $2) AS known
        ORDER BY state = 1 DESC, state LIMIT 1
        """)
    static let since = Postgres.Statement("SELECT value FROM meta WHERE name = 'code_uses_since'")
    /// For how long a code is remembered beyond its time, in seconds: clocks differ.
    static let graceSeconds: Int64 = 300
    /// For how long instances of the version before are reckoned with after its tables have become this one's, in
    /// seconds.
    static let besideOlderSeconds: Int64 = 3600

    /// For how long a code is remembered at most, in seconds.
    static let longestSeconds: Int64 = 1200

    /// How much later than one instance another one may believe it to be, in seconds.
    static func marginSeconds(_ settings: PostgresSettings) -> Int64 { 2 * settings.clockSkewSeconds + 30 }

    let connection: any StoreConnection
    /// Whether there may be instances of the version before.
    let isBesideOlder: Bool

    /// - Returns: false when it was used before, or another request has it.
    func consume(
        _ use: OneTimeUse, in slot: CodeSlot, answer: KeptAnswer? = nil, now: Int64
    ) throws(RepositoryError) -> Bool {
        if isBesideOlder {
            try connection.run(Self.useBesideOlder, use.hash, use.owner, use.expiresAt, now - Self.graceSeconds)
            guard connection.changes == 1 else { return false }
        }
        try connection.run(
            isBesideOlder ? Self.useAgain : Self.use, use.hash, use.owner, use.expiresAt, now - Self.graceSeconds,
            answer?.encoded, slot.number)
        return connection.changes == 1
    }
}

extension PostgresAccounts {
    /// Whether instances of the version before are reckoned with.
    func isBesideOlder(now: Int64) -> Bool { now < codesBesideOlderUntil }

    private func usedCodes(_ connection: any StoreConnection, now: Int64) -> UsedCodeRows {
        UsedCodeRows(connection: connection, isBesideOlder: isBesideOlder(now: now))
    }

    /// In a transaction that need not survive a power cut of the server's: what matters is that others see it before
    /// the code is sent.
    public func claimCode(
        _ code: OneTimeUse, for issuer: String, now: Int64
    ) async throws(RepositoryError) -> CodeClaim {
        // Its end needs a durable connection, and the code is spent by then.
        try await admit()
        let work = Work(self, .relaxed)
        let slot = CodeSlot(expiresAt: code.expiresAt, overlap: UsedCodeRows.marginSeconds(settings))
        let isClaimed = try await work.run(
            isBesideOlder(now: now) ? UsedCodeRows.claimBesideOlder : UsedCodeRows.claim, .hash(code.hash),
            .integer(code.owner), .integer(code.expiresAt), .integer(now - UsedCodeRows.graceSeconds), .text(issuer),
            .integer(slot.number), .optional(slot.before))
        if isClaimed > 0 { return .claimed }
        let row = try await work.first(
            UsedCodeRows.standing, .hash(code.hash), .integer(now - UsedCodeRows.graceSeconds))
        return try row?.integer(0) == 2 ? .sentElsewhere : .used
    }

    public func bindChallenge(
        _ challenge: OneTimeUse, to code: OneTimeUse, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await Work(self, .relaxed).run(
            UsedCodeRows.bind, .hash(challenge.hash), .integer(Int64(bitPattern: code.hash.words.0)),
            .integer(challenge.expiresAt), .integer(now - UsedCodeRows.graceSeconds),
            .integer(CodeSlot(expiresAt: challenge.expiresAt).number)) > 0
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
        let row = try await Work(self).first(
            UsedCodeRows.standing, .hash(hash), .integer(now - UsedCodeRows.graceSeconds))
        return try row?.integer(0) == 1
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
        _ = try await write(.serializable) { [self] connection throws(RepositoryError) in
            let slot = CodeSlot(expiresAt: code.expiresAt)
            return try usedCodes(connection, now: now).consume(code, in: slot, now: now)
        }
    }

    public func write<Outcome: Refusable>(
        of key: TurnKey?, consuming evidence: Evidence, _ challenge: OneTimeUse?, answer: KeptAnswer?, now: Int64,
        _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Outcome
    ) async throws(RepositoryError) -> Outcome {
        try await inTurn(of: key) { () async throws(RepositoryError) in
            try await write(.serializable, consuming: evidence, challenge, answer: answer, now: now, body)
        }
    }

    func write<Outcome: Refusable>(
        _ isolation: Isolation, consuming evidence: Evidence, _ challenge: OneTimeUse?, answer: KeptAnswer?, now: Int64,
        _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Outcome
    ) async throws(RepositoryError) -> Outcome {
        try await write(isolation) { [self] connection throws(RepositoryError) in
            if let code = evidence.oneTimeUse,
                try !usedCodes(connection, now: now).consume(code, in: CodeSlot(of: evidence), answer: answer, now: now)
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

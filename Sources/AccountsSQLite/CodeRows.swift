public import Accounts
public import AccountsSQL

/// The authorization codes that were used, each until it would be refused for its age. ``UsedCodes`` decides.
struct CodeRows {
    private static let insert = Query(
        "INSERT INTO used_codes (expires, hash, answer) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
    // Rows lie in the order in which they expire, so that each second that a code may expire in is looked into.
    private static let answer = Query(
        """
        WITH RECURSIVE seconds (second) AS (VALUES (?1) UNION ALL SELECT second + 1 FROM seconds WHERE second < ?2)
        SELECT answer FROM seconds CROSS JOIN used_codes ON expires = second AND hash = ?3
        """)
    private static let live = Query("SELECT expires, hash FROM used_codes WHERE expires > ?")

    let connection: any StoreConnection
    let usedCodes: UsedCodes
    let now: Int64

    /// Uses a code up; when the transaction has ended, ``UsedCodes/settle(_:_:isUsed:)`` must follow.
    ///
    /// - Returns: false when it was used before.
    /// - Throws: `.unavailable(.overloaded)` when no more codes fit into memory.
    func consume(
        _ code: OneTimeUse, _ proof: UsedCodes.Proof, answer: KeptAnswer? = nil
    ) throws(RepositoryError) -> Bool {
        switch usedCodes.claim(code.hash, proof, now: now) {
        case .used: return false
        case .full: throw .unavailable(.overloaded)
        case .first:
            try connection.run(Self.insert, code.expiresAt, code.hash, answer?.encoded)
            return true
        }
    }

    /// What is kept of the answer that came of a code's use.
    func answer(to hash: TokenHash) throws(RepositoryError) -> KeptAnswer? {
        guard let period = usedCodes.period(of: hash, now: now) else { return nil }
        let encoded = try connection.first(Self.answer, period.lowerBound, period.upperBound, hash) { $0.blob(0) }
        return encoded.flatMap(KeptAnswer.init(encoded:))
    }

    /// Fills the memory from the table, which does not tell what was proven: all of it counts as if it were.
    func load() throws(RepositoryError) {
        try connection.forEach(Self.live, now) { row throws(RepositoryError) in
            usedCodes.settle(OneTimeUse(hash: try row.hash(1), expiresAt: row.integer(0)), .verified, isUsed: true)
        }
    }
}

extension SQLiteAccounts {
    // One process has the file, and knows by itself what it is sending, and where it has: nothing is kept of a claim.

    public func claimCode(
        _ code: OneTimeUse, for issuer: String, now: Int64
    ) async throws(RepositoryError) -> CodeClaim {
        if try await isCodeUsed(code.hash, now: now) { return .used }
        // Where nothing can be written the code had better stay at its provider.
        if writer.isHeldUp { try await probe(now: now) }
        return .claimed
    }

    public func bindChallenge(
        _ challenge: OneTimeUse, to code: OneTimeUse, now: Int64
    ) async throws(RepositoryError) -> Bool { true }

    public func releaseCode(_ code: OneTimeUse, _ end: CodeClaimEnd, now: Int64) async throws(RepositoryError) {}

    public func isCodeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool {
        usedCodes.isUsed(hash, now: now)
    }

    public func standing(of use: TokenHash, now: Int64) async throws(RepositoryError) -> UseStanding {
        let answer = try await read { [usedCodes] connection throws(RepositoryError) in
            try CodeRows(connection: connection, usedCodes: usedCodes, now: now).answer(to: use)
        }
        return answer.map(UseStanding.answered) ?? .none
    }

    public func recordUsedCode(_ code: OneTimeUse, now: Int64) async throws(RepositoryError) {
        // Where somebody else has recorded it, that is as good.
        _ = try await writer.write(
            { [usedCodes] connection throws(RepositoryError) in
                try CodeRows(connection: connection, usedCodes: usedCodes, now: now).consume(code, .none)
            },
            settled: { [usedCodes] in usedCodes.settle(code, .none, isUsed: $0 == true) })
    }
}

extension SQLiteAccounts {
    public func write<Outcome: Refusable>(
        of key: TurnKey?, consuming evidence: Evidence, _ challenge: OneTimeUse?, answer: KeptAnswer?, now: Int64,
        _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Outcome
    ) async throws(RepositoryError) -> Outcome {
        try await beginTurn(key)
        defer { endTurn(key) }
        let code = evidence.oneTimeUse
        return try await writer.write(
            { [usedCodes] connection throws(RepositoryError) -> (outcome: Outcome, usesCode: Bool) in
                if let code,
                    try !CodeRows(connection: connection, usedCodes: usedCodes, now: now)
                        .consume(code, .verified, answer: answer)
                {
                    return (.refused(.codeAlreadyUsed), false)
                }
                if let challenge, try !ChallengeRows(connection: connection).consume(challenge) {
                    return (.refused(.challengeAlreadyUsed), true)
                }
                return (try body(connection), true)
            },
            settled: { [usedCodes] result in
                if let code { usedCodes.settle(code, .verified, isUsed: result?.usesCode ?? false) }
            }
        ).outcome
    }

    // What is done most, written once more: what the compiler knows the engine of costs a tenth less.
    public func signIn(_ record: SignInRecord) async throws(RepositoryError) -> SignInOutcome {
        try await write(
            of: .subject(record.subject), consuming: record.evidence, record.challenge,
            answer: record.answer(to: .known), now: record.now
        ) {
            [sealer] connection throws(RepositoryError) in
            try SignInTransaction(connection: connection, sealer: sealer, record: record).run()
        }
    }
}

public import Accounts

/// The authorization codes that were used, each until it would be refused for its age. ``UsedCodes`` decides.
struct CodeRows {
    private static let insert = Query(
        "INSERT INTO used_codes (expires, hash) VALUES (?, ?) ON CONFLICT DO NOTHING")
    private static let live = Query("SELECT expires, hash FROM used_codes WHERE expires > ?")

    let connection: Connection
    let usedCodes: UsedCodes
    let now: Int64

    /// Uses a code up; when the transaction has ended, ``UsedCodes/settle(_:_:isUsed:)`` must follow.
    ///
    /// - Returns: false when it was used before.
    /// - Throws: `.unavailable(.overloaded)` when no more codes fit into memory.
    func consume(_ code: OneTimeUse, _ proof: UsedCodes.Proof) throws(RepositoryError) -> Bool {
        switch usedCodes.claim(code.hash, proof, now: now) {
        case .used: return false
        case .full: throw .unavailable(.overloaded)
        case .first:
            try connection.run(Self.insert, code.expiresAt, code.hash)
            return true
        }
    }

    /// Fills the memory from the table, which does not tell what was proven: all of it counts as if it were.
    func load() throws(RepositoryError) {
        try connection.forEach(Self.live, now) { row throws(RepositoryError) in
            usedCodes.settle(OneTimeUse(hash: try row.hash(1), expiresAt: row.integer(0)), .verified, isUsed: true)
        }
    }
}

/// The port tokens that moved somebody, each until it would be refused for its age.
struct PortTokenRows {
    private static let insert = Query(
        """
        INSERT INTO used_port_tokens (hash, expires) VALUES (?1, ?2)
        ON CONFLICT DO UPDATE SET expires = max(expires, ?2)
        """)
    private static let find = Query("SELECT 1 FROM used_port_tokens WHERE hash = ? AND expires > ?")

    let connection: Connection
    let now: Int64

    func insert(_ token: OneTimeUse) throws(RepositoryError) {
        try connection.run(Self.insert, token.hash, token.expiresAt)
    }

    func isUsed(_ hash: TokenHash) throws(RepositoryError) -> Bool {
        try connection.first(Self.find, hash, now) { _ in true } ?? false
    }
}

extension SQLiteAccounts {
    public func isCodeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool {
        usedCodes.isUsed(hash, now: now)
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

/// The challenges that were used, each until it would be refused for its age.
struct ChallengeRows {
    private static let insert = Query(
        "INSERT INTO used_challenges (hash, expires) VALUES (?, ?) ON CONFLICT DO NOTHING")
    private static let find = Query("SELECT 1 FROM used_challenges WHERE hash = ? AND expires > ?")

    let connection: Connection

    /// - Returns: false when it was used before.
    func consume(_ challenge: OneTimeUse) throws(RepositoryError) -> Bool {
        try connection.run(Self.insert, challenge.hash, challenge.expiresAt)
        return connection.changes == 1
    }

    func isUsed(_ hash: TokenHash, now: Int64) throws(RepositoryError) -> Bool {
        try connection.first(Self.find, hash, now) { _ in true } ?? false
    }
}

extension SQLiteAccounts {
    public func isChallengeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool {
        try await readers.read { connection throws(RepositoryError) in
            try ChallengeRows(connection: connection).isUsed(hash, now: now)
        }
    }

}

public import Accounts

/// Authorization codes and port tokens that were used, each until it would be refused for its age.
struct OneTimeUses {
    enum Kind: String {
        case code
        case portToken = "port"
    }

    // One conditional statement: of two that present the same hash at once only one changes a row.
    private static let insert = Query(
        """
        INSERT INTO used_codes (hash, kind, expires) VALUES (?1, ?2, ?3)
        ON CONFLICT (hash) DO UPDATE SET kind = ?2, expires = ?3 WHERE used_codes.expires <= ?4
        """)
    private static let find = Query("SELECT 1 FROM used_codes WHERE hash = ?1 AND expires > ?2")
    fileprivate static let codes = Query(
        "SELECT hash, expires FROM used_codes WHERE expires > ?1 AND kind = 'code' ORDER BY expires DESC LIMIT ?2")

    let connection: Connection
    let now: Int64

    /// - Returns: whether this was its first use.
    func consume(_ use: OneTimeUse, _ kind: Kind) throws(RepositoryError) -> Bool {
        try connection.run(Self.insert, use.hash, kind.rawValue, use.expiresAt, now)
        return connection.changes == 1
    }

    func isUsed(_ hash: TokenHash) throws(RepositoryError) -> Bool {
        try connection.first(Self.find, hash, now) { _ in true } ?? false
    }
}

extension UsedCodes {
    /// Fills the memory from the database.
    func load(_ connection: Connection, now: Int64) throws(RepositoryError) {
        // One more than fits, so that memory knows when it is not all; the latest first, so that it knows until when.
        let codes = try connection.all(OneTimeUses.codes, now, Int64(limit) + 1) { row throws(RepositoryError) in
            OneTimeUse(hash: try row.hash(0), expiresAt: row.integer(1))
        }
        for code in codes.reversed() { insert(code) }
    }
}

extension SQLiteAccounts {
    public func isCodeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool {
        guard usedCodes.lookUp(hash, now: now) == .ask else { return false }
        return try await readers.read { connection throws(RepositoryError) in
            try OneTimeUses(connection: connection, now: now).isUsed(hash)
        }
    }

    public func recordUsedCode(_ code: OneTimeUse, now: Int64) async throws(RepositoryError) {
        try await writer.write(
            { connection throws(RepositoryError) in
                // One that was recorded before is recorded all the same.
                _ = try OneTimeUses(connection: connection, now: now).consume(code, .code)
            },
            committed: { [usedCodes] in usedCodes.insert(code) })
    }
}

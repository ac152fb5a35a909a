public import Accounts

/// The keys that sign our tokens.
package struct SigningKeyRows {
    private static let facts = "kid, purpose, created, signs_from, lasting, retired"
    private static let usable = Query(
        "SELECT \(facts), private_key FROM signing_keys WHERE retired IS NULL ORDER BY created DESC, kid")
    private static let every = Query("SELECT \(facts) FROM signing_keys ORDER BY created DESC, kid")
    private static let insert = Query(
        """
        INSERT INTO signing_keys (kid, purpose, private_key, created, signs_from, lasting) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """)
    // What the key has signed is refused from now on, so nobody needs it; its row keeps it from coming back.
    private static let retire = Query("UPDATE signing_keys SET retired = ?, private_key = x'' WHERE kid = ?")
    private static let retireAgain = Query(
        "UPDATE signing_keys SET retired = ?, private_key = x'' WHERE kid = ? AND retired IS NULL")
    private static let retireAll = Query("UPDATE signing_keys SET retired = ?, private_key = x'' WHERE retired IS NULL")

    package let connection: any StoreConnection

    package init(connection: any StoreConnection) {
        self.connection = connection
    }

    package func all() throws(RepositoryError) -> [SigningKeyEntry] {
        try connection.all(Self.every) { row throws(RepositoryError) in try Self.entry(row) }
    }

    package func usable(_ sealer: StoreSealer) throws(RepositoryError) -> [SigningKey] {
        try connection.all(Self.usable) { row throws(RepositoryError) in
            let entry = try Self.entry(row)
            let key = try sealer.opening(row.blob(6), .signingKey(entry.kid, entry.purpose), connection)
            return SigningKey(entry: entry, privateKey: key)
        }
    }

    package func insert(_ key: SigningKey, _ sealer: StoreSealer) throws(RepositoryError) {
        let entry = key.entry
        let sealed = try sealer.sealing(key.privateKey, .signingKey(entry.kid, entry.purpose))
        try connection.run(
            Self.insert, entry.kid, entry.purpose.rawValue, sealed, entry.createdAt, entry.signsFrom,
            entry.isLasting ? 1 as Int64 : 0)
    }

    package func retire(_ kid: String, _ sealer: StoreSealer, now: Int64) throws(RepositoryError) -> KeyRetirement {
        let all = try all()
        guard let entry = all.first(where: { $0.kid == kid }) else { return .unknown }
        if let before = entry.retiredAt { return .retiredBefore(at: before) }
        guard all.signing(entry.purpose, now: now)?.kid != kid else { return .signs(entry.purpose) }
        try connection.run(Self.retire, now, kid)
        try LedgerRows(connection: connection, sealer: sealer, now: now).add(.signingKeyRetired(kid))
        return .retired
    }

    package func retireAll(_ sealer: StoreSealer, now: Int64) throws(RepositoryError) {
        let ledger = LedgerRows(connection: connection, sealer: sealer, now: now)
        for key in try all() where key.retiredAt == nil { try ledger.add(.signingKeyRetired(key.kid)) }
        try connection.run(Self.retireAll, now)
    }

    /// Retires all but those that prove something for years.
    package func retirePassing(_ sealer: StoreSealer, now: Int64) throws(RepositoryError) {
        let ledger = LedgerRows(connection: connection, sealer: sealer, now: now)
        for key in try all() where key.retiredAt == nil && !key.isLasting {
            try ledger.add(.signingKeyRetired(key.kid))
            try connection.run(Self.retire, now, key.kid)
        }
    }

    /// Retires a key whatever it signs, as it was before; without a record in the ledger.
    package func retireAgain(_ kid: String, now: Int64) throws(RepositoryError) {
        try connection.run(Self.retireAgain, now, kid)
    }

    private static func entry(_ row: any Statement) throws(RepositoryError) -> SigningKeyEntry {
        guard let purpose = SigningKeyEntry.Purpose(rawValue: row.text(1)) else { throw .unavailable(.corrupt) }
        return SigningKeyEntry(
            kid: row.text(0), purpose: purpose, createdAt: row.integer(2), signsFrom: row.integer(3),
            isLasting: row.integer(4) != 0, retiredAt: row.optionalInteger(5))
    }
}

extension SQLStore {
    public func signingKeys() async throws(RepositoryError) -> [SigningKey] {
        try await read { [sealer] connection throws(RepositoryError) in
            try SigningKeyRows(connection: connection).usable(sealer)
        }
    }

    public func signingKeyEntries() async throws(RepositoryError) -> [SigningKeyEntry] {
        try await read { connection throws(RepositoryError) in
            try SigningKeyRows(connection: connection).all()
        }
    }

    public func addSigningKey(_ key: SigningKey) async throws(RepositoryError) {
        try await write { [sealer] connection throws(RepositoryError) in
            try SigningKeyRows(connection: connection).insert(key, sealer)
            try AuditTrail(connection: connection, now: key.entry.createdAt)
                .addOperators(.keyRotated, fields: [key.entry.purpose.rawValue])
        }
    }

    public func retireSigningKey(_ kid: String, now: Int64) async throws(RepositoryError) -> KeyRetirement {
        try await write { [sealer] connection throws(RepositoryError) in
            let retirement = try SigningKeyRows(connection: connection).retire(kid, sealer, now: now)
            if case .retired = retirement {
                try AuditTrail(connection: connection, now: now).addOperators(.keyRetired, fields: [kid])
            }
            return retirement
        }
    }
}

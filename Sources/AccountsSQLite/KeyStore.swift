public import Accounts

/// The key ring as it is stored, and the keys that sign session tokens.
extension SQLiteAccounts {
    private static let signing = Query(
        "SELECT kid, private_key, created, signs_from FROM signing_keys ORDER BY created DESC, kid")
    private static let addSigning = Query(
        "INSERT INTO signing_keys (kid, private_key, created, signs_from) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")

    public func keyRing() async throws(RepositoryError) -> [KeyRingEntry] {
        try await readers.read { connection throws(RepositoryError) in try KeyRingRows(connection: connection).all() }
    }

    public func addToKeyRing(_ entry: KeyRingEntry) async throws(RepositoryError) {
        try await writer.write { connection throws(RepositoryError) in
            try KeyRingRows(connection: connection).insert(entry)
        }
    }

    public func signingKeys() async throws(RepositoryError) -> [SigningKey] {
        try await readers.read { [sealer] connection throws(RepositoryError) in
            try connection.all(Self.signing) { row throws(RepositoryError) in
                let kid = row.text(0)
                let key = try sealer.opening(row.blob(1), .signingKey(kid), connection)
                return SigningKey(kid: kid, privateKey: key, createdAt: row.integer(2), signsFrom: row.integer(3))
            }
        }
    }

    public func addSigningKey(_ key: SigningKey) async throws(RepositoryError) {
        try await writer.write { [sealer] connection throws(RepositoryError) in
            let sealed = try sealer.sealing(key.privateKey, .signingKey(key.kid))
            try connection.run(Self.addSigning, key.kid, sealed, key.createdAt, key.signsFrom)
        }
    }
}

public import Accounts

/// The key ring, the proof that it was opened with the right master key, and the keys that sign session tokens.
extension SQLiteAccounts {
    private static let ring = Query("SELECT number, sealed_key, created FROM key_ring ORDER BY number")
    private static let addToRing = Query(
        "INSERT INTO key_ring (number, sealed_key, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
    private static let findProof = Query("SELECT value FROM meta WHERE name = 'seal_proof'")
    private static let setProof = Query("INSERT INTO meta (name, value) VALUES ('seal_proof', ?)")
    private static let signing = Query("SELECT kid, private_key, created FROM signing_keys ORDER BY created DESC, kid")
    private static let addSigning = Query(
        "INSERT INTO signing_keys (kid, private_key, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")

    private static let proof = Array("gatehouse".utf8)
    private static let proofContext = SealContext(table: "meta", column: "value", row: Array("seal_proof".utf8))

    /// Opens the key ring, stores the keys that were made for it, and holds the sealer against a value that the first
    /// opening sealed: with another master key the store does not open at all, rather than fail user by user.
    static func unlock(
        _ connection: Connection, with unlockKeyRing: KeyRingUnlocker
    ) throws(RepositoryError) -> any Sealer {
        let stored = try entries(connection)
        let sealedProof = try connection.first(findProof) { $0.blob(0) }
        let unlocked: UnlockedKeyRing
        let newProof: [UInt8]?
        do throws(SealingError) {
            unlocked = try unlockKeyRing(stored)
            if let sealedProof {
                guard try unlocked.sealer.open(sealedProof, for: proofContext) == proof else {
                    throw SealingError.notAuthentic
                }
                newProof = nil
            } else {
                newProof = try unlocked.sealer.seal(proof, for: proofContext)
            }
        } catch {
            throw .wrongMasterKey
        }
        for entry in unlocked.added { try add(entry, connection) }
        if let newProof { try connection.run(setProof, newProof) }
        return unlocked.sealer
    }

    public func keyRing() async throws(RepositoryError) -> [KeyRingEntry] {
        try await readers.read { connection throws(RepositoryError) in try Self.entries(connection) }
    }

    public func addToKeyRing(_ entry: KeyRingEntry) async throws(RepositoryError) {
        try await writer.write { connection throws(RepositoryError) in try Self.add(entry, connection) }
    }

    public func signingKeys() async throws(RepositoryError) -> [SigningKey] {
        try await readers.read { [sealer] connection throws(RepositoryError) in
            try connection.all(Self.signing) { row throws(RepositoryError) in
                let kid = row.text(0)
                let key = try sealer.opening(row.blob(1), Self.context(ofSigningKey: kid))
                return SigningKey(kid: kid, privateKey: key, createdAt: row.integer(2))
            }
        }
    }

    public func addSigningKey(_ key: SigningKey) async throws(RepositoryError) {
        let sealed = try sealer.sealing(key.privateKey, Self.context(ofSigningKey: key.kid))
        try await writer.write { connection throws(RepositoryError) in
            try connection.run(Self.addSigning, key.kid, sealed, key.createdAt)
        }
    }

    private static func entries(_ connection: Connection) throws(RepositoryError) -> [KeyRingEntry] {
        try connection.all(ring) {
            KeyRingEntry(number: $0.integer(0), sealedKey: $0.blob(1), createdAt: $0.integer(2))
        }
    }

    private static func add(_ entry: KeyRingEntry, _ connection: Connection) throws(RepositoryError) {
        try connection.run(addToRing, entry.number, entry.sealedKey, entry.createdAt)
    }

    private static func context(ofSigningKey kid: String) -> SealContext {
        SealContext(table: "signing_keys", column: "private_key", row: Array(kid.utf8))
    }
}

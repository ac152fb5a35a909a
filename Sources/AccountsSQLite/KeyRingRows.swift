import Accounts

/// The data keys, and the proof that they were opened with the right master key.
struct KeyRingRows {
    private static let ring = Query("SELECT number, sealed_key, created FROM key_ring ORDER BY number")
    private static let insert = Query(
        "INSERT INTO key_ring (number, sealed_key, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
    private static let rewrap = Query("UPDATE key_ring SET sealed_key = ? WHERE number = ?")
    private static let findProof = Query("SELECT value FROM meta WHERE name = 'seal_proof'")
    private static let writeProof = Query(
        "INSERT INTO meta (name, value) VALUES ('seal_proof', ?1) ON CONFLICT DO UPDATE SET value = ?1")

    private static let proof = Array("gatehouse".utf8)

    let connection: Connection

    func all() throws(RepositoryError) -> [KeyRingEntry] {
        try connection.all(Self.ring) {
            KeyRingEntry(number: $0.integer(0), sealedKey: $0.blob(1), createdAt: $0.integer(2))
        }
    }

    func insert(_ entry: KeyRingEntry) throws(RepositoryError) {
        try connection.run(Self.insert, entry.number, entry.sealedKey, entry.createdAt)
    }

    func replace(_ entry: KeyRingEntry) throws(RepositoryError) {
        try connection.run(Self.rewrap, entry.sealedKey, entry.number)
    }

    /// Opens the key ring, stores the keys that were made for it, and holds the sealer against a value that the first
    /// opening sealed: with another master key the store does not open at all, rather than fail user by user.
    func unlock(_ sealer: StoreSealer) throws(RepositoryError) {
        let stored = try all()
        let sealedProof = try sealedProof()
        let unlocked: UnlockedKeyRing
        let newProof: [UInt8]?
        do throws(SealingError) {
            unlocked = try sealer.unlocked(stored)
            if let sealedProof {
                guard try unlocked.sealer.open(sealedProof, for: .proof) == Self.proof else {
                    throw SealingError.notAuthentic
                }
                newProof = nil
            } else {
                newProof = try unlocked.sealer.seal(Self.proof, for: .proof)
            }
        } catch {
            throw .wrongMasterKey
        }
        for entry in unlocked.added { try insert(entry) }
        if let newProof { try setSealedProof(newProof) }
        sealer.use(unlocked.sealer, of: stored + unlocked.added)
    }

    /// Opens the key ring of a store that has one, and stores nothing.
    func open(_ sealer: StoreSealer) throws(RepositoryError) {
        let stored = try all()
        guard !stored.isEmpty, let proof = try sealedProof() else { throw .unavailable(.corrupt) }
        do throws(SealingError) {
            let unlocked = try sealer.unlocked(stored)
            guard try unlocked.sealer.open(proof, for: .proof) == Self.proof else { throw SealingError.notAuthentic }
            sealer.use(unlocked.sealer, of: stored)
        } catch {
            throw .wrongMasterKey
        }
    }

    func sealedProof() throws(RepositoryError) -> [UInt8]? {
        try connection.first(Self.findProof) { $0.blob(0) }
    }

    func setSealedProof(_ sealed: [UInt8]) throws(RepositoryError) {
        try connection.run(Self.writeProof, sealed)
    }
}

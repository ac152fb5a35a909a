import Accounts
import Postgres

/// The data keys, and the proof that they were opened with the right master key.
struct KeyRingRows {
    private static let ring = Statement("SELECT number, sealed_key, created FROM key_ring ORDER BY number")
    private static let insert = Statement(
        "INSERT INTO key_ring (number, sealed_key, created) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING")
    private static let findProof = Statement("SELECT content FROM meta WHERE name = 'seal_proof'")
    private static let writeProof = Statement(
        """
        INSERT INTO meta (name, content) VALUES ('seal_proof', $1) ON CONFLICT (name) DO UPDATE SET content = $1
        """)
    private static let proof = Array("gatehouse".utf8)

    let work: Work

    func all() async throws(RepositoryError) -> [KeyRingEntry] {
        var entries: [KeyRingEntry] = []
        for row in try await work.all(Self.ring) {
            entries.append(
                KeyRingEntry(number: try row.integer(0), sealedKey: try row.bytes(1), createdAt: try row.integer(2)))
        }
        return entries
    }

    func insert(_ entry: KeyRingEntry) async throws(RepositoryError) {
        try await work.run(Self.insert, entry.number, entry.sealedKey, entry.createdAt)
    }

    func sealedProof() async throws(RepositoryError) -> [UInt8]? { try await work.first(Self.findProof)?.bytes(0) }

    func setSealedProof(_ sealed: [UInt8]) async throws(RepositoryError) { try await work.run(Self.writeProof, sealed) }

    /// Opens the key ring, stores the keys that were made for it, and holds the sealer against a value that the first opening
    /// sealed: with another master key the store does not open at all, rather than fail user by user.
    ///
    /// - Returns: what seals and opens once this is committed.
    func unlock(_ sealer: StoreSealer) async throws(RepositoryError) -> OpenedRing {
        let stored = try await all()
        let sealedProof = try await sealedProof()
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
        for entry in unlocked.added { try await insert(entry) }
        if let newProof { try await setSealedProof(newProof) }
        return OpenedRing(sealer: unlocked.sealer, entries: stored + unlocked.added)
    }
}

/// A key ring that was opened, and what was opened.
struct OpenedRing: Sendable {
    let sealer: any Sealer
    let entries: [KeyRingEntry]
}

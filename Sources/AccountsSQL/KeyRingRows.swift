public import Accounts

/// The data keys, and the proof that they were opened with the right master key.
package struct KeyRingRows {
    private static let ring = Query("SELECT number, sealed_key, created FROM key_ring ORDER BY number")
    private static let insert = Query(
        "INSERT INTO key_ring (number, sealed_key, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
    private static let rewrap = Query("UPDATE key_ring SET sealed_key = ? WHERE number = ?")
    private static let findProof = Query(
        "SELECT value FROM meta WHERE name = 'seal_proof'",
        postgres: "SELECT content FROM meta WHERE name = 'seal_proof'")
    private static let writeProof = Query(
        "INSERT INTO meta (name, value) VALUES ('seal_proof', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1",
        postgres: """
            INSERT INTO meta (name, content) VALUES ('seal_proof', ?1) ON CONFLICT (name) DO UPDATE SET content = ?1
            """)

    private static let proof = Array("gatehouse".utf8)

    package let connection: any StoreConnection

    package init(connection: any StoreConnection) {
        self.connection = connection
    }

    package func all() throws(RepositoryError) -> [KeyRingEntry] {
        try connection.all(Self.ring) {
            KeyRingEntry(number: $0.integer(0), sealedKey: $0.blob(1), createdAt: $0.integer(2))
        }
    }

    package func insert(_ entry: KeyRingEntry) throws(RepositoryError) {
        try connection.run(Self.insert, entry.number, entry.sealedKey, entry.createdAt)
    }

    package func replace(_ entry: KeyRingEntry) throws(RepositoryError) {
        try connection.run(Self.rewrap, entry.sealedKey, entry.number)
    }

    /// Opens the key ring, stores the keys that were made for it, and holds the sealer against a value that the first
    /// opening sealed: with another master key the store does not open at all, rather than fail user by user.
    package func unlock(_ sealer: StoreSealer) throws(RepositoryError) {
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
    package func open(_ sealer: StoreSealer) throws(RepositoryError) {
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

    package func sealedProof() throws(RepositoryError) -> [UInt8]? {
        try connection.first(Self.findProof) { $0.blob(0) }
    }

    package func setSealedProof(_ sealed: [UInt8]) throws(RepositoryError) {
        try connection.run(Self.writeProof, sealed)
    }
}

/// A key ring with one more key, opened.
private struct Rotated: Sendable {
    let sealer: any Sealer
    let entries: [KeyRingEntry]
}

/// Changing the keys that everything is sealed under.
extension SQLStore {
    public func keyRing() async throws(RepositoryError) -> [KeyRingEntry] {
        try await read { connection throws(RepositoryError) in try KeyRingRows(connection: connection).all() }
    }

    public func addToKeyRing(_ entry: KeyRingEntry) async throws(RepositoryError) {
        try await write { connection throws(RepositoryError) in
            try KeyRingRows(connection: connection).insert(entry)
        }
    }

    public func rotateDataKey(_ make: @escaping DataKeyMaker) async throws(RepositoryError) -> Int64 {
        let rotated = try await write(
            of: nil,
            { [sealer] connection throws(RepositoryError) in
                let rows = KeyRingRows(connection: connection)
                let rotated = try Self.rotated(try rows.all(), make, sealer)
                for entry in rotated.entries.suffix(1) {
                    try rows.insert(entry)
                    try AuditTrail(connection: connection, now: entry.createdAt)
                        .addOperators(.keyRotated, fields: ["data"])
                }
                return rotated
            },
            // Not before the key is on disk may anything be sealed under it.
            settled: { [sealer] rotated in if let rotated { sealer.use(rotated.sealer, of: rotated.entries) } })
        return rotated.sealer.newestKey
    }

    /// The new ring, opened with this process's own master key: one it could not open must not become the store's.
    private static func rotated(
        _ stored: [KeyRingEntry], _ make: DataKeyMaker, _ sealer: StoreSealer
    ) throws(RepositoryError) -> Rotated {
        do throws(SealingError) {
            let entries = stored + [try make(stored)]
            let unlocked = try sealer.unlocked(entries)
            guard unlocked.sealer.newestKey == entries.last?.number,
                Set(entries.map(\.number)).count == entries.count
            else { throw .unknownKey }
            return Rotated(sealer: unlocked.sealer, entries: entries)
        } catch {
            throw .wrongMasterKey
        }
    }

    public func reloadKeyRing() async throws(RepositoryError) -> Bool {
        try await read { [sealer] connection throws(RepositoryError) in try sealer.reload(connection) }
    }
}

public import Accounts

/// Changing the keys that everything is sealed under.
extension SQLiteAccounts {
    private struct Rotated: Sendable {
        let sealer: any Sealer
        let entries: [KeyRingEntry]
    }

    public func keyRing() async throws(RepositoryError) -> [KeyRingEntry] {
        try await readers.read { connection throws(RepositoryError) in try KeyRingRows(connection: connection).all() }
    }

    public func addToKeyRing(_ entry: KeyRingEntry) async throws(RepositoryError) {
        try await writer.write { connection throws(RepositoryError) in
            try KeyRingRows(connection: connection).insert(entry)
        }
    }

    public func rotateDataKey(_ make: @escaping DataKeyMaker) async throws(RepositoryError) -> Int64 {
        let rotated = try await writer.write(
            { [sealer] connection throws(RepositoryError) in
                let rows = KeyRingRows(connection: connection)
                let rotated = try Self.rotated(try rows.all(), make, sealer)
                for entry in rotated.entries.suffix(1) { try rows.insert(entry) }
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
        try await readers.read { [sealer] connection throws(RepositoryError) in try sealer.reload(connection) }
    }
}

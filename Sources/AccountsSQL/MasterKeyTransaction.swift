public import Accounts

/// Putting the store under another master key.
struct MasterKeyTransaction {
    private static let mark = Query(
        """
        INSERT INTO meta (name, value) VALUES ('master_key_change', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1
        """,
        postgres: """
            INSERT INTO meta (name, word) VALUES ('master_key_change', ?1) ON CONFLICT (name) DO UPDATE SET word = ?1
            """)
    private static let findMark = Query(
        "SELECT value FROM meta WHERE name = 'master_key_change'",
        postgres: "SELECT word FROM meta WHERE name = 'master_key_change'")
    private static let removeMark = Query("DELETE FROM meta WHERE name = 'master_key_change'")
    private static let forgetDataKeys = Query("DELETE FROM key_ring WHERE number < (SELECT max(number) FROM key_ring)")

    let connection: any StoreConnection

    /// - Returns: how many sessions have ended.
    func run(_ change: MasterKeyChange) throws(RepositoryError) -> Int {
        let sealer = try rewrapped(change)
        try SecretKeyRows(connection: connection).renewAll(sealer, now: change.now)
        var ended = 0
        if let replacements = change.replacements {
            ended = try replaceLeaked(with: replacements, sealer, now: change.now)
        }
        let kind: MasterKeyChange.Kind = change.replacements == nil ? .ordinary : .leaked
        try connection.run(Self.mark, kind.rawValue)
        try AuditTrail(connection: connection, now: change.now)
            .addOperators(.masterKeyChanged, fields: [kind.rawValue])
        return ended
    }

    func unfinished() throws(RepositoryError) -> MasterKeyChange.Kind? {
        guard let mark = try connection.first(Self.findMark, read: { $0.text(0) }) else { return nil }
        guard let kind = MasterKeyChange.Kind(rawValue: mark) else { throw .unavailable(.corrupt) }
        return kind
    }

    func replaceLeaked(
        with keys: [SigningKey], _ sealer: StoreSealer, now: Int64
    ) throws(RepositoryError) -> Int {
        let rows = SigningKeyRows(connection: connection)
        let secrets = SecretKeyRows(connection: connection)
        try rows.retireAll(sealer, now: now)
        if let leaked = try secrets.newestNumber(for: .refresh) {
            try LedgerRows(connection: connection, sealer: sealer, now: now).add(.refreshKeysReplaced(upTo: leaked))
        }
        for key in keys { try rows.insert(key, sealer) }
        // With one of them anybody can make refresh tokens for later sessions, or records of what never happened.
        try secrets.replace(.refresh, sealer, now: now)
        try secrets.replace(.ledger, sealer, now: now)
        let ended = try SessionRows(connection: connection).deleteEverybodys()
        try AuditTrail(connection: connection, now: now).add(.sessionsRevoked, user: nil)
        if try unfinished() != nil { try connection.run(Self.mark, MasterKeyChange.Kind.leaked.rawValue) }
        return ended
    }

    func finish(_ tables: StoreTables) throws(RepositoryError) -> Bool {
        guard try !ResealTransaction.isDue(connection, tables), try ContactWalk(connection: connection).isDone() else {
            return false
        }
        try connection.run(Self.forgetDataKeys)
        try connection.run(Self.removeMark)
        return true
    }

    /// Stores the data keys under the new master key, with one more.
    ///
    /// - Returns: what seals under that one.
    private func rewrapped(_ change: MasterKeyChange) throws(RepositoryError) -> StoreSealer {
        let rows = KeyRingRows(connection: connection)
        let stored = try rows.all()
        let rewrapped: [KeyRingEntry]
        let added: KeyRingEntry
        let sealer = StoreSealer(change.unlock)
        do throws(SealingError) {
            rewrapped = try change.rewrap(stored)
            // One that was left out would be lost for good with the old master key.
            guard rewrapped.map(\.number) == stored.map(\.number) else { throw .unknownKey }
            added = try change.makeDataKey(rewrapped)
            let unlocked = try sealer.unlocked(rewrapped + [added])
            guard unlocked.sealer.newestKey == added.number, !stored.contains(where: { $0.number == added.number })
            else { throw .unknownKey }
            sealer.use(unlocked.sealer, of: rewrapped + [added])
        } catch {
            throw .wrongMasterKey
        }
        for entry in rewrapped { try rows.replace(entry) }
        try rows.insert(added)
        return sealer
    }
}

extension SQLStore {
    public func changeMasterKey(_ change: MasterKeyChange) async throws(RepositoryError) -> Int {
        try await write(
            of: nil,
            { connection throws(RepositoryError) in try MasterKeyTransaction(connection: connection).run(change) },
            // What it would seal from now on, nobody could open once the older data keys are erased.
            settled: { [sealer, knownSecretKeys] ended in
                guard ended != nil else { return }
                sealer.forget()
                knownSecretKeys.use([])
            })
    }

    public func unfinishedMasterKeyChange() async throws(RepositoryError) -> MasterKeyChange.Kind? {
        try await read { connection throws(RepositoryError) in
            try MasterKeyTransaction(connection: connection).unfinished()
        }
    }

    public func replaceLeaked(with keys: [SigningKey], now: Int64) async throws(RepositoryError) -> Int {
        let ended = try await write { [sealer] connection throws(RepositoryError) in
            try MasterKeyTransaction(connection: connection).replaceLeaked(with: keys, sealer, now: now)
        }
        _ = try await reloadSecretKeys()
        return ended
    }

    public func finishMasterKeyChange() async throws(RepositoryError) -> Bool {
        let isFinished = try await write { [tables] connection throws(RepositoryError) in
            try MasterKeyTransaction(connection: connection).finish(tables)
        }
        if isFinished { _ = try await reloadKeyRing() }
        return isFinished
    }
}

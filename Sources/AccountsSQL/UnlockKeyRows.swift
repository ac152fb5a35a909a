public import Accounts

/// The keys of the KeyService, sealed; of one that is locked nothing is left but its row.
struct UnlockKeyRows {
    private static let insert = Query("INSERT INTO unlock_keys (id, content, created, used) VALUES (?1, ?2, ?3, ?3)")
    private static let find = Query("SELECT content FROM unlock_keys WHERE id = ?")
    private static let standing = Query("SELECT failures, content IS NULL, used FROM unlock_keys WHERE id = ?")
    private static let succeed = Query("UPDATE unlock_keys SET failures = 0, used = ?2 WHERE id = ?1")
    private static let use = Query("UPDATE unlock_keys SET used = ?2 WHERE id = ?1")
    private static let count = Query("UPDATE unlock_keys SET failures = failures + 1 WHERE id = ?")
    private static let lock = Query("UPDATE unlock_keys SET failures = failures + 1, content = NULL WHERE id = ?")
    private static let sweep = Query(
        "DELETE FROM unlock_keys WHERE id IN (SELECT id FROM unlock_keys WHERE used < ? ORDER BY used LIMIT ?)")
    private static let oldest = Query("SELECT 1 FROM unlock_keys WHERE used < ? LIMIT 1")
    /// When a key was used is known to the day: to tell it any better each success would be a write.
    private static let useIntervalSeconds: Int64 = 86_400

    struct Standing {
        let failures: Int64
        let isLocked: Bool
        let used: Int64
    }

    let connection: any Connection
    let sealer: StoreSealer

    func insert(_ id: UnlockKeyID, _ content: [UInt8], now: Int64) throws(RepositoryError) {
        try connection.run(Self.insert, id.bytes, try sealer.sealing(content, .unlockKey(id)), now)
    }

    func find(_ id: UnlockKeyID) throws(RepositoryError) -> UnlockKey? {
        try connection.first(Self.find, id.bytes) { row throws(RepositoryError) in
            UnlockKey(
                id: id, content: row.isEmpty(0) ? nil : try sealer.opening(row.blob(0), .unlockKey(id), connection))
        }
    }

    private func standing(_ id: UnlockKeyID) throws(RepositoryError) -> Standing? {
        try connection.first(Self.standing, id.bytes) {
            Standing(failures: $0.integer(0), isLocked: $0.integer(1) != 0, used: $0.integer(2))
        }
    }

    /// What comes of an attempt where nothing has to be written for it; nil where something has.
    func outcome(_ id: UnlockKeyID, _ attempt: UnlockAttempt, now: Int64) throws(RepositoryError) -> UnlockOutcome? {
        guard let standing = try standing(id) else { return .missing }
        switch UnlockDecision.decide(attempt, failures: standing.failures, isLocked: standing.isLocked) {
        case .refuse: return .locked
        case .count, .lock: return nil
        case .unlock:
            let endsRow = attempt != .longSecret && standing.failures > 0
            return endsRow || standing.used < now - Self.useIntervalSeconds ? nil : .unlocked
        }
    }

    /// Decides within the transaction that counts, so that of two attempts the second knows of the first.
    func settle(_ id: UnlockKeyID, _ attempt: UnlockAttempt, now: Int64) throws(RepositoryError) -> UnlockOutcome {
        guard let standing = try standing(id) else { return .missing }
        switch UnlockDecision.decide(attempt, failures: standing.failures, isLocked: standing.isLocked) {
        case .refuse: return .locked
        case .unlock:
            try connection.run(attempt == .longSecret ? Self.use : Self.succeed, id.bytes, max(now, standing.used))
            return .unlocked
        case .count:
            try connection.run(Self.count, id.bytes)
            return .wrong
        case .lock:
            try connection.run(Self.lock, id.bytes)
            try AuditTrail(connection: connection, now: now).add(.unlockKeyLocked, user: nil)
            return .locked
        }
    }

    static func isDue(_ connection: any Connection, unusedSince time: Int64) throws(RepositoryError) -> Bool {
        try connection.first(oldest, time) { _ in true } ?? false
    }

    func sweep(unusedSince time: Int64, limit: Int) throws(RepositoryError) -> Int {
        try connection.run(Self.sweep, time, Int64(limit))
        return connection.changes
    }
}

extension SQLStore {
    public func addUnlockKey(_ id: UnlockKeyID, content: [UInt8], now: Int64) async throws(RepositoryError) {
        try await write { [sealer] connection throws(RepositoryError) in
            try UnlockKeyRows(connection: connection, sealer: sealer).insert(id, content, now: now)
        }
    }

    public func unlockKey(_ id: UnlockKeyID) async throws(RepositoryError) -> UnlockKey? {
        try await read { [sealer] connection throws(RepositoryError) in
            try UnlockKeyRows(connection: connection, sealer: sealer).find(id)
        }
    }

    public func settleUnlock(
        _ id: UnlockKeyID, _ attempt: UnlockAttempt, now: Int64
    ) async throws(RepositoryError) -> UnlockOutcome {
        let outcome = try await read { [sealer] connection throws(RepositoryError) in
            try UnlockKeyRows(connection: connection, sealer: sealer).outcome(id, attempt, now: now)
        }
        if let outcome { return outcome }
        return try await write { [sealer] connection throws(RepositoryError) in
            try UnlockKeyRows(connection: connection, sealer: sealer).settle(id, attempt, now: now)
        }
    }

    public func sweepUnlockKeys(unusedSince time: Int64, limit: Int) async throws(RepositoryError) -> Int {
        let isDue = try await read { connection throws(RepositoryError) in
            try UnlockKeyRows.isDue(connection, unusedSince: time)
        }
        guard isDue else { return 0 }
        return try await write { [sealer] connection throws(RepositoryError) in
            try UnlockKeyRows(connection: connection, sealer: sealer).sweep(unusedSince: time, limit: limit)
        }
    }
}

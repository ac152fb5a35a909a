package import Accounts

/// The keys of TIM's clients, in a table of the store. The clients show no session, and then a key is nobody's; one
/// that was made or unlocked under a session goes with its user.
package struct UnlockKeys: Sendable {
    /// What is left of a key that is locked is its row, without the content. A number on disk stands for the content
    /// while everything is sealed anew, as this table was there before wings brought theirs.
    package static let table = Table(
        "unlock_keys", key: .bytes("id"),
        [
            .sealed("content", Table.Seal(number: 9)).optional.hidden, .integer("failures"),
            .integer("created"), .integer("used"), .integer("user_id").optional,
        ], owner: .user("user_id", merged: .moves), expiry: nil, age: "used")
    /// When a key was used is known to the day: to tell it any better each success would be a write.
    private static let useIntervalSeconds: Int64 = 86_400

    private let repository: any TableRepository

    package init(_ repository: any TableRepository) { self.repository = repository }

    /// Keeps a new key.
    ///
    /// - Parameters:
    ///   - content: opaque; it is sealed for this key's row alone.
    ///   - user: whose it is, where that is known.
    ///   - now: seconds since 1970.
    package func add(
        _ id: UnlockKeyID, content: [UInt8], of user: UserID? = nil, now: Int64
    ) async throws(RepositoryError) {
        let key = KeptKey(id: id, content: content, failures: 0, created: now, used: now, user: user)
        try await repository.changeRows(now: now) { rows throws(RepositoryError) in
            if try rows.insert(key.cells, into: Self.table) { return }
            // A database may have done it before, and not been able to say so.
            guard try KeptKey(id, in: rows) == key else { throw .unavailable(.corrupt) }
        }
    }

    /// - Returns: the key of that name; nil when there is none.
    package func find(_ id: UnlockKeyID) async throws(RepositoryError) -> KeptKey? {
        try await repository.readRows { rows throws(RepositoryError) in try KeptKey(id, in: rows) }
    }

    /// Counts an attempt, and says what may be told of it: of any number that come at once, as many wrong passwords as
    /// ``UnlockDecision/maximumFailures`` are judged in all, and what comes after them is refused, whatever it was. The
    /// right password ends the row of wrong ones, and a long secret does not. The third wrong one destroys the content
    /// in the transaction that counts it, and the audit trail has it.
    ///
    /// - Parameters:
    ///   - purpose: what a right secret does, in that same transaction.
    ///   - user: whose session the request has shown; a key that is nobody's is this one's from then on.
    package func settle(
        _ id: UnlockKeyID, _ attempt: UnlockAttempt, for purpose: UnlockPurpose = .unlocking, by user: UserID? = nil,
        now: Int64
    ) async throws(RepositoryError) -> UnlockOutcome {
        guard let key = try await find(id) else { return .missing }
        switch UnlockDecision.decide(attempt, failures: key.failures, isLocked: key.isLocked) {
        case .refuse: return .locked
        case .unlock
        where purpose == .unlocking && (user == nil || key.user != nil) && !Self.isWritten(attempt, key, now: now):
            return .unlocked
        case .unlock, .count, .lock: break
        }
        // Decided once more within the transaction that counts, so that of two attempts the second knows of the first.
        return try await repository.changeRows(now: now) { rows throws(RepositoryError) in
            try Self.settle(id, attempt, for: purpose, by: user, in: rows, now: now)
        }
    }

    /// Removes about `limit` keys that nobody has unlocked since a time, locked ones among them, in one short
    /// transaction.
    ///
    /// - Parameters:
    ///   - time: seconds since 1970.
    ///   - now: seconds since 1970.
    /// - Returns: how many went.
    package func sweep(unusedSince time: Int64, limit: Int, now: Int64) async throws(RepositoryError) -> Int {
        let isDue = try await repository.readRows { rows throws(RepositoryError) in
            try rows.hasRows(of: Self.table, before: time)
        }
        guard isDue else { return 0 }
        return try await repository.changeRows(now: now) { rows throws(RepositoryError) in
            try rows.deleteRows(of: Self.table, before: time, limit: limit)
        }
    }

    private static func settle(
        _ id: UnlockKeyID, _ attempt: UnlockAttempt, for purpose: UnlockPurpose, by user: UserID?,
        in rows: any TableRows, now: Int64
    ) throws(RepositoryError) -> UnlockOutcome {
        guard var key = try KeptKey(id, in: rows) else { return .missing }
        let outcome: UnlockOutcome
        switch UnlockDecision.decide(attempt, failures: key.failures, isLocked: key.isLocked) {
        case .refuse: return .locked
        case .unlock where purpose == .revoking:
            _ = try rows.delete(.bytes(id.bytes), from: table)
            try rows.note(.unlockKeyRevoked, of: key.user)
            return .unlocked
        case .unlock:
            outcome = .unlocked
            key.user = key.user ?? user
            key.used = max(now, key.used)
            if attempt != .longSecret { key.failures = 0 }
        case .count:
            outcome = .wrong
            key.failures += 1
        case .lock:
            outcome = .locked
            key.failures += 1
            key.content = nil
            try rows.note(.unlockKeyLocked, of: key.user)
        }
        _ = try rows.replace(key.cells, in: table)
        return outcome
    }

    /// Whether the success of an attempt changes the row.
    private static func isWritten(_ attempt: UnlockAttempt, _ key: KeptKey, now: Int64) -> Bool {
        let endsRow = attempt != .longSecret && key.failures > 0
        return endsRow || key.used < now - useIntervalSeconds
    }
}

extension AuditEvent.Kind {
    /// Of a key the password was wrong three times in a row: it is destroyed.
    package static let unlockKeyLocked = Self(rawValue: "unlock_key_locked")
    /// Who had a key's secret has taken it out of use.
    package static let unlockKeyRevoked = Self(rawValue: "unlock_key_revoked")
}

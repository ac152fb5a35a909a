public import Accounts

extension SQLStore {
    public func lock(
        _ user: UserID, _ lock: Lock, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await write(of: .user(user)) { [sealer] connection throws(RepositoryError) in
            guard try UserRows.exists(user, connection) else { return false }
            try LockRows(connection: connection, now: now).put(lock, on: user, recordedBy: sealer)
            _ = try SessionEnd(connection: connection, sealer: sealer, now: now).endAll(of: user, except: nil, line)
            try AuditTrail(connection: connection, now: now).add(.userLocked, user: user)
            return true
        }
    }

    public func unlock(_ user: UserID, line: NotBefore, now: Int64) async throws(RepositoryError) -> Bool {
        try await write(of: .user(user)) { [sealer] connection throws(RepositoryError) in
            let lines = NotBeforeRows(connection: connection, sealer: sealer, now: now)
            let locks = LockRows(connection: connection, now: now)
            var wasLocked = try lines.unlock(user)
            if try locks.removeAll(of: user) { wasLocked = true }
            guard wasLocked else { return false }
            try LedgerRows(connection: connection, sealer: sealer, now: now).add(.unlocked(user))
            try lines.draw(line, for: user)
            try AuditTrail(connection: connection, now: now).add(.userUnlocked, user: user)
            return true
        }
    }

    public func lock(of user: UserID, now: Int64) async throws(RepositoryError) -> Lock? {
        try await read { connection throws(RepositoryError) in
            let lock = try LockRows(connection: connection, now: now).find(user)
            return lock?.holds(now: now) == true ? lock : nil
        }
    }
}

public import Accounts

/// The end of what the audit trail keeps.
enum AuditRetention {
    static let remove = Query(
        "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < ? ORDER BY at LIMIT ?)")
}

extension SQLStore {
    public func removeAuditEvents(before time: Int64, limit: Int) async throws(RepositoryError) -> Int {
        try await write { connection throws(RepositoryError) in
            try connection.run(AuditRetention.remove, time, Int64(limit))
            return connection.changes
        }
    }

    public func note(
        _ kind: AuditEvent.Kind, of user: UserID?, _ fields: [String], now: Int64
    ) async throws(RepositoryError) {
        try await write { connection throws(RepositoryError) in
            try AuditTrail(connection: connection, now: now).add(kind, user: user, fields: fields)
        }
    }
}

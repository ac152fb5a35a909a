public import Accounts

/// The audit trail: rows are only ever added.
struct AuditTrail {
    private static let insert = Query(
        "INSERT INTO audit (at, event, user_id, old_identity, new_identity) VALUES (?, ?, ?, ?, ?)")
    fileprivate static let after = Query(
        "SELECT id, at, event, user_id, old_identity, new_identity FROM audit WHERE id > ? ORDER BY id LIMIT ?")

    let connection: Connection
    let now: Int64

    func add(
        _ kind: AuditEvent.Kind, user: UserID?, old: IdentityID? = nil, new: IdentityID? = nil
    ) throws(RepositoryError) {
        try connection.run(Self.insert, now, kind.rawValue, user, old, new)
    }
}

extension SQLiteAccounts {
    public func auditEvents(after id: Int64, limit: Int) async throws(RepositoryError) -> [AuditEvent] {
        try await readers.read { connection throws(RepositoryError) in
            try connection.all(AuditTrail.after, id, Int64(limit)) { row throws(RepositoryError) in
                guard let kind = AuditEvent.Kind(rawValue: row.text(2)) else { throw .unavailable(.corrupt) }
                return AuditEvent(
                    id: row.integer(0), at: row.integer(1), kind: kind,
                    user: row.optionalInteger(3).map(UserID.init(rawValue:)),
                    oldIdentity: row.optionalInteger(4).map(IdentityID.init(rawValue:)),
                    newIdentity: row.optionalInteger(5).map(IdentityID.init(rawValue:)))
            }
        }
    }
}

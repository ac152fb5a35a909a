package import Accounts

/// The audit trail: rows are only ever added.
package struct AuditTrail {
    private static let insert = Query(
        "INSERT INTO audit (at, event, user_id, old_identity, new_identity) VALUES (?, ?, ?, ?, ?)")
    static let isNoted = Query(
        "SELECT 1 FROM audit WHERE user_id = ? AND event = ? AND old_identity = ? AND at >= ? LIMIT 1")
    private static let columns = "id, at, event, user_id, old_identity, new_identity"
    private static let after = Query("SELECT \(columns) FROM audit WHERE id > ? ORDER BY id LIMIT ?")
    private static let ofUser = Query("SELECT \(columns) FROM audit WHERE user_id = ? AND id > ? ORDER BY id LIMIT ?")

    package let connection: any Connection
    package let now: Int64

    package init(connection: any Connection, now: Int64) {
        self.connection = connection
        self.now = now
    }

    package func add(
        _ kind: AuditEvent.Kind, user: UserID?, old: IdentityID? = nil, new: IdentityID? = nil
    ) throws(RepositoryError) {
        try connection.run(Self.insert, now, kind.rawValue, user, old, new)
    }

    /// Whether an event of that kind was noted of an identity since a time.
    package func has(
        _ kind: AuditEvent.Kind, user: UserID, old: IdentityID, since time: Int64
    ) throws(RepositoryError) -> Bool {
        try connection.first(Self.isNoted, user, kind.rawValue, old, time) { _ in true } ?? false
    }

    package static func events(
        _ connection: any Connection, after id: Int64, limit: Int64, user: UserID?
    ) throws(RepositoryError) -> [AuditEvent] {
        guard let user else {
            return try connection.all(after, id, limit) { row throws(RepositoryError) in try event(row) }
        }
        return try connection.all(ofUser, user, id, limit) { row throws(RepositoryError) in try event(row) }
    }

    private static func event(_ row: any Statement) throws(RepositoryError) -> AuditEvent {
        guard let kind = AuditEvent.Kind(rawValue: row.text(2)) else { throw .unavailable(.corrupt) }
        return AuditEvent(
            id: row.integer(0), at: row.integer(1), kind: kind,
            user: row.optionalInteger(3).map(UserID.init(rawValue:)),
            oldIdentity: row.optionalInteger(4).map(IdentityID.init(rawValue:)),
            newIdentity: row.optionalInteger(5).map(IdentityID.init(rawValue:)))
    }
}

package import Accounts

/// The audit trail: rows are only ever added. What is added here, and by the single statement of PostgreSQL that makes
/// a user, is all that an ``AuditObserver`` is told.
package struct AuditTrail {
    private static let insert = Query(
        """
        INSERT INTO audit (\(AuditColumn.names))
        VALUES (\(AuditColumn.allCases.map { _ in "?" }.joined(separator: ", ")))
        """)
    static let isNoted = Query(
        "SELECT 1 FROM audit WHERE user_id = ? AND event = ? AND old_identity = ? AND at >= ? LIMIT 1")
    private static let after = Query("SELECT \(AuditColumn.readNames) FROM audit WHERE id > ? ORDER BY id LIMIT ?")
    private static let ofUser = Query(
        "SELECT \(AuditColumn.readNames) FROM audit WHERE user_id = ? AND id > ? ORDER BY id LIMIT ?")

    package let connection: any Connection
    package let now: Int64

    package init(connection: any Connection, now: Int64) {
        self.connection = connection
        self.now = now
    }

    package func add(
        _ kind: AuditEvent.Kind, user: UserID?, old: IdentityID? = nil, new: IdentityID? = nil, fields: [String] = []
    ) throws(RepositoryError) {
        try add(
            NewAuditEvent(at: now, kind: kind, user: user, oldIdentity: old, newIdentity: new, fields: fields))
    }

    package func add(_ event: NewAuditEvent) throws(RepositoryError) {
        try connection.run(Self.insert) { statement throws(RepositoryError) in
            for (index, column) in AuditColumn.allCases.enumerated() {
                try column.value(in: event).bind(to: statement, at: Int32(index + 1))
            }
        }
        connection.notedEvents?.append(event)
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
        AuditEvent(
            id: row.integer(0), at: row.integer(1), kind: AuditEvent.Kind(rawValue: row.text(2)),
            user: row.optionalInteger(3).map(UserID.init(rawValue:)),
            oldIdentity: row.optionalInteger(4).map(IdentityID.init(rawValue:)),
            newIdentity: row.optionalInteger(5).map(IdentityID.init(rawValue:)),
            fields: AuditColumn.fields(in: row.optionalText(6)))
    }
}

public import Accounts

extension AuditEvent.Kind {
    // What a caller can do again and again with one token, or an operator with one look, and what is then the same
    // thing each time.
    private static let counted: Set<AuditEvent.Kind> = [
        .signInAnswerRepeated, .refreshAnswerRepeated, .refreshAnswerRepeatedLate, .reusableRefreshTokenUsed,
        .refreshTokenReused, .appCodeReused, .pushReused,
        .migrationConflict, .mergeOffered, .linkConflict, .crossClientKeyAmbiguous, .profileEdited, .userViewed,
        .userExported, .usersSearched, .auditViewed, .attributesMatched,
    ]

    /// Whether only the first of many in a minute gets a row of its own.
    var isCounted: Bool { Self.counted.contains(self) }
}

/// The same thing again and again: the first time is told at once, and how often it happened since once a minute, in
/// one row. So nobody can fill the audit trail with one token, and nothing is left out of the count.
///
/// The counts are kept in the store, so that all instances share them and a crash loses none.
struct AuditRepeats {
    /// Of how many seconds one row tells.
    static let interval: Int64 = 60

    private static let count = Query("UPDATE audit_repeats SET count = count + 1 WHERE thing = ? AND since > ?")
    private static let begin = Query(
        """
        INSERT INTO audit_repeats (thing, since, row_id, count) VALUES (?1, ?2, ?3, 0)
        ON CONFLICT (thing) DO UPDATE SET since = ?2, row_id = ?3, count = 0
        """)
    private static let find = Query("SELECT row_id, count FROM audit_repeats WHERE thing = ?")
    static let due = Query("SELECT thing, row_id, count FROM audit_repeats WHERE since <= ? ORDER BY since LIMIT ?")
    private static let row = Query("SELECT \(AuditColumn.readNames) FROM audit WHERE id = ?")
    private static let end = Query("DELETE FROM audit_repeats WHERE thing = ?")

    let trail: AuditTrail

    private var connection: any StoreConnection { trail.connection }

    /// Adds an event, or counts it where the same thing has a row of the last minute.
    func add(_ event: NewAuditEvent) throws(RepositoryError) {
        let thing = Self.thing(event)
        try connection.run(Self.count, thing, trail.now - Self.interval)
        if connection.changes > 0 { return }
        if let (row, count) = try connection.first(Self.find, thing, read: { ($0.integer(0), $0.integer(1)) }) {
            // Its minute is over, and nobody has told of it yet.
            _ = try sum(row, count)
        }
        try connection.run(Self.begin, thing, trail.now, try trail.insertNumbered(event))
    }

    /// Tells of minutes that are over, at most so many.
    ///
    /// What goes on has its next minute begin then, so that it has one row a minute; what has not happened again is
    /// forgotten.
    ///
    /// - Returns: at how many it looked.
    func settle(limit: Int) throws(RepositoryError) -> Int {
        let due = try connection.all(Self.due, trail.now - Self.interval, Int64(limit)) {
            (thing: $0.text(0), row: $0.integer(1), count: $0.integer(2))
        }
        for (thing, row, count) in due {
            if let told = try sum(row, count) {
                try connection.run(Self.begin, thing, trail.now, told)
            } else {
                try connection.run(Self.end, thing)
            }
        }
        return due.count
    }

    /// Adds the row that tells how often it happened again.
    ///
    /// - Parameter row: the last one that tells of the same.
    /// - Returns: the row's number; nil where it did not, or where the retention has taken the last one.
    private func sum(_ row: Int64, _ count: Int64) throws(RepositoryError) -> Int64? {
        guard count > 0 else { return nil }
        let found = try connection.first(Self.row, row) { row throws(RepositoryError) in
            try AuditColumn.event(StatementRow(row))
        }
        guard let found, var origin = found.origin else { return nil }
        // Of several, none is named.
        origin.request = nil
        return try trail.insertNumbered(
            NewAuditEvent(
                at: trail.now, kind: found.kind, user: found.user, oldIdentity: found.oldIdentity,
                newIdentity: found.newIdentity, fields: found.fields, origin: origin, count: count))
    }

    /// What makes two events the same thing: all but when it was and in which request. No part has a line break.
    private static func thing(_ event: NewAuditEvent) -> String {
        let parts: [String?] = [
            event.kind.rawValue, event.origin.actor.text, event.user.map { "\($0)" },
            event.oldIdentity.map { "\($0)" }, event.newIdentity.map { "\($0)" }, event.origin.app,
            event.origin.session.map { "\($0)" }, AuditColumn.text(of: event.fields), event.origin.reason,
        ]
        return parts.map { $0 ?? "" }.joined(separator: "\n")
    }
}

extension SQLStore {
    public func settleAudit(now: Int64, limit: Int) async throws(RepositoryError) -> Int {
        let isDue = try await read { connection throws(RepositoryError) in
            try connection.first(AuditRepeats.due, now - AuditRepeats.interval, 1 as Int64) { _ in true } ?? false
        }
        guard isDue else { return 0 }
        return try await write { connection throws(RepositoryError) in
            try AuditRepeats(trail: AuditTrail(connection: connection, now: now)).settle(limit: limit)
        }
    }
}

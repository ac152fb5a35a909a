public import Accounts
import AccountsSQL
import Postgres

/// The audit trail for who reads it page by page. Numbers are given out in another order than transactions end: a page
/// that went by them alone would pass over an event whose number is low and whose transaction ended late, for good. So
/// events come in the order of the transactions that have written them, and not before all transactions of this
/// database that began earlier have ended. Those of other databases on the same server may last for hours, and concern
/// nobody here.
enum AuditStatements {
    // The place of the row that the reader had last, by its own transaction: one with a lower number may have been
    // written by a later one, and is still to come. Where that row is gone, those before it are looked at.
    private static let writer =
        """
        coalesce((SELECT writer FROM audit WHERE id = $1), (SELECT max(writer) FROM audit WHERE id <= $1), '0'::xid8)
        """
    private static let from = "(writer, id) > (\(writer), $1)"
    private static let page = "\(from) AND writer < $2::text::xid8 ORDER BY writer, id LIMIT $3"

    static let everybodys = Postgres.Statement("SELECT \(AuditColumn.readNames) FROM audit WHERE \(page)")
    static let ofUser = Postgres.Statement("SELECT \(AuditColumn.readNames) FROM audit WHERE user_id = $4 AND \(page)")
    // All before it are over: a transaction that has a lower number than the snapshot's next one had it when the
    // statement began, and is looked for after that. A session's number lacks its upper half, which is that of the next
    // one, or one less. Where sessions are another role's, and so show no number, the server's own bound has to do.
    static let horizon = Postgres.Statement(
        """
        WITH next AS (
            SELECT xmax::text::int8 AS number, xmax::text::int8 % 4294967296 AS lower, xmin::text::int8 AS oldest
            FROM (SELECT pg_snapshot_xmax(now) AS xmax, pg_snapshot_xmin(now) AS xmin
                FROM pg_current_snapshot() AS now) AS snapshot
        ), running AS (
            SELECT backend_xid::text::int8 AS number, usename IS DISTINCT FROM current_user AND state IS NULL AS is_hidden
            FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        )
        SELECT CASE WHEN bool_or(is_hidden) THEN min(next.oldest) ELSE least(min(next.number), min(
            next.number - next.lower + running.number
                - CASE WHEN running.number > next.lower THEN 4294967296 ELSE 0 END)) END
        FROM next LEFT JOIN running ON true
        """)
    static let isAnyWithheld = Postgres.Statement("SELECT 1 FROM audit WHERE writer >= $1::text::xid8 LIMIT 1")

    static func event(_ row: StoredRow) throws(RepositoryError) -> AuditEvent {
        AuditEvent(
            id: try row.integer(0), at: try row.integer(1), kind: AuditEvent.Kind(rawValue: try row.text(2)),
            user: try row.optionalUser(3),
            oldIdentity: try row.optionalIdentity(4), newIdentity: try row.optionalIdentity(5),
            fields: AuditColumn.fields(in: try row.optionalText(6)))
    }
}

extension PostgresAccounts {
    /// How long a reader waits for transactions that began before those whose events he could have.
    private static let auditPause = Duration.milliseconds(10)
    private static let auditPauses = 100

    public func auditEvents(
        after id: Int64, limit: Int, user: UserID?
    ) async throws(RepositoryError) -> [AuditEvent] {
        let rows =
            switch settings.dialect {
            case .postgresql: try await auditEventsInOrder(after: id, limit: limit, user: user)
            case .distributed: try await auditEventsByTime(after: id, limit: limit, user: user)
            }
        var events: [AuditEvent] = []
        for row in rows { events.append(try AuditStatements.event(row)) }
        return events
    }

    private func auditEventsInOrder(
        after id: Int64, limit: Int, user: UserID?
    ) async throws(RepositoryError) -> [StoredRow] {
        let work = Work(self)
        var horizon = try await settledUpTo(work)
        // So that who has just done something finds it, nearly always.
        for _ in 0..<Self.auditPauses where try await work.any(AuditStatements.isAnyWithheld, horizon) {
            await pool(.durable).rest(Self.auditPause)
            horizon = try await settledUpTo(work)
        }
        guard let user else {
            return try await work.all(AuditStatements.everybodys, .integer(id), horizon, .integer(Int64(limit)))
        }
        return try await work.all(
            AuditStatements.ofUser, .integer(id), horizon, .integer(Int64(limit)), .integer(user.rawValue))
    }

    /// The number of a transaction before which all are over, as text: the server's type for these has no other way in.
    private func settledUpTo(_ work: Work) async throws(RepositoryError) -> Value {
        guard let row = try await work.first(AuditStatements.horizon) else { throw .unavailable(.corrupt) }
        return .text(String(try row.integer(0)))
    }
}

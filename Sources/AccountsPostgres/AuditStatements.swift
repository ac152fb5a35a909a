public import Accounts
import AccountsSQL
import Postgres
import System

/// The audit trail for who reads it page by page. Numbers are given out in another order than transactions end: a page
/// that went by them alone would pass over an event whose number is low and whose transaction ended late, for good. So
/// events come in the order of the transactions that have written them, and not before all transactions of this
/// database that began earlier have ended. Those of other databases on the same server may last for hours, and concern
/// nobody here.
enum AuditStatements {
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
        SELECT \(epoch) + CASE WHEN bool_or(is_hidden) THEN min(next.oldest) ELSE least(min(next.number), min(
            next.number - next.lower + running.number
                - CASE WHEN running.number > next.lower THEN 4294967296 ELSE 0 END)) END
        FROM next LEFT JOIN running ON true
        """)
    // As in the column's default (``Schema``).
    private static let epoch = "(coalesce(pg_sequence_last_value('audit_epochs'::regclass), 0) << 48)"
    // Events of a history that this cluster has not been through: it was moved, and all that come now stand behind.
    static let passForeignEvents = Postgres.Statement(
        """
        SELECT setval('audit_epochs', (newest.writer::text::numeric / 281474976710656)::int8 + 1)
        FROM (SELECT writer FROM audit ORDER BY writer DESC LIMIT 1) AS newest
        WHERE newest.writer >= (\(epoch) + pg_snapshot_xmax(pg_current_snapshot())::text::int8)::text::xid8
        """)
    static let isAnyWithheld = Postgres.Statement("SELECT 1 FROM audit WHERE writer >= $1::text::xid8 LIMIT 1")
}

extension PostgresAccounts {
    /// How long a reader waits for transactions that began before those whose events it could have.
    private static let auditPause = Duration.milliseconds(10)
    private static let auditPauses = 100

    public func auditPage(_ query: AuditQuery) async throws(RepositoryError) -> AuditPage? {
        switch settings.dialect {
        case .postgresql:
            let work = Work(self)
            let horizon = try await settledUpTo(work)
            if query.place != .start || query.order == .oldestFirst {
                let page = try await self.page(query, by: .transaction, up: horizon, work)
                // Further back nothing comes any more, and who has a full page need not wait for what is behind it.
                guard let page, query.order == .oldestFirst, page.events.count < query.limit else { return page }
            }
            let settled = try await settled(from: horizon, work)
            return try await self.page(query, by: .transaction, up: settled, work)
        case .distributed:
            let horizon = AuditByTime.horizon(
                now: WallClock.now.seconds, transactionTimeout: settings.transactionTimeout,
                clockSkewSeconds: settings.clockSkewSeconds)
            return try await page(query, by: .time, up: horizon, Work(self))
        }
    }

    private func page(
        _ query: AuditQuery, by sequence: AuditCursor.Sequence, up horizon: Int64, _ work: Work
    ) async throws(RepositoryError) -> AuditPage? {
        guard let select = AuditSelect(query, by: sequence, horizon: horizon) else { return nil }
        let command = Command(
            KnownStatements.shared.statement(of: select.prepared, select.values.map(Value.init)),
            select.values.map(Value.init))
        var (events, ranks): ([AuditEvent], [Int64]) = ([], [])
        for row in try await work.rows(command) {
            let row = StoredRow(row)
            let event = try AuditColumn.event(row)
            events.append(event)
            ranks.append(try sequence == .transaction ? Self.number(row, AuditColumn.allCases.count + 1) : event.at)
        }
        return AuditPage(events, ranks: ranks, sequence, query)
    }

    private static func number(_ row: StoredRow, _ column: Int) throws(RepositoryError) -> Int64 {
        guard let number = Int64(try row.text(column)) else { throw .unavailable(.corrupt) }
        return number
    }

    /// Up to where all is told, once what has just been done is, nearly always.
    private func settled(from first: Int64, _ work: Work) async throws(RepositoryError) -> Int64 {
        var horizon = first
        for _ in 0..<Self.auditPauses
        where try await work.any(AuditStatements.isAnyWithheld, .text(String(horizon))) {
            await pool(.durable).rest(Self.auditPause)
            horizon = try await settledUpTo(work)
        }
        return horizon
    }

    /// The number of a transaction before which all are over.
    private func settledUpTo(_ work: Work) async throws(RepositoryError) -> Int64 {
        guard let row = try await work.first(AuditStatements.horizon) else { throw .unavailable(.corrupt) }
        return try row.integer(0)
    }
}

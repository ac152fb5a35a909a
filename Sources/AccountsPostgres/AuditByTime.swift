import Accounts
import AccountsSQL
import Postgres
import System

/// The audit trail of a database whose transactions have no numbers: in the order of time. An event is shown once every
/// transaction that may still bring an earlier one has ended, be it by its deadline.
enum AuditByTime {
    private static let from =
        """
        (at, id) > (coalesce((SELECT at FROM audit WHERE id = $1), (SELECT max(at) FROM audit WHERE id < $1), 0), $1)
        """
    private static let page = "\(from) AND at <= $2 ORDER BY at, id LIMIT $3"
    static let everybodys = Postgres.Statement("SELECT \(AuditColumn.readNames) FROM audit WHERE \(page)")
    static let ofUser = Postgres.Statement(
        "SELECT \(AuditColumn.readNames) FROM audit WHERE user_id = $4 AND \(page)")

    /// Between the clocks of two instances, each as far from the database's as one may be that is ready.
    private static let skew = 2 * PostgresAccounts.clockTolerance

    /// - Parameter transactionTimeout: after which no transaction brings anything.
    /// - Returns: up to when all events are there, in seconds since 1970.
    static func horizon(now: Int64, transactionTimeout: Duration) -> Int64 {
        now - transactionTimeout.components.seconds - 1 - skew
    }
}

extension PostgresAccounts {
    func auditEventsByTime(after id: Int64, limit: Int, user: UserID?) async throws(RepositoryError) -> [StoredRow] {
        let horizon = AuditByTime.horizon(
            now: WallClock.now.seconds, transactionTimeout: settings.transactionTimeout)
        let work = Work(self)
        guard let user else {
            return try await work.all(AuditByTime.everybodys, .integer(id), .integer(horizon), .integer(Int64(limit)))
        }
        return try await work.all(
            AuditByTime.ofUser, .integer(id), .integer(horizon), .integer(Int64(limit)), .integer(user.rawValue))
    }
}

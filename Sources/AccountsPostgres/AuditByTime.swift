import Accounts
import AccountsSQL
import Postgres
import System

/// The audit trail of a database whose transactions have no numbers: in the order of time. An event is shown once every
/// transaction that may still bring an earlier one has ended, be it by its deadline.
enum AuditByTime {
    /// Between the clocks of two instances, each as far from the database's as one may be that is ready.
    private static let skew = 2 * PostgresAccounts.clockTolerance

    /// - Parameter transactionTimeout: after which no transaction brings anything.
    /// - Returns: up to when all events are there, in seconds since 1970.
    static func horizon(now: Int64, transactionTimeout: Duration) -> Int64 {
        now - transactionTimeout.components.seconds - 1 - skew
    }
}

import Accounts
import AccountsSQL
import Postgres
import System

/// The audit trail of a database whose transactions have no numbers: in the order of time. An event is shown once every
/// transaction that may still bring an earlier one has ended, be it by its deadline.
enum AuditByTime {
    /// - Parameters:
    ///   - transactionTimeout: after which no transaction brings anything.
    ///   - clockSkewSeconds: how far an instance's clock may be from the database's; two instances' twice that.
    /// - Returns: up to when all events are there, in seconds since 1970.
    static func horizon(now: Int64, transactionTimeout: Duration, clockSkewSeconds: Int64) -> Int64 {
        now - transactionTimeout.components.seconds - 1 - 2 * clockSkewSeconds
    }
}

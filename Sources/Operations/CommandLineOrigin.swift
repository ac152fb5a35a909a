import Accounts
import Composition
import System

/// Where what a command does comes from, for the audit trail: the owner of the account that runs it.
enum CommandLineOrigin {
    /// Has the stores that `body` opens and changes know who does it.
    ///
    /// - Parameter reason: why, in their own words.
    static func bind<Value>(
        because reason: AuditReason? = nil, _ body: () async throws -> Value
    ) async rethrows -> Value {
        let origin = AuditOrigin(actor: .commandLine(Account.name), reason: reason?.text)
        return try await AuditContext.$current.withValue(AuditContext(origin)) { try await body() }
    }
}

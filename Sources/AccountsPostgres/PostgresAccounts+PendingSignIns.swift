public import Accounts
import AccountsSQL
import Postgres

/// Sign-ins through the browser, of which anybody may begin as many as they like: what they do to a row each does by
/// itself, so that none waits for another.
extension PostgresAccounts {
    private static let find = Postgres.Statement(
        "SELECT browser, content, expires, narrow, wide FROM pending_sign_ins WHERE handle = $1 AND expires > $2")
    private static let end = Postgres.Statement("DELETE FROM pending_sign_ins WHERE handle = $1 AND expires > $2")

    public func beginSignIn(
        _ pending: PendingSignIn, instead former: TokenHash?, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await write(.readCommitted) { connection throws(RepositoryError) in
            let rows = PendingSignInRows(connection: connection)
            if let former, try !rows.delete(former, now: now) { return false }
            try rows.insert(pending)
            return true
        }
    }

    public func pendingSignIn(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> PendingSignIn? {
        guard let row = try await Work(self).first(Self.find, .hash(handle), .integer(now)) else { return nil }
        return PendingSignIn(
            handle: handle, browser: try row.hash(0), content: try row.bytes(1), expiresAt: try row.integer(2),
            holder: NetworkHash(narrow: try row.integer(3), wide: try row.integer(4)))
    }

    public func endPendingSignIn(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> Bool {
        try await Work(self).run(Self.end, .hash(handle), .integer(now)) == 1
    }
}

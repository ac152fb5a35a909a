public import Accounts

/// The sign-ins through the browser that have begun, the oldest with the lowest number.
package struct PendingSignInRows {
    private static let insert = Query(
        """
        INSERT INTO pending_sign_ins (handle, browser, content, expires) VALUES (?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """)
    // Numbers are never given twice, so that so many before the last one is as far back as any may lie. Numbers in
    // between may have gone, and then fewer are kept than might be.
    private static let makeRoom = Query(
        """
        DELETE FROM pending_sign_ins
        WHERE number <= (SELECT max(number) FROM pending_sign_ins) - ?
        """)
    private static let find = Query(
        "SELECT browser, content, expires FROM pending_sign_ins WHERE handle = ? AND expires > ?")
    private static let delete = Query("DELETE FROM pending_sign_ins WHERE handle = ? AND expires > ?")

    package let connection: any Connection

    package init(connection: any Connection) {
        self.connection = connection
    }

    package func insert(_ pending: PendingSignIn, maximum: Int64) throws(RepositoryError) {
        try connection.run(Self.insert, pending.handle, pending.browser, pending.content, pending.expiresAt)
        try connection.run(Self.makeRoom, maximum)
    }

    package func find(_ handle: TokenHash, now: Int64) throws(RepositoryError) -> PendingSignIn? {
        try connection.first(Self.find, handle, now) { row throws(RepositoryError) in
            PendingSignIn(
                handle: handle, browser: try row.hash(0), content: row.blob(1), expiresAt: row.integer(2))
        }
    }

    /// - Returns: whether it was there.
    package func delete(_ handle: TokenHash, now: Int64) throws(RepositoryError) -> Bool {
        try connection.run(Self.delete, handle, now)
        return connection.changes == 1
    }
}

extension SQLStore {
    public func beginSignIn(
        _ pending: PendingSignIn, instead former: TokenHash?, maximum: Int64, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await write { connection throws(RepositoryError) in
            let rows = PendingSignInRows(connection: connection)
            if let former, try !rows.delete(former, now: now) { return false }
            try rows.insert(pending, maximum: maximum)
            return true
        }
    }

    public func pendingSignIn(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> PendingSignIn? {
        try await read { connection throws(RepositoryError) in
            try PendingSignInRows(connection: connection).find(handle, now: now)
        }
    }

    public func endPendingSignIn(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> Bool {
        try await write { connection throws(RepositoryError) in
            try PendingSignInRows(connection: connection).delete(handle, now: now)
        }
    }
}

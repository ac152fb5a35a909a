public import Accounts

/// How often sign-ins failed: counts, of which a minute has a bounded number.
extension SQLiteAccounts {
    private static let addFailed = Query(
        """
        INSERT INTO failed_sign_ins (at, provider, reason, network, count, expires) VALUES (?, ?, ?, ?, ?, ?)
        """)
    private static let failedAfter = Query(
        "SELECT id, at, provider, reason, network, count FROM failed_sign_ins WHERE id > ? ORDER BY id LIMIT ?")

    public func addFailedSignIns(
        _ counts: [FailedSignInCount], at: Int64, expiresAt: Int64
    ) async throws(RepositoryError) {
        try await writer.write { connection throws(RepositoryError) in
            for count in counts {
                try connection.run(
                    Self.addFailed, at, count.provider, count.reason, count.network, Int64(count.count), expiresAt)
            }
        }
    }

    public func failedSignIns(after id: Int64, limit: Int) async throws(RepositoryError) -> [FailedSignIns] {
        try await operatorReader.read { connection throws(RepositoryError) in
            try connection.all(Self.failedAfter, id, Int64(limit)) { row in
                FailedSignIns(
                    id: row.integer(0), at: row.integer(1),
                    count: FailedSignInCount(
                        provider: row.optionalText(2), reason: row.text(3), network: row.optionalText(4),
                        count: Int(row.integer(5))))
            }
        }
    }
}

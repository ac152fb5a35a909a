public import Accounts

/// How often sign-ins failed: counts, of which a minute has a bounded number.
struct FailedSignInRows {
    // Numbers are given out in another order than transactions end, and a reader that has gone past a number does not
    // come back to a lower one. So each writer that adds rows first takes this row, and has it until its own are to be
    // seen.
    private static let takeTurn = Query(
        """
        INSERT INTO meta (name, value) VALUES ('failed_sign_ins', 1)
        ON CONFLICT (name) DO UPDATE SET value = meta.value + 1
        """)
    private static let add = Query(
        """
        INSERT INTO failed_sign_ins (at, provider, reason, network, count, expires, correlations)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """)
    private static let find = Query(
        """
        SELECT id, at, provider, reason, network, count, correlations FROM failed_sign_ins
        WHERE id > ? AND at >= ? AND at < ? AND ? IN ('', provider)
            AND ' ' || coalesce(correlations, '') || ' ' LIKE ? ORDER BY id LIMIT ?
        """)

    let connection: any StoreConnection

    func add(_ counts: [FailedSignInCount], at: Int64, expiresAt: Int64) throws(RepositoryError) {
        guard !counts.isEmpty else { return }
        try connection.run(Self.takeTurn)
        for count in counts {
            try connection.run(
                Self.add, at, count.provider, count.reason, count.network, Int64(count.count), expiresAt,
                CorrelationHash.text(of: count.names))
        }
    }

    /// - Returns: in the order of their numbers, in which they could be seen for the first time.
    func find(_ search: FailedSignInSearch) throws(RepositoryError) -> [FailedSignIns] {
        try connection.all(
            Self.find, search.after, search.since, search.until, search.provider ?? "",
            CorrelationHash.pattern(search.name), Int64(search.limit), read: Self.read)
    }

    private static func read(_ row: any Statement) -> FailedSignIns {
        FailedSignIns(
            id: row.integer(0), at: row.integer(1),
            count: FailedSignInCount(
                provider: row.optionalText(2), reason: row.text(3), network: row.optionalText(4),
                count: Int(row.integer(5)), names: CorrelationHash.hashes(in: row.optionalText(6))))
    }
}

extension SQLStore {
    public func addFailedSignIns(
        _ counts: [FailedSignInCount], at: Int64, expiresAt: Int64
    ) async throws(RepositoryError) {
        try await write { connection throws(RepositoryError) in
            try FailedSignInRows(connection: connection).add(counts, at: at, expiresAt: expiresAt)
        }
    }

    public func failedSignIns(_ search: FailedSignInSearch) async throws(RepositoryError) -> [FailedSignIns] {
        try await readAside { connection throws(RepositoryError) in
            try FailedSignInRows(connection: connection).find(search)
        }
    }
}

public import Accounts

/// The grants whose providers are to be asked again whether they are still good, and what follows where they are not.
struct GrantChecks {
    private static let isLive =
        "EXISTS (SELECT 1 FROM sessions WHERE user_id = identities.user_id"
        + " AND identity_id = identities.id AND expires > ?)"
    private static let due = Query(
        """
        SELECT \(GrantRows.columns), \(isLive)
        FROM grants JOIN identities ON identities.id = grants.identity_id
        WHERE asked <= ? AND ended IS NULL ORDER BY asked LIMIT ?
        """)
    // Two instances that look at once take each one once.
    private static let take = Query("UPDATE grants SET asked = ?3 WHERE identity_id = ?1 AND asked <= ?2")

    let connection: any StoreConnection
    let sealer: StoreSealer
    let now: Int64

    /// - Parameters:
    ///   - time: when they were asked last at the latest, in seconds since 1970.
    ///   - again: what stands for that time until there is an answer.
    func take(askedBefore time: Int64, again: Int64, limit: Int) throws(RepositoryError) -> [ProviderGrant] {
        let grants = GrantRows(connection: connection, sealer: sealer, now: now)
        let due = try connection.all(Self.due, now, time, Int64(limit)) { row throws(RepositoryError) in
            (grant: try grants.grant(row), isLive: row.integer(9) != 0)
        }
        var taken: [ProviderGrant] = []
        for (grant, isLive) in due {
            // Where nobody has a session of it, there is nothing to end before the next look.
            try connection.run(Self.take, grant.identity, time, isLive ? again : now)
            if connection.changes > 0, isLive, grant.tokens?.refreshToken != nil { taken.append(grant) }
        }
        return taken
    }

    /// - Returns: how many live sessions there were; nil where it is not the grant any more that was found.
    func end(_ grant: ProviderGrant, _ line: NotBefore) throws(RepositoryError) -> Int? {
        guard try GrantRows(connection: connection, sealer: sealer, now: now).end(grant) else { return nil }
        try NotBeforeRows(connection: connection, sealer: sealer, now: now).draw(line, for: grant.identity)
        let count = try SessionRows(connection: connection).deleteAll(
            of: grant.user, identity: grant.identity, provider: grant.provider, openedBy: now, now: now)
        try AuditTrail(connection: connection, now: now)
            .add(.providerCheckRefused, user: grant.user, old: grant.identity)
        return count
    }
}

extension SQLStore {
    public func takeGrantsToCheck(
        askedBefore time: Int64, again: Int64, limit: Int, now: Int64
    ) async throws(RepositoryError) -> [ProviderGrant] {
        try await write { [sealer] connection throws(RepositoryError) in
            try GrantChecks(connection: connection, sealer: sealer, now: now)
                .take(askedBefore: time, again: again, limit: limit)
        }
    }

    public func endSessions(
        withRefused grant: ProviderGrant, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> Int? {
        try await write { [sealer] connection throws(RepositoryError) in
            let count = try GrantChecks(connection: connection, sealer: sealer, now: now).end(grant, line)
            if count != nil { try GrantCountRows(connection: connection).add(.ended) }
            return count
        }
    }

    public func noteStoppedChecks(of provider: String, now: Int64) async throws(RepositoryError) {
        try await write { connection throws(RepositoryError) in
            try AuditTrail(connection: connection, now: now)
                .add(.providerChecksStopped, user: nil, fields: [provider])
        }
    }
}

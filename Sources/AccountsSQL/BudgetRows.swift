public import Accounts
public import Syntax

/// How often something was done of late, by what it was done for, hashed.
package struct BudgetRows {
    // A time that ends later than any that begins now is of a clock that was put back, and must not count for good.
    private static let take = Query(
        """
        INSERT INTO budgets (hash, taken, expires) VALUES (?1, 1, ?2)
        ON CONFLICT (hash) DO UPDATE SET
            taken = CASE WHEN budgets.expires <= ?3 OR budgets.expires > ?2 THEN 1 ELSE budgets.taken + 1 END,
            expires = CASE WHEN budgets.expires <= ?3 OR budgets.expires > ?2 THEN ?2 ELSE budgets.expires END
        WHERE budgets.expires <= ?3 OR budgets.expires > ?2 OR budgets.taken < ?4
        """)
    private static let end = Query("SELECT expires FROM budgets WHERE hash = ?")

    package let connection: any StoreConnection
    package let sealer: StoreSealer
    package let keys: SecretKeyCache
    /// Seconds since 1970.
    package let now: Int64

    package init(connection: any StoreConnection, sealer: StoreSealer, keys: SecretKeyCache, now: Int64) {
        (self.connection, self.sealer, self.keys, self.now) = (connection, sealer, keys, now)
    }

    /// - Returns: nil where there was one; else in how many seconds there is one again.
    package func take(_ budget: Budget, for key: [UInt8]) throws(RepositoryError) -> Int64? {
        guard budget.limit > 0 else { return budget.seconds }
        let hash = try keys.strangerHash(of: "budget \(budget.name)", key, sealer)
        try connection.run(Self.take, hash, now + budget.seconds, now, budget.limit)
        if connection.changes == 1 { return nil }
        return max(1, (try connection.first(Self.end, hash) { $0.integer(0) } ?? now) - now)
    }

    /// Where a narrow network has one left and a wide one has not, the narrow one's is lost.
    package func take(_ budget: Budget, for address: IPAddress) throws(RepositoryError) -> Int64? {
        for (name, worth) in Budget.networks(of: address) {
            let wider = Budget(budget.name, limit: budget.limit * worth, seconds: budget.seconds)
            if let wait = try take(wider, for: Array(name.utf8)) { return wait }
        }
        return nil
    }
}

extension SQLStore {
    public func take(_ budget: Budget, for key: [UInt8], now: Int64) async throws(RepositoryError) -> Int64? {
        try await write { [sealer, knownSecretKeys] connection throws(RepositoryError) in
            try BudgetRows(connection: connection, sealer: sealer, keys: knownSecretKeys, now: now)
                .take(budget, for: key)
        }
    }

    public func take(_ budget: Budget, for address: IPAddress, now: Int64) async throws(RepositoryError) -> Int64? {
        try await write { [sealer, knownSecretKeys] connection throws(RepositoryError) in
            try BudgetRows(connection: connection, sealer: sealer, keys: knownSecretKeys, now: now)
                .take(budget, for: address)
        }
    }
}

public import Accounts

extension MaintenanceRepository {
    /// Removes what has expired as soon as it has.
    public func sweepExpired(now: Int64, limit: Int) async throws(RepositoryError) -> Int {
        try await sweepExpired(now: now, lingering: 0, limit: limit)
    }
}

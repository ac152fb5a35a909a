/// Keeping the store itself in order.
public protocol MaintenanceRepository: Sendable {
    /// Removes at most about `limit` rows that have expired, in one short transaction.
    ///
    /// - Returns: how many went; as long as it is not zero, more may be left.
    func sweepExpired(now: Int64, limit: Int) async throws(RepositoryError) -> Int

    /// Puts about `limit` users' addresses and numbers into the index under its newest key, in one short transaction,
    /// going on where the last call, in whatever process, has stopped. At the end older keys are erased.
    ///
    /// - Returns: at how many users it looked; 0 when everybody is in the index.
    func indexContacts(limit: Int) async throws(RepositoryError) -> Int

    /// Overwrites what erased rows left in the store's own log. Where the log is in use, some of it stays until the next
    /// call.
    ///
    /// - Returns: whether nothing is left.
    func scrub() async throws(RepositoryError) -> Bool

    /// Makes one small durable write: throws what a sign-in would.
    func probe(now: Int64) async throws(RepositoryError)

    /// Examines the whole store, and tries to open every seal; slow.
    ///
    /// - Parameter progress: called now and then with how many values were tried and about how many there are.
    /// - Returns: what is wrong, each in one sentence; empty when all is well.
    func check(
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(RepositoryError) -> [String]

    /// Finishes what was accepted, refuses what comes after with `.unavailable(.closed)`, and lets the store go.
    func close() async
}

extension MaintenanceRepository {
    /// Examines the whole store, telling nobody how far it is.
    public func check() async throws(RepositoryError) -> [String] {
        try await check { _, _ in }
    }
}

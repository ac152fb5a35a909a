/// What operators ask, and users brought from elsewhere.
public protocol OperatorRepository: Sendable {
    /// Users by number, the lowest first.
    ///
    /// - Parameters:
    ///   - after: the last user of the page before; nil for the first page.
    ///   - limit: how many at most.
    ///   - provider: only users with an identity at it; those without one still cost a look each.
    func users(after: UserID?, limit: Int, provider: String?) async throws(RepositoryError) -> [UserSummary]

    /// Who has a subject.
    func user(with subject: Subject) async throws(RepositoryError) -> UserID?

    /// Who has an address or a number, by whatever word, the most believable first.
    ///
    /// - Parameters:
    ///   - value: in any spelling (``Contact/normalized(_:)``).
    ///   - limit: how many matches at most.
    func users(with contact: Contact, _ value: String, limit: Int) async throws(RepositoryError) -> ContactSearch

    /// Everything that is kept about a user, as of one moment.
    func record(of user: UserID, now: Int64) async throws(RepositoryError) -> UserRecord?

    /// Locks a user: nobody signs in as them, by whatever way, and all their sessions end, also what is under way to
    /// become one. A lock that is there is replaced.
    ///
    /// - Returns: whether there is such a user.
    func lock(_ user: UserID, _ lock: Lock, line: NotBefore, now: Int64) async throws(RepositoryError) -> Bool

    /// Lets a user in again, by every identity; also one who was erased while locked.
    ///
    /// - Parameter line: what they must have done since.
    /// - Returns: whether anything was locked.
    func unlock(_ user: UserID, line: NotBefore, now: Int64) async throws(RepositoryError) -> Bool

    /// The lock of a whole user, while it holds.
    func lock(of user: UserID, now: Int64) async throws(RepositoryError) -> Lock?

    /// How many users there are. Exact and cheap.
    func userCount() async throws(RepositoryError) -> Int

    /// The audit trail from after the event of that id on (0: from its start), at most `limit` events.
    ///
    /// - Parameter user: whose events; nil for everybody's.
    func auditEvents(after id: Int64, limit: Int, user: UserID?) async throws(RepositoryError) -> [AuditEvent]

    /// Stores users from elsewhere, all in one transaction, so that the caller's batches decide how long others wait.
    /// Safe to run again: who is there already stays as he is.
    ///
    /// - Returns: what became of each, in their order.
    func importUsers(_ batch: [ImportedUser], now: Int64) async throws(RepositoryError) -> [ImportResult]
}

extension OperatorRepository {
    /// Everybody's audit trail.
    public func auditEvents(after id: Int64, limit: Int) async throws(RepositoryError) -> [AuditEvent] {
        try await auditEvents(after: id, limit: limit, user: nil)
    }
}

/// Counts of failed sign-ins, kept for a while.
public protocol FailedSignInRepository: Sendable {
    /// Stores what was counted, in one transaction.
    ///
    /// - Parameters:
    ///   - at: when the count ended, in seconds since 1970.
    ///   - expiresAt: from when on it may be forgotten.
    func addFailedSignIns(_ counts: [FailedSignInCount], at: Int64, expiresAt: Int64) async throws(RepositoryError)

    /// Counts from after the row of that id on (0: from the first), at most `limit` of them.
    func failedSignIns(after id: Int64, limit: Int) async throws(RepositoryError) -> [FailedSignIns]
}

/// Keeping the store itself in order.
public protocol MaintenanceRepository: Sendable {
    /// Whether the store was made before apps were told apart by what they may do, here or where it was copied from:
    /// keys of the configuration that came with that mean what was so before, where nobody has set them.
    func hasOlderDefaults() async throws(RepositoryError) -> Bool

    /// Removes at most about `limit` rows that have expired, in one short transaction.
    ///
    /// - Returns: how many went; as long as it is not zero, more may be left.
    func sweepExpired(now: Int64, limit: Int) async throws(RepositoryError) -> Int

    /// Puts about `limit` users' addresses and numbers into the index under its newest key, in one short transaction,
    /// going on where the last call, in whatever process, has stopped. At the end older keys are erased.
    ///
    /// - Returns: at how many users it looked; 0 when everybody is in the index.
    func indexContacts(limit: Int) async throws(RepositoryError) -> Int

    /// Overwrites what erased rows left in the store's own log. Where the log is in use, some of it stays until the
    /// next call.
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

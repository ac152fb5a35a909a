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

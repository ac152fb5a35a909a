public import System

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

    /// Whom apps know by a reference (``User/reference``).
    func user(reference: String) async throws(RepositoryError) -> UserID?

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

    /// How many live sessions there are, by what the configuration says of those who may have one. It looks at all of
    /// them, beside everybody else's work.
    func sessionCounts(now: Int64) async throws(RepositoryError) -> [SessionCount]

    /// How many identities there are of each section and issuer. It looks at all of them, beside everybody else's work.
    func identityCounts() async throws(RepositoryError) -> [IdentityCount]

    /// Who has an identity under a former name of an issuer and another under the current one, as two users or as one:
    /// the one under the current name is signed in by. It looks at all identities under a former name.
    ///
    /// - Parameters:
    ///   - after: the former identity of the last pair of the page before; nil for the first page.
    ///   - limit: how many at most of each former name.
    func doubleIdentities(after: IdentityID?, limit: Int) async throws(RepositoryError) -> [DoubleIdentity]

    /// What was last noted of the configured providers, for who has to know what is other than before; nil where
    /// nothing was.
    func notedProviders() async throws(RepositoryError) -> [UInt8]?

    /// Notes something of the configured providers in the place of what was noted before.
    func noteProviders(_ content: [UInt8]) async throws(RepositoryError)

    /// How many users there are. Exact and cheap.
    func userCount() async throws(RepositoryError) -> Int

    /// A page of the audit trail. Who goes on by cursors misses nothing, whatever is written or removed meanwhile: an
    /// event is told once nothing that comes before it can be added any more.
    ///
    /// - Returns: nil where the query's place is none in its order, or is of a store with another one.
    func auditPage(_ query: AuditQuery) async throws(RepositoryError) -> AuditPage?

    /// Adds to the audit trail what was looked at, or done outside of the store. It is on disk when this returns.
    ///
    /// - Parameters:
    ///   - user: whom it is about; nil for nobody in particular.
    ///   - fields: names that tell more, without blanks; never a value of anybody's.
    func note(
        _ kind: AuditEvent.Kind, of user: UserID?, _ fields: [String], now: Int64
    ) async throws(RepositoryError)

    /// Stores users from elsewhere, all in one transaction, so that the caller's batches decide how long others wait.
    /// Safe to run again: those who are there already stay as they are.
    ///
    /// - Returns: what became of each, in their order.
    func importUsers(_ batch: [ImportedUser], now: Int64) async throws(RepositoryError) -> [ImportResult]
}

extension OperatorRepository {
    /// The audit trail from behind the event of that number on (0: from its start), the oldest first.
    ///
    /// - Parameter user: whose events; nil for everybody's.
    public func auditEvents(
        after id: Int64, limit: Int, user: UserID? = nil
    ) async throws(RepositoryError) -> [AuditEvent] {
        let query = AuditQuery(user: user, order: .oldestFirst, place: .after(id), limit: limit)
        return try await auditPage(query)?.events ?? []
    }
}

/// How many identities there are of one section of the configuration at one issuer.
public struct IdentityCount: Equatable, Sendable {
    public let provider: String
    public let issuer: String
    public let count: Int

    public init(provider: String, issuer: String, count: Int) {
        (self.provider, self.issuer, self.count) = (provider, issuer, count)
    }
}

/// One subject of one issuer under two names of that issuer.
public struct DoubleIdentity: Equatable, Sendable {
    /// Under the name that the issuer had before.
    public let former: Migration.Known
    public let current: Migration.Known

    public init(former: Migration.Known, current: Migration.Known) {
        (self.former, self.current) = (former, current)
    }
}

/// How many live sessions have come of one provider, for one app of ours or for none, at one level.
public struct SessionCount: Equatable, Sendable {
    public let provider: String
    /// By its `client_id`; nil where an app posted a code.
    public let app: String?
    public let acr: String?
    public let count: Int

    public init(provider: String, app: String?, acr: String?, count: Int) {
        (self.provider, self.app, self.acr, self.count) = (provider, app, acr, count)
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

    /// The counts that are looked for, in the order of their numbers, at most `limit` of them.
    func failedSignIns(_ search: FailedSignInSearch) async throws(RepositoryError) -> [FailedSignIns]
}

/// Keeping the store itself in order.
public protocol MaintenanceRepository: Sendable {
    /// What became of the writes so far.
    var outcomes: StoreOutcomes { get }

    /// Whether the store was made before apps were told apart by what they may do, here or where it was copied from:
    /// keys of the configuration that came with that mean what was so before, where nobody has set them.
    func hasOlderDefaults() async throws(RepositoryError) -> Bool

    /// What apps see as `sub`, which is written down with the first look at a store: one that has users by then was
    /// made by an earlier version, which had their numbers. As long as there are none it may be another.
    ///
    /// - Parameter wanted: nil for whatever the store has.
    /// - Throws: `.notOpened(.otherSubjects)` where there are users, and the store has the other.
    func subjectForm(_ wanted: SubjectForm?) async throws(RepositoryError) -> SubjectForm

    /// Removes at most about `limit` rows that have expired, in one short transaction.
    ///
    /// - Parameter lingering: how many seconds rows stay beyond their time; nil where only those are meant of which
    ///   every sign-in makes one that is of no use afterwards, and which never stay.
    /// - Returns: how many went; as long as it is not zero, more may be left.
    func sweepExpired(now: Int64, lingering: Int64?, limit: Int) async throws(RepositoryError) -> Int

    /// Tells, in the audit trail, how often what is the same thing has happened again in the minutes that are over, in
    /// one short transaction.
    ///
    /// - Parameter limit: of how many things at most.
    /// - Returns: at how many it looked; as long as it is not zero, more may be left.
    func settleAudit(now: Int64, limit: Int) async throws(RepositoryError) -> Int

    /// Removes at most `limit` events of the audit trail that are older than a time, in one short transaction.
    ///
    /// - Returns: how many went; as long as it is not zero, more may be left.
    func removeAuditEvents(before time: Int64, limit: Int) async throws(RepositoryError) -> Int

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

    /// Counts a second of a store that others could put back in time, or go on with elsewhere, and looks whether it has
    /// all that was acknowledged; nothing to do where the store is a file.
    ///
    /// - Returns: whether an operator has had the store go on in a new epoch, so that whatever was read before is to be
    ///   read anew; no request is served before ``enterEpoch()``.
    /// - Throws: `.unavailable(.behind)` where it has not; nobody is served from it then.
    func beat() async throws(RepositoryError) -> Bool

    /// Says that nothing of an earlier epoch is relied on any more.
    func enterEpoch()

    /// Has a look at the store's clock, which all instances have in common; at none where there is one instance.
    func look(at clock: CommonClock) async throws(RepositoryError)

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

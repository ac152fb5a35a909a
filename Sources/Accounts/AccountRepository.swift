/// Where users, identities and sessions are kept.
///
/// Each call is one transaction, and the caller never holds one. When a call that changes something has returned, the
/// change is on disk; when it has thrown, nothing has changed but what the error says. Calls may run at once from any
/// number of tasks. All times are seconds since 1970 and come from the caller.
public protocol AccountRepository: Sendable {
    /// Whether some user has this subject. Only asked when an ID token carries port tokens: verifying those is needed
    /// for unknown subjects only.
    func isKnown(_ subject: Subject) async throws(RepositoryError) -> Bool

    /// Whether this authorization code was presented before. Cheap: it answers from memory in nearly every case.
    /// ``signIn(_:)`` decides for good.
    func isCodeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool

    /// Remembers a code whose exchange failed after it was sent, so that it is never sent again.
    func recordUsedCode(_ code: OneTimeUse, now: Int64) async throws(RepositoryError)

    /// A whole sign-in: consumes the code, finds, migrates or creates the user, merges the profile, opens the session
    /// and writes the audit trail. A migration also revokes the user's other sessions and uses up its port tokens.
    ///
    /// - Throws: `.codeAlreadyUsed`; `.migrationConflict`, after which the code is used up and the audit trail has it.
    func signIn(_ record: SignInRecord) async throws(RepositoryError) -> SignInOutcome

    /// Turns a link ticket into a user with a session.
    ///
    /// - Throws: `.invalidTicket`; `.identityInUse` when somebody has got the subject since the ticket was made.
    func redeemTicket(_ redemption: TicketRedemption) async throws(RepositoryError) -> SignedIn

    /// The live session of that name. What was revoked before the call is not found by it.
    func session(_ id: SessionID, now: Int64) async throws(RepositoryError) -> Session?

    /// Replaces a refresh token; see ``RefreshDecision``.
    func refresh(_ record: RefreshRecord) async throws(RepositoryError) -> RefreshOutcome

    /// Ends a session.
    ///
    /// - Returns: whether there was one.
    func revokeSession(_ id: SessionID, now: Int64) async throws(RepositoryError) -> Bool

    func user(_ id: UserID) async throws(RepositoryError) -> User?

    /// A user's identities, the oldest first.
    func identities(of user: UserID) async throws(RepositoryError) -> [Identity]

    /// A user's live sessions, the oldest first.
    func sessions(of user: UserID, now: Int64) async throws(RepositoryError) -> [Session]

    /// The audit trail from after the event of that id on (0: from its start), at most `limit` events.
    func auditEvents(after id: Int64, limit: Int) async throws(RepositoryError) -> [AuditEvent]

    /// All signing keys, the newest first.
    func signingKeys() async throws(RepositoryError) -> [SigningKey]

    /// Stores a signing key. A kid that is stored already keeps its key.
    func addSigningKey(_ key: SigningKey) async throws(RepositoryError)

    /// The data keys, sealed as they were given, by number.
    func keyRing() async throws(RepositoryError) -> [KeyRingEntry]

    /// Stores a data key before anything is sealed under it. A number that is stored already keeps its key.
    func addToKeyRing(_ entry: KeyRingEntry) async throws(RepositoryError)

    /// Removes at most about `limit` rows that have expired, in one short transaction.
    ///
    /// - Returns: how many went; as long as it is not zero, more may be left.
    func sweepExpired(now: Int64, limit: Int) async throws(RepositoryError) -> Int

    /// Makes one small durable write: throws what a sign-in would.
    func probe(now: Int64) async throws(RepositoryError)

    /// Examines the whole store; slow.
    ///
    /// - Returns: what is wrong, each in one sentence; empty when all is well.
    func check() async throws(RepositoryError) -> [String]

    /// Finishes what was accepted, refuses what comes after with `.unavailable(.closed)`, and lets the store go.
    func close() async
}

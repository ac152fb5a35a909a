/// Where users, identities and sessions are kept.
///
/// Each call is one transaction, and the caller never holds one. When a call that changes something has returned, the
/// change is on disk, also where what it returns is a ``Refusal``: that keeps what it has used up. When a call has thrown,
/// nothing has changed. Calls may run at once from any number of tasks. All times are seconds since 1970 and come from the
/// caller.
///
/// Whoever uses a repository is handed the part that he uses; the parts stand here in the order of the road.
public protocol AccountRepository: SignInRepository, BrowserSignInRepository, PushRepository,
    ChallengeRepository, SecretKeyRepository,
    SigningKeyRepository,
    SessionRepository, ReceiptRepository, IdentityRepository, UserRepository, ProviderGrantRepository, OutboxRepository,
    OperatorRepository,
    FailedSignInRepository, MaintenanceRepository, DataKeyRepository, MasterKeyRepository
{}

/// Signing in and registering.
public protocol SignInRepository: Sendable {
    /// Whether some user has this subject. Only asked when an ID token carries port tokens: verifying those is needed
    /// for unknown subjects only.
    func isKnown(_ subject: Subject) async throws(RepositoryError) -> Bool

    /// Whether this authorization code was presented before, and its time has not been over for longer than a few
    /// minutes. Cheap: it answers from memory in nearly every case. ``signIn(_:)`` decides for good.
    func isCodeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool

    /// Remembers a code whose exchange failed after it may have been spent, so that it is never sent again, not even
    /// after a restart. Anybody can make up such codes, so a repository keeps a bounded number of them, apart from those
    /// that sign somebody in.
    ///
    /// - Throws: `.unavailable(.overloaded)` when no more are kept.
    func recordUsedCode(_ code: OneTimeUse, now: Int64) async throws(RepositoryError)

    /// A whole sign-in: consumes the code, finds, migrates or creates the user, merges the profile, opens the session
    /// and writes the audit trail. Where the user has as many sessions as he may, the oldest ends. A migration also revokes
    /// the user's other sessions and uses up its port tokens.
    ///
    /// - Returns: refused with `.codeAlreadyUsed`; or, each using up the code, with `.challengeAlreadyUsed` or
    ///   `.migrationConflict`, which the audit trail has.
    func signIn(_ record: SignInRecord) async throws(RepositoryError) -> SignInOutcome

    /// Turns a link ticket into a user with a session.
    ///
    /// - Returns: refused with `.invalidTicket`; with `.identityInUse` when somebody has got the subject since the ticket was
    ///   made.
    func redeemTicket(_ redemption: TicketRedemption) async throws(RepositoryError) -> RedemptionOutcome
}

/// Signing in through the browser: what has begun, and the codes that apps get at its end.
public protocol BrowserSignInRepository: Sendable {
    /// Remembers a sign-in that begins, or that goes on under another handle.
    ///
    /// Anybody can begin one, so only so many are kept: where there are more, the oldest give way.
    ///
    /// - Parameters:
    ///   - instead: the one that it takes the place of.
    ///   - maximum: how many are kept at most.
    /// - Returns: false when the one that it was to take the place of is not there any more; nothing has changed then.
    func beginSignIn(
        _ pending: PendingSignIn, instead: TokenHash?, maximum: Int64, now: Int64
    ) async throws(RepositoryError) -> Bool

    /// The sign-in of a handle, which has begun and is neither over nor expired. It stays.
    func pendingSignIn(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> PendingSignIn?

    /// Ends the sign-in of a handle.
    ///
    /// - Returns: whether it was there: of any number who end the same one, one gets true.
    func endPendingSignIn(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> Bool

    /// Redeems an app's one-time code: its session, which ``SignInRepository/signIn(_:)`` has opened with it, lasts from then on.
    func redeem(_ redemption: AppCodeRedemption) async throws(RepositoryError) -> AppCodeOutcome
}

/// Sign-ins that our server begins on users' phones.
public protocol PushRepository: Sendable {
    /// Remembers one before the carrier hears of it. Only so many are kept: where there are more, the oldest give way.
    ///
    /// - Parameter maximum: how many are kept at most.
    func beginPush(_ push: PendingPush, maximum: Int64, now: Int64) async throws(RepositoryError)

    /// Begins one anew under the handle that it has, so that what the carrier was given before is good for nothing.
    ///
    /// - Returns: false when there is none, when the app has taken it back or the user has refused, or where an outcome waits
    ///   for the app or was fetched; nothing has changed then.
    func repeatPush(_ push: PendingPush, now: Int64) async throws(RepositoryError) -> Bool

    /// The one of a handle, also for an hour after it has expired.
    func push(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> PendingPush?

    /// The one that a carrier's notification is about, likewise.
    func push(notifiedBy notification: TokenHash, now: Int64) async throws(RepositoryError) -> PendingPush?

    /// Notes what the carrier calls it.
    ///
    /// - Returns: false when it is not pending any more.
    func notePush(
        _ notification: TokenHash, carrierID: [UInt8], now: Int64
    ) async throws(RepositoryError) -> Bool

    /// Ends one that is pending, without a session.
    ///
    /// - Parameter notified: of the notification that ends it; nil where it is none.
    /// - Returns: whether it was pending.
    func endPush(
        _ notification: TokenHash, as state: PendingPush.State, notified: TokenHash?, now: Int64
    ) async throws(RepositoryError) -> Bool

    /// Fetches the session that ``SignInRepository/signIn(_:)`` has opened for one.
    func fetch(_ redemption: PushRedemption) async throws(RepositoryError) -> PushOutcome
}

/// Which of the nonces that the server issues were used. Nothing is stored until one is, so nobody can fill the store by asking
/// for them.
public protocol ChallengeRepository: Sendable {
    /// Whether a challenge was used before. What records its use decides for good.
    func isChallengeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool
}

/// The keys of what we make and know again: challenges and refresh tokens.
public protocol SecretKeyRepository: Sendable {
    /// The keys of a purpose as they were last read, the newest first. There is one at least: it is made as the store opens.
    func secretKeys(for purpose: SecretKey.Purpose) async throws(RepositoryError) -> [SecretKey]

    /// Takes over secret keys that another process has stored.
    ///
    /// - Returns: whether they have changed.
    func reloadSecretKeys() async throws(RepositoryError) -> Bool

    /// Makes another key of a purpose, here at once and in other processes when they look. Those that were replaced long
    /// enough ago are erased.
    ///
    /// - Parameters:
    ///   - keepingSeconds: for how long what an older key has made must be known again.
    ///   - now: seconds since 1970.
    func rotateSecretKey(
        for purpose: SecretKey.Purpose, keepingSeconds: Int64, now: Int64
    ) async throws(RepositoryError)
}

/// The keys that sign our tokens.
public protocol SigningKeyRepository: Sendable {
    /// All signing keys that are not retired, the newest first.
    func signingKeys() async throws(RepositoryError) -> [SigningKey]

    /// What is told of all signing keys, the newest first, the retired ones too. It opens no seal, so it costs little.
    func signingKeyEntries() async throws(RepositoryError) -> [SigningKeyEntry]

    /// Stores a signing key. A kid that is stored already keeps its key; one that is retired stays so.
    func addSigningKey(_ key: SigningKey) async throws(RepositoryError)

    /// Takes a signing key out of use for good: its private key is erased, and its kid stays known as retired. The key
    /// that signs at that time stays.
    ///
    /// - Parameter now: seconds since 1970.
    func retireSigningKey(_ kid: String, now: Int64) async throws(RepositoryError) -> KeyRetirement
}

/// The keys that values are sealed under.
public protocol DataKeyRepository: Sendable {
    /// The data keys, sealed as they were given, by number.
    func keyRing() async throws(RepositoryError) -> [KeyRingEntry]

    /// Stores a data key before anything is sealed under it. A number that is stored already keeps its key.
    func addToKeyRing(_ entry: KeyRingEntry) async throws(RepositoryError)

    /// Makes another data key and seals under it from now on, here at once and in other processes with their next
    /// write. What was sealed before stays readable; ``reseal(limit:)`` seals it anew. Older data keys stay: another
    /// process may not have been able to open the new one yet.
    ///
    /// - Returns: the new key's number.
    /// - Throws: `.wrongMasterKey` when the maker's master key is not the one of this store.
    func rotateDataKey(_ make: @escaping DataKeyMaker) async throws(RepositoryError) -> Int64

    /// Takes over data keys that another process has stored. Values under an unknown key cause it too.
    ///
    /// - Returns: whether the ring has changed.
    /// - Throws: `.wrongMasterKey` when the store was put under another master key meanwhile; what was known before goes on
    ///   opening what it opened, and nothing is written any more.
    func reloadKeyRing() async throws(RepositoryError) -> Bool

    /// Seals about `limit` values anew that may lie under older data keys, in one short transaction, going on where the
    /// last call, in whatever process, has stopped. A value that does not open stays as it is; ``MaintenanceRepository/check()``
    /// counts those.
    ///
    /// - Returns: how many values it looked at; 0 when everything lies under the newest key.
    func reseal(limit: Int) async throws(RepositoryError) -> Int
}

/// Whether a session is there.
public protocol SessionLookup: Sendable {
    /// The live session of that name. What was revoked before the call is not found by it.
    func session(_ id: SessionID, now: Int64) async throws(RepositoryError) -> Session?
}

/// Sessions after they were opened.
public protocol SessionRepository: SessionLookup {
    /// A user's live sessions, the oldest first.
    func sessions(of user: UserID, now: Int64) async throws(RepositoryError) -> [Session]

    /// Replaces a refresh token; see ``RefreshDecision``. An answer that is given again is in the audit trail.
    func refresh(_ record: RefreshRecord) async throws(RepositoryError) -> RefreshOutcome

    /// Ends a session. Where its ID token was kept, the provider is told (``OutboxRepository``), as by the next four.
    ///
    /// - Returns: whether there was one.
    func revokeSession(_ id: SessionID, now: Int64) async throws(RepositoryError) -> Bool

    /// Ends a session if it is that user's.
    ///
    /// - Returns: whether it was.
    func revokeSession(_ id: SessionID, of user: UserID, now: Int64) async throws(RepositoryError) -> Bool

    /// Ends a session by a refresh token of its, of whatever generation; one that has expired is for the caller to refuse.
    ///
    /// - Returns: whether there was one.
    func revokeSession(
        _ id: SessionID, presenting refreshToken: PresentedRefreshToken, now: Int64
    ) async throws(RepositoryError) -> Bool

    /// Ends a session by its user's wish at a provider's user agent, which can take that wish on to the provider.
    ///
    /// - Returns: nil when there was none.
    func endSession(_ id: SessionID, of user: UserID, now: Int64) async throws(RepositoryError) -> EndedSession?

    /// Ends all of a user's sessions, but the one excepted. Where none is, what providers have granted for the user ends with
    /// them, there too (``OutboxRepository``).
    ///
    /// - Returns: how many live ones there were.
    func revokeSessions(of user: UserID, except: SessionID?, now: Int64) async throws(RepositoryError) -> Int

    /// Ends what a provider says is over: sessions, the codes that apps have not redeemed for them yet, and link tickets. Nobody
    /// who is named need be known; then nothing is written.
    ///
    /// - Returns: how many live sessions there were.
    func endSessions(_ logout: ProviderLogout, now: Int64) async throws(RepositoryError) -> Int

    /// Does what follows from what a provider says of its users. The audit trail has each event that changes something, and of
    /// those that don't the first of a kind in ``IdentityEvent/noteIntervalSeconds``; for all others, and for users whom nobody
    /// knows, nothing is written. No user is erased by it.
    ///
    /// - Returns: how many of the events have changed something.
    func take(_ events: [IdentityEvent], now: Int64) async throws(RepositoryError) -> Int
}

/// Receipts for what users have approved.
public protocol ReceiptRepository: Sendable {
    /// Stores the receipt of a transaction that was verified as in a sign-in.
    ///
    /// - Returns: refused with `.codeAlreadyUsed`; or, each using up the code, with `.challengeAlreadyUsed`, `.sessionGone` or
    ///   `.identityTooNew`.
    func storeReceipt(_ record: TransactionRecord) async throws(RepositoryError) -> ReceiptOutcome

    /// A user's receipts, the oldest first. They stay until the user is erased.
    func receipts(of user: UserID) async throws(RepositoryError) -> [Receipt]
}

/// By which subjects a user signs in.
public protocol IdentityLookup: Sendable {
    /// A user's identities, the oldest first.
    func identities(of user: UserID) async throws(RepositoryError) -> [Identity]
}

/// What users and operators do with identities.
public protocol IdentityRepository: IdentityLookup {
    /// Gives the user of a session another identity, which was verified as in a sign-in, and merges what the carrier
    /// said. An identity that is this user's already is one more sign-in by it.
    ///
    /// - Returns: refused with `.codeAlreadyUsed`; or, each using up the code, with `.challengeAlreadyUsed`, `.sessionGone`,
    ///   `.authenticationTooOld`, `.identityTooNew`, or `.identityInUse`, which the audit trail has.
    func link(_ record: LinkRecord) async throws(RepositoryError) -> LinkOutcome

    /// Takes an identity from its user, but never the last one. The sessions that were opened by it end, and those of
    /// earlier versions of which it can't be told that they were not. An identity that was added too recently may take
    /// itself away, and no other.
    ///
    /// - Returns: refused with `.sessionGone`, `.authenticationTooOld` or `.identityTooNew`.
    func unlink(
        _ identity: IdentityID, under session: SessionID, demands: SensitiveDemands, now: Int64
    ) async throws(RepositoryError) -> UnlinkOutcome

    /// Gives a user an identity by an operator's word, taking it from whoever has it, whose sessions all end.
    func repoint(
        _ subject: Subject, provider: String, to user: UserID, now: Int64
    ) async throws(RepositoryError) -> RepointOutcome
}

/// Users, and what they do with their own records.
public protocol UserRepository: Sendable {
    func user(_ id: UserID) async throws(RepositoryError) -> User?

    /// Changes what the user of a session says about himself; what the carriers said stays beneath it.
    ///
    /// - Parameter maximumAgeSeconds: how long ago the user may have authenticated to change how he is reached
    ///   (``ProfileEdit/isSensitive``), in seconds; nil for any time.
    /// - Returns: refused with `.sessionGone` or `.authenticationTooOld`.
    func editProfile(
        under session: SessionID, _ edits: [ProfileEdit], maximumAgeSeconds: Int64?, now: Int64
    ) async throws(RepositoryError) -> EditOutcome

    /// Erases a user for good: profile, identities, sessions, receipts, and the tickets of the user's subjects. The
    /// audit trail, which names nothing but numbers, stays, and says so. A later sign-in makes a new user.
    ///
    /// - Returns: whether there was one.
    func erase(_ user: UserID, now: Int64) async throws(RepositoryError) -> Bool

    /// Erases the user of a session, by his own word.
    ///
    /// - Returns: refused with `.sessionGone`, `.authenticationTooOld` or `.identityTooNew`.
    func erase(
        under session: SessionID, demands: SensitiveDemands, now: Int64
    ) async throws(RepositoryError) -> ErasureOutcome
}

/// What providers have granted for users, where that is kept: it comes with a sign-in (``SignInRecord/kept``) and goes with the
/// identity.
public protocol ProviderGrantRepository: Sendable {
    /// The grant of a user's identity; nil where none is kept.
    func providerGrant(_ identity: IdentityID, of user: UserID) async throws(RepositoryError) -> ProviderGrant?

    /// Takes the right to refresh a grant, if it is as it was found and nobody else has that right.
    func leaseGrant(_ lease: GrantLease, now: Int64) async throws(RepositoryError) -> GrantLeaseOutcome

    /// Keeps what a refresh has brought, and gives the lease back. Who refreshed counts, not who has the lease by now: what the
    /// provider gave first is what it knows.
    func renewGrant(
        _ lease: GrantLease, with tokens: ProviderTokens, now: Int64
    ) async throws(RepositoryError) -> GrantRenewal

    /// Forgets the tokens of a grant that the provider says is over, and gives the lease back.
    ///
    /// - Returns: whether it was still the grant that was found.
    func endGrant(_ lease: GrantLease, now: Int64) async throws(RepositoryError) -> Bool

    /// Gives a lease back after a refresh that came to nothing.
    func releaseGrant(_ lease: GrantLease) async throws(RepositoryError)

    /// Merges what a provider says now into the profile.
    ///
    /// - Returns: nil when the session or the identity is gone.
    func refreshProfile(_ refresh: ProfileRefresh) async throws(RepositoryError) -> User?

    func grantCounts() async throws(RepositoryError) -> GrantCounts
}

/// What providers are yet to be told of what has ended here. The end comes first, always; this follows until it is done or
/// given up, and the audit trail has either.
public protocol OutboxRepository: Sendable {
    /// Takes what is due. Who takes it has it for a while: then it is due once more, so that a crash loses nothing.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - leaseSeconds: for how long.
    func takeDueMessages(
        limit: Int, leaseSeconds: Int64, now: Int64
    ) async throws(RepositoryError) -> [OutboxMessage]

    /// Notes what came of an attempt.
    func settle(_ message: OutboxMessage, _ settlement: OutboxSettlement, now: Int64) async throws(RepositoryError)

    func outboxStatus() async throws(RepositoryError) -> OutboxStatus
}

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

/// Putting a store under another master key, while no server has it.
public protocol MasterKeyRepository: Sendable {
    /// Seals the data keys under another master key, adds a data key that has only ever been under that one, makes the
    /// secret keys anew, and does what a leak of the old master key takes; all in one transaction. Older keys of refresh tokens
    /// stay beside the new one, so that users stay signed in, unless the old master key has leaked. After it this repository
    /// seals and opens nothing more: it must be opened again, with the new master key.
    ///
    /// What lies under the older keys has to be sealed and hashed anew then (``DataKeyRepository/reseal(limit:)``,
    /// ``MaintenanceRepository/indexContacts(limit:)``), and ``finishMasterKeyChange()`` ends the change.
    ///
    /// - Returns: how many sessions have ended.
    /// - Throws: `.wrongMasterKey` when the old one does not open the data keys, or the new one not what was made of them;
    ///   nothing has changed then.
    func changeMasterKey(_ change: MasterKeyChange) async throws(RepositoryError) -> Int

    /// The change that was begun and is not finished yet, in whatever process; nil when there is none.
    func unfinishedMasterKeyChange() async throws(RepositoryError) -> MasterKeyChange.Kind?

    /// Does what a leak of an older master key takes: what signs may be known to others, so all signing keys retire, others
    /// take their place, the keys of refresh tokens are made anew, and every session ends.
    ///
    /// - Parameters:
    ///   - keys: what signs from now on, one key of each purpose.
    ///   - now: seconds since 1970.
    /// - Returns: how many sessions have ended.
    func replaceLeaked(with keys: [SigningKey], now: Int64) async throws(RepositoryError) -> Int

    /// Erases all data keys but the newest, once nothing lies under them any more, and ends the change.
    ///
    /// - Returns: false while something is left to be sealed or hashed anew.
    func finishMasterKeyChange() async throws(RepositoryError) -> Bool
}

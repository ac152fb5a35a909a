public import Syntax

/// Where users, identities and sessions are kept.
///
/// Each call is one transaction, and the caller never holds one. When a call that changes something has returned, the
/// change is on disk, also where what it returns is a ``Refusal``: that keeps what it has used up. When a call has
/// thrown, nothing has changed. Calls may run at once from any number of tasks. All times are seconds since 1970 and
/// come from the caller.
///
/// Those who use a repository are handed the part that they use. What apps and users do stands here, in the order of
/// the road; keys, what providers grant, and what operators do stand in the files beside it.
public protocol AccountRepository: SignInRepository, BrowserSignInRepository, PushRepository,
    ChallengeRepository, SecretKeyRepository,
    SigningKeyRepository,
    SessionRepository, ConsentRepository, ReceiptRepository, IdentityRepository, UserRepository,
    ProviderGrantRepository, OutboxRepository,
    DirectoryRepository, OperatorRepository, SubjectTransferRepository,
    FailedSignInRepository, BudgetRepository, TableRepository, MaintenanceRepository, DataKeyRepository,
    MasterKeyRepository
{}

/// Signing in and registering.
public protocol SignInRepository: Sendable {
    /// Whether some user has this subject. Only asked when an ID token carries port tokens: verifying those is needed
    /// for unknown subjects only.
    func isKnown(_ subject: Subject) async throws(RepositoryError) -> Bool

    /// Whether this authorization code was presented before, and its time has not been over for longer than a few
    /// minutes. Cheap: it answers from memory in nearly every case. ``signIn(_:)`` decides for good.
    func isCodeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool

    /// Claims an authorization code for one request, among all instances that share the store, before it is sent. What
    /// stores something for it settles the claim; ``releaseCode(_:_:now:)`` ends it else. A claim that nobody ends
    /// stays, for the code may have been spent.
    ///
    /// - Parameter issuer: where it is to be sent.
    func claimCode(_ code: OneTimeUse, for issuer: String, now: Int64) async throws(RepositoryError) -> CodeClaim

    /// Binds a server-issued nonce to the code that answers it, among all instances, before the code is sent: of two
    /// codes with one nonce only the first leaves.
    ///
    /// - Returns: false where it is bound to another code.
    func bindChallenge(_ challenge: OneTimeUse, to code: OneTimeUse, now: Int64) async throws(RepositoryError) -> Bool

    /// Ends one's own claim.
    func releaseCode(_ code: OneTimeUse, _ end: CodeClaimEnd, now: Int64) async throws(RepositoryError)

    /// Remembers a code whose exchange failed after it may have been spent, so that it is never sent again, not even
    /// after a restart. Anybody can make up such codes, so a repository keeps a bounded number of them, apart from
    /// those that sign somebody in.
    ///
    /// - Throws: `.unavailable(.overloaded)` when no more are kept.
    func recordUsedCode(_ code: OneTimeUse, now: Int64) async throws(RepositoryError)

    /// How far the use of a code, or of what else works once, has come: for the request that is sent again.
    func standing(of use: TokenHash, now: Int64) async throws(RepositoryError) -> UseStanding

    /// A sign-in that is answered once more, which the audit trail has.
    ///
    /// - Parameter arrival: what the user was when it was answered first.
    /// - Returns: nil where its session is over or was refreshed, or its user is locked.
    func repeatSignIn(
        _ session: SessionID, _ arrival: KeptAnswer.Arrival, now: Int64
    ) async throws(RepositoryError) -> RepeatedSignIn?

    /// A ticket that is handed out once more; nil where it was redeemed or is over.
    func repeatTicket(_ ticket: TokenHash, now: Int64) async throws(RepositoryError) -> RepeatedTicket?

    /// A whole sign-in: consumes the code, finds, migrates or creates the user, merges the profile, opens the session
    /// and writes the audit trail. Where the user has as many sessions of its source as they may, the oldest of those
    /// ends. A migration also revokes the user's other sessions and uses up its port tokens.
    ///
    /// - Returns: refused with `.codeAlreadyUsed`; or, each using up the code, with `.challengeAlreadyUsed`,
    ///   `.consentRequired` or `.migrationConflict`, which the audit trail has.
    func signIn(_ record: SignInRecord) async throws(RepositoryError) -> SignInOutcome

    /// What came of a ticket that this client has redeemed a moment ago.
    func redeemedTicket(
        _ ticket: TokenHash, client: String, now: Int64
    ) async throws(RepositoryError) -> KeptAnswer?

    /// Turns a link ticket into a user with a session.
    ///
    /// - Returns: refused with `.invalidTicket`; with `.identityInUse` when somebody has got the subject since the
    ///   ticket was made.
    func redeemTicket(_ redemption: TicketRedemption) async throws(RepositoryError) -> RedemptionOutcome
}

/// Signing in through the browser: what has begun, and the codes that apps get at its end.
public protocol BrowserSignInRepository: Sendable {
    /// Remembers a sign-in that begins, or that goes on under another handle.
    ///
    /// Anybody can begin one: ``boundSignIns(_:)`` sees to how many are kept.
    ///
    /// - Parameter instead: the one that it takes the place of.
    /// - Returns: false when the one that it was to take the place of is not there any more; nothing has changed then.
    func beginSignIn(
        _ pending: PendingSignIn, instead: TokenHash?, now: Int64
    ) async throws(RepositoryError) -> Bool

    /// What stands in the store for who a request came from; the same at every instance.
    ///
    /// - Throws: `.unavailable(.brokenSeal)` where the store's keys are not there.
    func networkHash(of address: IPAddress) throws(RepositoryError) -> NetworkHash

    /// Removes sign-ins that have begun, where there are more, or take more bytes, than may: the oldest of the address
    /// that holds most bytes, until another one holds as much, and so on. It takes its time, and holds up nobody who
    /// writes.
    ///
    /// - Returns: how many gave way.
    func boundSignIns(_ bounds: PendingBounds) async throws(RepositoryError) -> Int

    /// The sign-in of a handle, which has begun and is neither over nor expired. It stays.
    func pendingSignIn(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> PendingSignIn?

    /// Ends the sign-in of a handle.
    ///
    /// - Returns: whether it was there: of any number who end the same one, one gets true.
    func endPendingSignIn(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> Bool

    /// Redeems an app's one-time code: its session, which ``SignInRepository/signIn(_:)`` has opened with it, lasts
    /// from then on.
    ///
    /// The same request gets the same session while its answer is on its way, and after that was lost, as long as
    /// nobody has used what it gave.
    func redeem(_ redemption: AppCodeRedemption) async throws(RepositoryError) -> AppCodeOutcome

    /// Notes what has become of the answer to a code's redemption.
    func note(_ delivery: AppCodeDelivery, of code: TokenHash) async throws(RepositoryError)
}

/// Sign-ins that our server begins on users' phones.
public protocol PushRepository: Sendable {
    /// Remembers one before the carrier hears of it. Only so many are kept: where there are more, the oldest give way.
    ///
    /// - Parameter maximum: how many are kept at most.
    func beginPush(_ push: PendingPush, maximum: Int64, now: Int64) async throws(RepositoryError)

    /// Begins one anew under the handle that it has, so that what the carrier was given before is good for nothing.
    ///
    /// - Returns: false when there is none, when the app has taken it back or the user has refused, or where an outcome
    ///   waits for the app or was fetched; nothing has changed then.
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

/// Which of the nonces that the server issues were used. Nothing is stored until one is, so nobody can fill the store
/// by asking for them.
public protocol ChallengeRepository: Sendable {
    /// Whether a challenge was used before. What records its use decides for good.
    func isChallengeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool
}

/// Whether a session is there.
public protocol SessionLookup: Sendable {
    /// The live session of that name. What was revoked before the call is not found by it.
    func session(_ id: SessionID, now: Int64) async throws(RepositoryError) -> Session?
}

/// Sessions after they were opened.
public protocol SessionRepository: SessionLookup {
    /// The live session of that name, and whose it is: what apps ask for all day, in one look.
    func authenticatedUser(of id: SessionID, now: Int64) async throws(RepositoryError) -> AuthenticatedUser?

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

    /// Ends a session by a refresh token of its, of whatever generation; one that has expired is for the caller to
    /// refuse.
    ///
    /// - Returns: whether there was one.
    func revokeSession(
        _ id: SessionID, presenting refreshToken: PresentedRefreshToken, now: Int64
    ) async throws(RepositoryError) -> Bool

    /// Ends a session by its user's request at a provider's user agent, which can take that request on to the provider.
    ///
    /// - Returns: nil when there was none.
    func endSession(_ id: SessionID, of user: UserID, now: Int64) async throws(RepositoryError) -> EndedSession?

    /// Ends all of a user's sessions, but the one excepted. Where none is, what providers have granted for the user
    /// ends with them, there too (``OutboxRepository``).
    ///
    /// - Parameter line: what is under way and began before it ends, too.
    /// - Returns: how many live ones there were.
    func revokeSessions(
        of user: UserID, except: SessionID?, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> Int

    /// Ends a session of the user of another one, or that one itself, which takes nothing.
    ///
    /// - Returns: refused with `.sessionGone`; and, for another than itself, `.authenticationTooOld` or
    ///   `.identityTooNew`.
    func endSession(
        _ id: SessionID, under session: SessionID, demands: SensitiveDemands, now: Int64
    ) async throws(RepositoryError) -> SignOutOutcome

    /// Ends all sessions of the user of a session, and what providers have granted, as
    /// ``revokeSessions(of:except:line:now:)`` does. It takes nothing where there is no other session, and no grant of
    /// another identity.
    ///
    /// - Returns: as above.
    func endSessions(
        under session: SessionID, demands: SensitiveDemands, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> SignOutOutcome

    /// Ends what a provider says is over: sessions, the codes that apps have not redeemed for them yet, link tickets,
    /// and what is under way. Nobody who is named need be known.
    ///
    /// - Returns: how many live sessions there were; nil where the token has come before, at whatever instance.
    func endSessions(_ record: LogoutRecord) async throws(RepositoryError) -> Int?

    /// Ends all sessions of a scope at once, by a line in time; ``removeBarredSessions(after:now:)`` removes them.
    ///
    /// - Parameter isNoted: whether the audit trail has it.
    func draw(
        _ line: NotBefore, for scope: SessionScope, isNoted: Bool, now: Int64
    ) async throws(RepositoryError)

    /// Removes sessions that have ended by a line, of one stretch of all of them, in short transactions.
    ///
    /// - Parameter position: where the stretch before has ended; nil for the first.
    /// - Returns: how many went, and where the next stretch begins; nil at the end.
    func removeBarredSessions(
        after position: SessionID?, now: Int64
    ) async throws(RepositoryError) -> (ended: Int, next: SessionID?)

    /// Does what follows from what a provider says of its users. The audit trail has each event that changes something,
    /// and of those that don't the first of a kind in ``IdentityEvent/noteIntervalSeconds``; for all others nothing is
    /// written, and for users whom nobody knows a line in time. No user is erased by it.
    ///
    /// - Parameter line: drawn now: no event reaches beyond it.
    /// - Returns: how many of the events have changed something.
    func take(_ events: [IdentityEvent], line: NotBefore, now: Int64) async throws(RepositoryError) -> Int
}

/// Receipts for what users have approved.
public protocol ReceiptRepository: Sendable {
    /// Stores the receipt of a transaction that was verified as in a sign-in.
    ///
    /// - Returns: refused with `.codeAlreadyUsed`; or, each using up the code, with `.challengeAlreadyUsed`,
    ///   `.sessionGone` or `.identityTooNew`.
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
    /// - Returns: refused with `.codeAlreadyUsed`; or, each using up the code, with `.challengeAlreadyUsed`,
    ///   `.sessionGone`, `.authenticationTooOld`, `.identityTooNew`, or `.identityInUse`, which the audit trail has.
    func link(_ record: LinkRecord) async throws(RepositoryError) -> LinkOutcome

    /// The same by a link ticket, which is used up by it: what proves the identity was verified when it was made.
    ///
    /// - Returns: refused with `.sessionGone`, `.authenticationTooOld`, `.identityTooNew`, `.invalidTicket`,
    ///   `.locked`, or `.identityInUse`, which the audit trail has; none of them uses the ticket up.
    func link(_ link: TicketLink) async throws(RepositoryError) -> LinkOutcome

    /// Takes an identity from its user, but never the last one. The sessions that were opened by it end, and those of
    /// earlier versions of which it can't be told that they were not. An identity that was added too recently may take
    /// itself away, and no other.
    ///
    /// - Returns: refused with `.sessionGone`, `.authenticationTooOld` or `.identityTooNew`.
    func unlink(
        _ identity: IdentityID, under session: SessionID, demands: SensitiveDemands, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> UnlinkOutcome

    /// The same by an operator's word.
    func unlink(
        _ identity: IdentityID, of user: UserID, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> UnlinkOutcome

    /// Makes one account of two, by both users' word or an operator's: the identities of the one that goes become the
    /// other one's, and its sessions end.
    ///
    /// - Returns: refused with `.sessionGone`, `.authenticationTooOld`, `.identityTooNew` or `.locked`; nothing has
    ///   changed then.
    func merge(_ record: MergeRecord) async throws(RepositoryError) -> MergeOutcome

    /// Gives a user an identity by an operator's word. A user who has it now loses it, and all of that user's sessions
    /// end.
    func repoint(
        _ subject: Subject, provider: String, to user: UserID, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> RepointOutcome
}

/// Users, and what they do with their own records.
public protocol UserRepository: Sendable {
    func user(_ id: UserID) async throws(RepositoryError) -> User?

    /// Changes what the user of a session says about themselves; what the carriers said stays beneath it.
    ///
    /// - Parameter demands: what the session must show where it changes how the user is reached
    ///   (``ProfileEdit/sensitiveAct``).
    /// - Returns: refused with `.sessionGone`, `.authenticationTooOld` or `.identityTooNew`.
    func editProfile(
        under session: SessionID, _ edits: [ProfileEdit], demands: SensitiveDemands, now: Int64
    ) async throws(RepositoryError) -> EditOutcome

    /// Erases a user for good: profile, identities, sessions, receipts, and the tickets of the user's subjects. The
    /// audit trail, which names nothing but numbers, stays, and says so. A later sign-in makes a new user.
    ///
    /// - Returns: whether there was one.
    func erase(_ user: UserID, line: NotBefore, now: Int64) async throws(RepositoryError) -> Bool

    /// Erases the user of a session, by their own word.
    ///
    /// - Returns: refused with `.sessionGone`, `.authenticationTooOld` or `.identityTooNew`.
    func erase(
        under session: SessionID, demands: SensitiveDemands, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> ErasureOutcome
}

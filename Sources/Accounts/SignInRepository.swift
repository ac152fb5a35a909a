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
    /// and writes the audit trail. Where the user has as many sessions as he may, the oldest ends. A migration also revokes the user's other sessions and uses up its port tokens.
    ///
    /// - Throws: `.codeAlreadyUsed`; and, each using up the code, `.challengeAlreadyUsed` and `.migrationConflict`, which
    ///   the audit trail has.
    func signIn(_ record: SignInRecord) async throws(RepositoryError) -> SignInOutcome

    /// Turns a link ticket into a user with a session.
    ///
    /// - Throws: `.invalidTicket`; `.identityInUse` when somebody has got the subject since the ticket was made.
    func redeemTicket(_ redemption: TicketRedemption) async throws(RepositoryError) -> RedeemedTicket
}

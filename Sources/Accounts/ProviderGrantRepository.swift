/// What providers have granted for users, where that is kept: it comes with a sign-in (``SignInRecord/kept``) and goes
/// with the identity.
public protocol ProviderGrantRepository: Sendable {
    /// The grant of a user's identity; nil where none is kept.
    func providerGrant(_ identity: IdentityID, of user: UserID) async throws(RepositoryError) -> ProviderGrant?

    /// Takes the right to refresh a grant, if it is as it was found and nobody else has that right.
    func leaseGrant(_ lease: GrantLease, now: Int64) async throws(RepositoryError) -> GrantLeaseOutcome

    /// Keeps what a refresh has brought, and gives the lease back. Who refreshed counts, not who has the lease by now:
    /// what the provider gave first is what it knows.
    func renewGrant(
        _ lease: GrantLease, with tokens: ProviderTokens, now: Int64
    ) async throws(RepositoryError) -> GrantRenewal

    /// Forgets the tokens of a grant that the provider says is over, and gives the lease back.
    ///
    /// - Returns: whether it was still the grant that was found.
    func endGrant(_ lease: GrantLease, now: Int64) async throws(RepositoryError) -> Bool

    /// Gives a lease back after a refresh that came to nothing.
    ///
    /// - Parameter isDoubted: whether the provider has refused it, so that it is to be checked at once.
    func releaseGrant(_ lease: GrantLease, isDoubted: Bool) async throws(RepositoryError)

    /// Takes grants whose providers were asked long ago: those with live sessions, oldest first. The caller has
    /// them alone until they are due again.
    ///
    /// - Parameters:
    ///   - time: when they were asked last at the latest, in seconds since 1970.
    ///   - again: how long ago those that are taken count as asked until somebody is answered, likewise.
    func takeGrantsToCheck(
        askedBefore time: Int64, again: Int64, limit: Int, now: Int64
    ) async throws(RepositoryError) -> [ProviderGrant]

    /// Ends the sessions that an identity has opened, and its grant, which its provider says is over.
    ///
    /// - Returns: how many live sessions there were; nil where it is not the grant any more that was found.
    func endSessions(
        withRefused grant: ProviderGrant, line: NotBefore, now: Int64
    ) async throws(RepositoryError) -> Int?

    /// Notes that a provider refuses too many to be believed.
    func noteStoppedChecks(of provider: String, now: Int64) async throws(RepositoryError)

    /// Merges what a provider says now into the profile.
    ///
    /// - Returns: nil when the session or the identity is gone.
    func refreshProfile(_ refresh: ProfileRefresh) async throws(RepositoryError) -> User?

    func grantCounts() async throws(RepositoryError) -> GrantCounts
}

/// What providers are yet to be told of what has ended here. The end comes first, always; this follows until it is done
/// or given up, and the audit trail has either.
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

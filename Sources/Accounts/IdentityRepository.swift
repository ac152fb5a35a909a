/// By which subjects a user signs in.
public protocol IdentityRepository: Sendable {
    /// A user's identities, the oldest first.
    func identities(of user: UserID) async throws(RepositoryError) -> [Identity]

    /// Gives the user of a session another identity, which was verified as in a sign-in, and merges what the carrier
    /// said. An identity that is this user's already is one more sign-in by it.
    ///
    /// - Throws: `.codeAlreadyUsed`; and, each using up the code, `.challengeAlreadyUsed`, `.sessionGone`,
    ///   `.authenticationTooOld`, `.identityTooNew`, and `.identityInUse`, which the audit trail has.
    func link(_ record: LinkRecord) async throws(RepositoryError) -> LinkOutcome

    /// Takes an identity from its user, but never the last one. The sessions that were opened by it end, and those of
    /// earlier versions of which it can't be told that they were not. An identity that was added too recently may take
    /// itself away, and no other.
    ///
    /// - Throws: `.sessionGone`, `.authenticationTooOld`, `.identityTooNew`.
    func unlink(
        _ identity: IdentityID, under session: SessionID, demands: SensitiveDemands, now: Int64
    ) async throws(RepositoryError) -> UnlinkOutcome

    /// Gives a user an identity by an operator's word, taking it from whoever has it, whose sessions all end.
    func repoint(
        _ subject: Subject, provider: String, to user: UserID, now: Int64
    ) async throws(RepositoryError) -> RepointOutcome
}

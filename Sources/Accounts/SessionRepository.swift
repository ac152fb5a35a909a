/// Sessions after they were opened.
public protocol SessionRepository: Sendable {
    /// The live session of that name. What was revoked before the call is not found by it.
    func session(_ id: SessionID, now: Int64) async throws(RepositoryError) -> Session?

    /// A user's live sessions, the oldest first.
    func sessions(of user: UserID, now: Int64) async throws(RepositoryError) -> [Session]

    /// Replaces a refresh token; see ``RefreshDecision``. An answer that is given again is in the audit trail.
    func refresh(_ record: RefreshRecord) async throws(RepositoryError) -> RefreshOutcome

    /// Ends a session.
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

    /// Ends all of a user's sessions, but the one excepted.
    ///
    /// - Returns: how many live ones there were.
    func revokeSessions(of user: UserID, except: SessionID?, now: Int64) async throws(RepositoryError) -> Int
}

/// Users, and what they do with their own records.
public protocol UserRepository: Sendable {
    func user(_ id: UserID) async throws(RepositoryError) -> User?

    /// Changes what the user of a session says about himself; what the carriers said stays beneath it.
    ///
    /// - Parameter maximumAgeSeconds: how long ago the user may have authenticated to change how he is reached
    ///   (``ProfileEdit/isSensitive``), in seconds; nil for any time.
    /// - Returns: the user as stored then.
    /// - Throws: `.sessionGone`, `.authenticationTooOld`.
    func editProfile(
        under session: SessionID, _ edits: [ProfileEdit], maximumAgeSeconds: Int64?, now: Int64
    ) async throws(RepositoryError) -> User

    /// Erases a user for good: profile, identities, sessions, receipts, and the tickets of the user's subjects. The
    /// audit trail, which names nothing but numbers, stays, and says so. A later sign-in makes a new user.
    ///
    /// - Returns: whether there was one.
    func erase(_ user: UserID, now: Int64) async throws(RepositoryError) -> Bool

    /// Erases the user of a session, by his own word.
    ///
    /// - Throws: `.sessionGone`, `.authenticationTooOld`, `.identityTooNew`.
    func erase(under session: SessionID, demands: SensitiveDemands, now: Int64) async throws(RepositoryError)
}

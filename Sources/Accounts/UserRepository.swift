/// Users, and what they do with their own records.
public protocol UserRepository: Sendable {
    func user(_ id: UserID) async throws(RepositoryError) -> User?

    /// Changes what a user says about himself; what the carriers said stays beneath it.
    ///
    /// - Returns: the user as stored then; nil when there is none.
    func editProfile(of user: UserID, _ edits: [ProfileEdit], now: Int64) async throws(RepositoryError) -> User?

    /// Erases a user for good: profile, identities, sessions, receipts, and the tickets of the user's subjects. The
    /// audit trail, which names nothing but numbers, stays, and says so. A later sign-in makes a new user.
    ///
    /// - Returns: whether there was one.
    func erase(_ user: UserID, now: Int64) async throws(RepositoryError) -> Bool
}

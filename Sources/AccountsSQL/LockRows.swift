package import Accounts

/// Who may not sign in: whole users, and identities by their provider's word. What a sign-in compares stands in the row
/// of the identity.
package struct LockRows {
    /// Stands where the identity would, for the whole user.
    private static let wholeUser: Int64 = 0
    private static let forGood = Int64.max

    private static let put = Query(
        """
        INSERT INTO locks (user_id, identity_id, cause, reason, since, until) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (user_id, identity_id) DO UPDATE SET cause = excluded.cause, reason = excluded.reason,
            since = excluded.since, until = excluded.until
        """)
    private static let remove = Query("DELETE FROM locks WHERE user_id = ? AND identity_id = ?")
    private static let ends = Query("SELECT until FROM locks WHERE user_id = ?")
    private static let removeEach = Query("DELETE FROM locks WHERE user_id = ?")
    private static let find = Query(
        "SELECT cause, reason, since, until FROM locks WHERE user_id = ? AND identity_id = ?")
    private static let carryOfIdentities = Query(
        "UPDATE locks SET user_id = ?1 WHERE user_id = ?2 AND identity_id <> ?3")
    private static let least = Query("SELECT min(locked_until) FROM identities WHERE user_id = ?")
    private static let settle = Query(
        """
        UPDATE identities SET locked_until = coalesce((
            SELECT max(coalesce(until, \(forGood))) FROM locks
            WHERE locks.user_id = identities.user_id AND locks.identity_id IN (\(wholeUser), identities.id)), 0)
        WHERE user_id = ?
        """)

    let connection: any StoreConnection
    let now: Int64

    package init(connection: any StoreConnection, now: Int64) {
        (self.connection, self.now) = (connection, now)
    }

    /// - Parameter identity: nil for the whole user.
    package func put(_ lock: Lock, on user: UserID, _ identity: IdentityID? = nil) throws(RepositoryError) {
        try connection.run(
            Self.put, user, identity?.rawValue ?? Self.wholeUser, lock.cause.rawValue, lock.reason, lock.since,
            lock.until)
        try settle(user)
    }

    /// The same, so that a restored backup has it, too.
    func put(
        _ lock: Lock, on user: UserID, _ identity: IdentityID? = nil, recordedBy sealer: StoreSealer
    ) throws(RepositoryError) {
        try put(lock, on: user, identity)
        try LedgerRows(connection: connection, sealer: sealer, now: now)
            .add(.locked(user, identity, lock.cause, since: lock.since, until: lock.until))
    }

    func remove(from user: UserID, _ identity: IdentityID? = nil) throws(RepositoryError) {
        try connection.run(Self.remove, user, identity?.rawValue ?? Self.wholeUser)
        try settle(user)
    }

    /// Unlocks the user and every identity.
    ///
    /// - Returns: whether anything was locked.
    @discardableResult
    package func removeAll(of user: UserID) throws(RepositoryError) -> Bool {
        let wereLocked = try connection.all(Self.ends, user) { row in
            row.optionalInteger(0).map { $0 > now } ?? true
        }
        try connection.run(Self.removeEach, user)
        try settle(user)
        return wereLocked.contains(true)
    }

    /// What was last said of the user, or of one of their identities; it may have ended since.
    func find(_ user: UserID, _ identity: IdentityID? = nil) throws(RepositoryError) -> Lock? {
        try connection.first(Self.find, user, identity?.rawValue ?? Self.wholeUser) {
            row throws(RepositoryError) in
            guard let cause = Lock.Cause(rawValue: row.text(0)) else { throw .unavailable(.corrupt) }
            return Lock(
                cause: cause, reason: row.optionalText(1), since: row.integer(2), until: row.optionalInteger(3))
        }
    }

    /// Whether the whole user is locked.
    func holds(_ user: UserID) throws(RepositoryError) -> Bool {
        try find(user)?.holds(now: now) ?? false
    }

    /// Whether the user can sign in by no identity.
    func closes(_ user: UserID) throws(RepositoryError) -> Bool {
        try connection.first(Self.least, user) { $0.optionalInteger(0).map { $0 > now } ?? false } ?? false
    }

    /// The identity has just come to the user.
    func carry(to user: UserID) throws(RepositoryError) {
        if try find(user) != nil { try settle(user) }
    }

    /// Gives a user what is locked of another one whose identities have come to them: the lock of the whole user, where
    /// they have none that holds, and those of identities.
    func carry(from former: UserID, to user: UserID) throws(RepositoryError) {
        let lock = try find(former)
        if let lock, lock.holds(now: now), try !holds(user) { try put(lock, on: user) }
        try connection.run(Self.carryOfIdentities, user, former, Self.wholeUser)
        try settle(user)
    }

    private func settle(_ user: UserID) throws(RepositoryError) {
        try connection.run(Self.settle, user)
    }
}

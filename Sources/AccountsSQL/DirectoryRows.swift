import Accounts

/// Which users a provider's directory has accounts for, or is to get them for, found by names that are hashed.
struct DirectoryRows {
    /// What an account was found to be.
    struct Found {
        let account: DirectoryAccount
        /// Of the address that mails go to; nil where none do: the address of such a one is somebody's mere word, or
        /// there is none.
        let emailHash: [UInt8]?
        let joined: Int64?
        /// Whom mails to it are counted for; nil where it is older than that, or gets none.
        let recipientHash: [UInt8]?
    }

    private static let columns =
        "user_id, provider, external_id, directory_id, email_hash, joined, recipient_hash"
    private static let byName = Query(
        "SELECT \(columns) FROM directory_users WHERE provider = ? AND name_hash = ?")
    // A name belongs to who has signed in by its account; until then any number may want it, each for themselves.
    private static let byRequest = Query(
        """
        SELECT \(columns) FROM directory_users
        WHERE provider = ? AND wanted_hash = ? AND email_hash = ? AND joined IS NULL
        ORDER BY created DESC, user_id DESC LIMIT 1
        """)
    private static let byWantedName = Query(
        "SELECT \(columns) FROM directory_users WHERE provider = ? AND wanted_hash = ? AND joined IS NULL LIMIT 2")
    // Who has signed in is who has proven to read the mail; of all others the newest.
    private static let byEmail = Query(
        """
        SELECT \(columns) FROM directory_users WHERE provider = ? AND email_hash = ?
        ORDER BY joined IS NULL, created DESC, user_id DESC LIMIT 1
        """)
    private static let ofUser = Query("SELECT \(columns) FROM directory_users WHERE provider = ? AND user_id = ?")
    private static let byExternalID = Query(
        "SELECT \(columns) FROM directory_users WHERE provider = ? AND external_hash = ?")
    private static let byDirectoryID = Query(
        "SELECT \(columns) FROM directory_users WHERE provider = ? AND directory_hash = ?")
    private static let insert = Query(
        """
        INSERT INTO directory_users
            (user_id, provider, wanted_hash, email_hash, recipient_hash, external_id, external_hash, created)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """)
    private static let setDirectoryID = Query(
        """
        UPDATE directory_users SET directory_id = ?1, directory_hash = ?2 WHERE provider = ?3 AND user_id = ?4
            AND NOT EXISTS (
                SELECT 1 FROM directory_users AS other
                WHERE other.provider = ?3 AND other.directory_hash = ?2 AND other.user_id <> ?4
            )
        """)
    private static let join = Query(
        """
        UPDATE directory_users SET joined = ?1, name_hash = CASE WHEN EXISTS (
                SELECT 1 FROM directory_users AS other
                WHERE other.provider = ?2 AND other.name_hash = directory_users.wanted_hash
            ) THEN name_hash ELSE coalesce(wanted_hash, name_hash) END
        WHERE provider = ?2 AND user_id = ?3
        """)
    private static let delete = Query("DELETE FROM directory_users WHERE provider = ? AND user_id = ?")
    private static let unfinished = Query(
        """
        SELECT user_id, EXISTS (SELECT 1 FROM identities WHERE identities.user_id = directory_users.user_id)
        FROM directory_users WHERE joined IS NULL AND provider = ? AND created <= ? ORDER BY created LIMIT ?
        """)
    private static let anyIdentity = Query("SELECT 1 FROM identities WHERE user_id = ? LIMIT 1")

    let connection: any StoreConnection
    let sealer: StoreSealer
    let now: Int64

    /// Whom a request is about: a sign-up by its name, a recovery by either. A name is that of who has signed in by its
    /// account; before that one sign-up is another's only where both have the same address, so that nobody holds a name
    /// against its owner by wanting it first.
    func find(_ provisioning: ProvisioningRequest, at provider: String, _ keys: SecretKeyCache) throws(RepositoryError)
        -> Found?
    {
        if provisioning.kind == .recovery, provisioning.username == nil, let email = provisioning.email {
            return try first(Self.byEmail, provider, hash("email", email, keys))
        }
        guard let name = provisioning.name else { return nil }
        let nameHash = try hash("name", name, keys)
        if let owner = try first(Self.byName, provider, nameHash) { return owner }
        if let email = provisioning.email {
            let found = try connection.first(
                Self.byRequest, provider, nameHash, hash("email", email, keys), read: found)
            if let found { return found }
        }
        return provisioning.kind == .recovery ? try onlyOne(wanting: nameHash, at: provider) : nil
    }

    /// Whether a name is somebody's, or wanted by somebody.
    func isWanted(_ provisioning: ProvisioningRequest, at provider: String, _ keys: SecretKeyCache)
        throws(RepositoryError) -> Bool
    {
        guard let name = provisioning.name else { return false }
        let nameHash = try hash("name", name, keys)
        if try first(Self.byName, provider, nameHash) != nil { return true }
        return try first(Self.byWantedName, provider, nameHash) != nil
    }

    /// Of several who want a name nobody knows which one is meant.
    private func onlyOne(wanting nameHash: [UInt8], at provider: String) throws(RepositoryError) -> Found? {
        let all = try connection.all(Self.byWantedName, provider, nameHash, read: found)
        return all.count == 1 ? all.first : nil
    }

    /// Whether a mail for a request goes to whom the account is for.
    ///
    /// Once the directory has the account, it mails to the address that the account has there. Before, it is told the
    /// address of the request; and a second sign-up of the name, with another address, must not come in between and
    /// have the account.
    func reaches(_ found: Found, _ provisioning: ProvisioningRequest, _ keys: SecretKeyCache) throws(RepositoryError)
        -> Bool
    {
        guard let known = found.emailHash else { return false }
        if found.account.directoryID != nil || found.joined != nil { return true }
        guard provisioning.kind == .signUp, let email = provisioning.email else { return false }
        return try known == hash("email", email, keys)
    }

    func find(of user: UserID, at provider: String) throws(RepositoryError) -> Found? {
        try first(Self.ofUser, provider, user)
    }

    /// Whom a sign-in is about.
    func find(_ key: PersonKey, at provider: String) throws(RepositoryError) -> Found? {
        switch key {
        case .crossClient, .transfer: nil
        case .externalID(let hash): try first(Self.byExternalID, provider, hash)
        case .directoryID(let hash): try first(Self.byDirectoryID, provider, hash)
        }
    }

    private func first(
        _ query: Query, _ provider: String, _ value: some Bindable
    ) throws(RepositoryError) -> Found? {
        try connection.first(query, provider, value, read: found)
    }

    private func found(_ row: any Statement) throws(RepositoryError) -> Found {
        Found(
            account: DirectoryAccount(
                user: UserID(rawValue: row.integer(0)), provider: row.text(1), externalID: row.text(2),
                directoryID: row.isEmpty(3) ? nil : row.text(3)),
            emailHash: row.isEmpty(4) ? nil : row.blob(4), joined: row.optionalInteger(5),
            recipientHash: row.isEmpty(6) ? nil : row.blob(6))
    }

    /// A new user who has no identity yet, with an account by the names of a request.
    ///
    /// - Parameter hasAddress: whether mails are to reach it, the first of which is on its way; nobody is found by an
    ///   address that none goes to.
    func makeUser(
        of provisioning: ProvisioningRequest, at provider: String, name: DirectoryName, reference: String,
        hasAddress: Bool,
        _ keys: SecretKeyCache
    ) throws(RepositoryError) -> DirectoryAccount {
        let user = try UserRows(connection: connection, sealer: sealer)
            .insert(reference: reference, profile: Profile(own: provisioning.own), now: now)
        try AuditTrail(connection: connection, now: now).add(.userSignedUp, user: user)
        let nameHash: [UInt8]? = if let name = provisioning.name { try hash("name", name, keys) } else { nil }
        let emailHash: [UInt8]? =
            if hasAddress, let email = provisioning.email { try hash("email", email, keys) } else { nil }
        let recipientHash: [UInt8]? =
            if hasAddress, let email = provisioning.email { try self.recipientHash(email, keys) } else { nil }
        try connection.run(
            Self.insert, user, provider, nameHash, emailHash, recipientHash, name.externalID, name.hash, now)
        return DirectoryAccount(user: user, provider: provider, externalID: name.externalID, directoryID: nil)
    }

    /// An account for a user who is there, found by nothing but the user and the sign-in.
    func insert(
        _ name: DirectoryName, of user: UserID, at provider: String
    ) throws(RepositoryError) -> DirectoryAccount {
        try connection.run(
            Self.insert, user, provider, nil as [UInt8]?, nil as [UInt8]?, nil as [UInt8]?, name.externalID, name.hash,
            now)
        return DirectoryAccount(user: user, provider: provider, externalID: name.externalID, directoryID: nil)
    }

    /// Counts one more mail to whom an account is for, or, where there is none yet, to the address of a request.
    ///
    /// - Returns: false where there were too many within the hour.
    func countMail(
        _ found: Found?, _ provisioning: ProvisioningRequest, _ limits: DirectoryLimits, _ keys: SecretKeyCache
    ) throws(RepositoryError) -> Bool {
        let recipient: [UInt8]
        if let known = found?.recipientHash ?? found?.emailHash {
            recipient = known
        } else {
            guard let email = provisioning.email else { return false }
            recipient = try recipientHash(email, keys)
        }
        let budget = Budget("mails", limit: limits.mailsPerHour, seconds: 3600)
        return try BudgetRows(connection: connection, sealer: sealer, keys: keys, now: now)
            .take(budget, for: recipient) == nil
    }

    private func recipientHash(_ email: String, _ keys: SecretKeyCache) throws(RepositoryError) -> [UInt8] {
        try keys.strangerHash(of: "recipient", ProvisioningRequest.recipient(email), sealer)
    }

    /// - Returns: false where another account has that name.
    func setDirectoryID(
        _ id: String, _ hash: TokenHash, of account: DirectoryAccount
    ) throws(RepositoryError) -> Bool {
        try connection.run(Self.setDirectoryID, id, hash, account.provider, account.user)
        if connection.changes > 0 { return true }
        // It may be the user who has gone; then there is nothing to take anybody for.
        return try find(of: account.user, at: account.provider) == nil
    }

    /// With the first sign-in by an account the name that is wanted for it is its own, unless somebody else has it.
    func join(_ account: DirectoryAccount) throws(RepositoryError) {
        try connection.run(Self.join, now, account.provider, account.user)
    }

    /// Erases the user of an account, unless they have an identity by now.
    func discard(_ account: DirectoryAccount) throws(RepositoryError) {
        guard try connection.first(Self.anyIdentity, account.user, read: { _ in true }) == nil else { return }
        try AuditTrail(connection: connection, now: now).add(.directoryGivenUp, user: account.user)
        _ = try Erasure(connection: connection, sealer: sealer, line: NotBefore(drawnAt: now * 1000), now: now).erase(
            account.user)
    }

    func removeUnfinished(
        of provider: String, before time: Int64, limit: Int
    ) throws(RepositoryError) -> (accounts: Int, users: Int) {
        let rows = try connection.all(Self.unfinished, provider, time, Int64(limit)) {
            (user: UserID(rawValue: $0.integer(0)), hasIdentity: $0.integer(1) != 0)
        }
        var users = 0
        for row in rows {
            if row.hasIdentity {
                try connection.run(Self.delete, provider, row.user)
            } else {
                try AuditTrail(connection: connection, now: now).add(.signUpExpired, user: row.user)
                if try Erasure(connection: connection, sealer: sealer, line: NotBefore(drawnAt: now * 1000), now: now)
                    .erase(row.user)
                {
                    users += 1
                }
            }
        }
        return (rows.count, users)
    }

    private func hash(_ kind: String, _ text: String, _ keys: SecretKeyCache) throws(RepositoryError) -> [UInt8] {
        try keys.strangerHash(of: kind, ProvisioningRequest.normalized(text), sealer)
    }
}

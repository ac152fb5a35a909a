import Accounts

/// Whose first sign-in by an account in a provider's directory it is: that of the user whom the account was made for.
struct DirectoryJoin {
    enum Decision {
        /// The key is nobody's.
        case nobody
        /// One account has one subject; a second one is not believed while the first is there.
        case conflict(UserID)
        case account(DirectoryAccount, isFirstIdentity: Bool)
    }

    private static let atIssuer = Query("SELECT 1 FROM identities WHERE user_id = ? AND issuer = ? LIMIT 1")
    private static let any = Query("SELECT 1 FROM identities WHERE user_id = ? LIMIT 1")

    let connection: any StoreConnection
    let sealer: StoreSealer
    let record: SignInRecord

    private var rows: DirectoryRows { DirectoryRows(connection: connection, sealer: sealer, now: record.now) }

    func decide(_ key: PersonKey) throws(RepositoryError) -> Decision {
        guard let found = try rows.find(key, at: record.provider) else { return .nobody }
        let user = found.account.user
        if found.joined != nil, try hasIdentity(user, at: record.subject.issuer) { return .conflict(user) }
        let hasIdentity = try connection.first(Self.any, user, read: { _ in true }) ?? false
        return .account(found.account, isFirstIdentity: !hasIdentity)
    }

    private func hasIdentity(_ user: UserID, at issuer: String) throws(RepositoryError) -> Bool {
        for name in [issuer] + connection.formerIssuers.names(of: issuer)
        where try connection.first(Self.atIssuer, user, name, read: { _ in true }) ?? false {
            return true
        }
        return false
    }

    /// Writes down that an account was signed in by.
    func note(_ account: DirectoryAccount) throws(RepositoryError) { try rows.join(account) }
}

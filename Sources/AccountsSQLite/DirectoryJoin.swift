import Accounts

/// The first sign-in by an account in a provider's directory: its identity becomes that of the user whom the account was made
/// for.
struct DirectoryJoin {
    private static let atIssuer = Query("SELECT 1 FROM identities WHERE user_id = ? AND issuer = ? LIMIT 1")
    private static let any = Query("SELECT 1 FROM identities WHERE user_id = ? LIMIT 1")

    let connection: Connection
    let sealer: StoreSealer
    let record: SignInRecord

    /// - Parameter open: opens the session, once the identity is there.
    /// - Returns: nil where the key is nobody's.
    func run(
        _ key: PersonKey,
        open: (IdentityRows.Found, IdentityID, Bool, String?) throws(RepositoryError) -> SignedIn
    ) throws(RepositoryError) -> SignInOutcome? {
        let rows = DirectoryRows(connection: connection, sealer: sealer, now: record.now)
        guard let found = try rows.find(key, at: record.provider) else { return nil }
        let (account, user) = (found.account, found.account.user)
        let audit = AuditTrail(connection: connection, now: record.now)
        // One account has one subject; a second one is not believed while the first is there.
        if found.joined != nil, try isAny(Self.atIssuer, user, record.subject.issuer) {
            try audit.add(.migrationConflict, user: user)
            return .refused(.migrationConflict)
        }
        let isFirst = try connection.first(Self.any, user, read: { _ in true }) == nil
        let identities = IdentityRows(connection: connection)
        let identity = try identities.insert(
            record.subject, user: user, provider: record.provider, origin: isFirst ? .signIn : .link, now: record.now)
        try rows.join(account)
        if let maximum = record.maximumSessions {
            try SessionRoom(connection: connection, maximum: maximum).make(for: user, identity)
        }
        try audit.add(.directoryJoined, user: user, new: identity)
        guard let identityFound = try identities.find(record.subject) else { throw .unavailable(.corrupt) }
        var signedIn = try open(identityFound, identity, false, nil)
        signedIn.isNewUser = isFirst
        return .signedIn(signedIn)
    }

    private func isAny(_ query: Query, _ user: UserID, _ issuer: String) throws(RepositoryError) -> Bool {
        try connection.first(query, user, issuer) { _ in true } ?? false
    }
}

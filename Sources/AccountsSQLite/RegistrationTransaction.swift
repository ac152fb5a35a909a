import Accounts

/// A new user with the first identity and session.
struct RegistrationTransaction {
    let connection: Connection
    let sealer: StoreSealer
    let now: Int64

    func run(
        _ subject: Subject, provider: String, reference: String, profile: Profile, session: NewSession
    ) throws(RepositoryError) -> SignedIn {
        let user = try UserRows(connection: connection, sealer: sealer)
            .insert(reference: reference, profile: profile, now: now)
        let identity = try IdentityRows(connection: connection)
            .insert(subject, user: user, provider: provider, origin: .signIn, now: now)
        try SessionRows(connection: connection)
            .insert(session, user: user, identity: identity, provider: provider, now: now)
        try AuditTrail(connection: connection, now: now).add(.userCreated, user: user, new: identity)
        return SignedIn(
            user: user, identity: identity, isNewUser: true, migrated: false, reference: reference, profile: profile)
    }
}

public import Accounts

/// What signed-in users do with their own accounts. Each call says whose it is by the session it is made under.
public struct UserAccounts: Sendable {
    private let repository: any AccountRepository
    private let sensitive: SensitiveActions
    private let clock: Clock

    /// - Parameters:
    ///   - providers: what is demanded of identities at them.
    ///   - sensitiveMaximumAgeSeconds: how long ago the user may have authenticated to change who may sign in or how he is
    ///     reached, in seconds; nil for any time.
    public init(
        repository: any AccountRepository, providers: ProviderDirectory, sensitiveMaximumAgeSeconds: Int64?,
        clock: Clock
    ) {
        self.repository = repository
        sensitive = SensitiveActions(maximumAgeSeconds: sensitiveMaximumAgeSeconds, providers: providers)
        self.clock = clock
    }

    /// The user.
    public func user(under session: Session) async throws(SignInError) -> User {
        let user = try await repository.stored { repository throws(RepositoryError) in
            try await repository.user(session.user)
        }
        guard let user else { throw .invalidToken }
        return user
    }

    /// Changes what the user says about himself; what the carriers said stays beneath it.
    ///
    /// - Throws: `SignInError.insufficientAuthentication` where it changes how the user is reached.
    public func edit(_ edits: [ProfileEdit], under session: Session) async throws(SignInError) -> User {
        let now = clock.seconds
        return try await sensitive.perform(under: session, in: repository) { repository throws(RepositoryError) in
            try await repository.editProfile(
                under: session.id, edits, maximumAgeSeconds: sensitive.maximumAgeSeconds, now: now)
        }
    }

    /// Erases the user, for good.
    ///
    /// - Throws: `SignInError.insufficientAuthentication`, `.identityTooNew`.
    public func erase(under session: Session) async throws(SignInError) {
        let now = clock.seconds
        try await sensitive.perform(under: session, in: repository) { repository throws(RepositoryError) in
            try await repository.erase(under: session.id, demands: sensitive.demands(on: session), now: now)
        }
    }

    /// The oldest first.
    public func identities(under session: Session) async throws(SignInError) -> [Identity] {
        try await repository.stored { repository throws(RepositoryError) in
            try await repository.identities(of: session.user)
        }
    }

    /// Takes an identity away, and with it the sessions that were opened by it.
    ///
    /// - Throws: `SignInError.notFound`, `.lastIdentity`, `.insufficientAuthentication`, `.identityTooNew`.
    public func unlink(_ identity: IdentityID, under session: Session) async throws(SignInError) {
        let now = clock.seconds
        let outcome = try await sensitive.perform(under: session, in: repository) {
            repository throws(RepositoryError) in
            try await repository.unlink(
                identity, under: session.id, demands: sensitive.demands(on: session), now: now)
        }
        switch outcome {
        case .unlinked: return
        case .notFound: throw .notFound
        case .lastIdentity: throw .lastIdentity
        }
    }

    /// The live ones, the oldest first.
    public func sessions(under session: Session) async throws(SignInError) -> [Session] {
        let now = clock.seconds
        return try await repository.stored { repository throws(RepositoryError) in
            try await repository.sessions(of: session.user, now: now)
        }
    }

    /// Ends one of the user's sessions, at once.
    ///
    /// - Throws: `SignInError.notFound` also for somebody else's.
    public func revoke(_ id: SessionID, under session: Session) async throws(SignInError) {
        let now = clock.seconds
        let wasThere = try await repository.stored { repository throws(RepositoryError) in
            try await repository.revokeSession(id, of: session.user, now: now)
        }
        guard wasThere else { throw .notFound }
    }

    /// Ends all of the user's sessions, this one too.
    ///
    /// - Returns: how many there were.
    public func revokeAll(under session: Session) async throws(SignInError) -> Int {
        let now = clock.seconds
        return try await repository.stored { repository throws(RepositoryError) in
            try await repository.revokeSessions(of: session.user, except: nil, now: now)
        }
    }
}

public import Accounts
internal import System

/// What signed-in users do with their own accounts. Each call says whose it is by the session it is made under.
public struct UserAccounts: Sendable {
    private let repository: any UserRepository & IdentityRepository & SessionRepository & ConsentRepository
    private let sensitive: SensitiveActions
    private let clock: Clock

    init(
        repository: any UserRepository & IdentityRepository & SessionRepository & ConsentRepository,
        sensitive: SensitiveActions, clock: Clock
    ) {
        (self.repository, self.sensitive, self.clock) = (repository, sensitive, clock)
    }

    /// Changes what the user says about themselves; what the carriers said stays beneath it.
    ///
    /// - Throws: `ServiceError.insufficientAuthentication`, `.identityTooNew` where it changes how the user is reached.
    public func edit(_ edits: [ProfileEdit], under session: Session) async throws(ServiceError) -> User {
        let now = clock.seconds
        let outcome = try await stored { () throws(RepositoryError) in
            try await repository.editProfile(
                under: session.id, edits, demands: sensitive.demands(on: session), now: now)
        }
        switch outcome {
        case .edited(let user): return user
        case .refused(let refusal): throw sensitive.error(refusal, under: session)
        }
    }

    /// Erases the user, for good.
    ///
    /// - Throws: `ServiceError.insufficientAuthentication`, `.identityTooNew`.
    public func erase(under session: Session) async throws(ServiceError) {
        let now = clock.seconds
        let outcome = try await stored { () throws(RepositoryError) in
            try await repository.erase(
                under: session.id, demands: sensitive.demands(on: session), line: clock.line, now: now)
        }
        if case .refused(let refusal) = outcome { throw sensitive.error(refusal, under: session) }
    }

    /// The oldest first.
    public func identities(under session: Session) async throws(ServiceError) -> [Identity] {
        try await stored { () throws(RepositoryError) in
            try await repository.identities(of: session.user)
        }
    }

    /// Takes an identity away, and with it the sessions that were opened by it.
    ///
    /// - Throws: `ServiceError.notFound`, `.lastIdentity`, `.insufficientAuthentication`, `.identityTooNew`.
    public func unlink(_ identity: IdentityID, under session: Session) async throws(ServiceError) {
        let now = clock.seconds
        let outcome = try await stored { () throws(RepositoryError) in
            try await repository.unlink(
                identity, under: session.id, demands: sensitive.demands(on: session), line: clock.line, now: now)
        }
        switch outcome {
        case .unlinked: return
        case .notFound: throw .notFound
        case .lastIdentity: throw .lastIdentity
        case .refused(let refusal): throw sensitive.error(refusal, under: session)
        }
    }

    /// The live ones, the oldest first.
    public func sessions(under session: Session) async throws(ServiceError) -> [Session] {
        let now = clock.seconds
        return try await stored { () throws(RepositoryError) in
            try await repository.sessions(of: session.user, now: now)
        }
    }

    /// Ends one of the user's sessions, at once.
    ///
    /// - Throws: `ServiceError.notFound` also for somebody else's; for another than `session` itself also
    ///   `.insufficientAuthentication`, `.identityTooNew`.
    public func revoke(_ id: SessionID, under session: Session) async throws(ServiceError) {
        let now = clock.seconds
        let outcome = try await stored { () throws(RepositoryError) in
            try await repository.endSession(id, under: session.id, demands: sensitive.demands(on: session), now: now)
        }
        _ = try ended(outcome, under: session)
    }

    /// Ends all of the user's sessions, this one too.
    ///
    /// - Returns: how many there were.
    /// - Throws: `ServiceError.insufficientAuthentication`, `.identityTooNew` where there are others.
    public func revokeAll(under session: Session) async throws(ServiceError) -> Int {
        let now = clock.seconds
        let outcome = try await stored { () throws(RepositoryError) in
            try await repository.endSessions(
                under: session.id, demands: sensitive.demands(on: session), line: clock.line, now: now)
        }
        return try ended(outcome, under: session)
    }

    /// What the user has agreed that apps may do.
    public func consents(under session: Session) async throws(ServiceError) -> [Consent] {
        try await stored { () throws(RepositoryError) in try await repository.consents(of: session.user) }
    }

    /// Ends all of the user's sessions with an app of ours, and what is under way to become one.
    ///
    /// - Parameter isWithdrawn: whether what the user has agreed to is over as well.
    /// - Returns: how many there were.
    /// - Throws: `ServiceError.insufficientAuthentication`, `.identityTooNew`.
    public func revoke(
        ofApp client: String, isWithdrawn: Bool, under session: Session
    ) async throws(ServiceError) -> Int {
        let now = clock.seconds
        let outcome = try await stored { () throws(RepositoryError) in
            try await repository.endSessions(
                ofApp: client, isWithdrawn: isWithdrawn, under: session.id, demands: sensitive.demands(on: session),
                line: clock.line, now: now)
        }
        return try ended(outcome, under: session)
    }

    private func ended(_ outcome: SignOutOutcome, under session: Session) throws(ServiceError) -> Int {
        switch outcome {
        case .ended(let count): return count
        case .notFound: throw .notFound
        case .refused(let refusal): throw sensitive.error(refusal, under: session)
        }
    }
}

extension Clock {
    /// A line in time that is drawn now.
    package var line: NotBefore { NotBefore(drawnAt: milliseconds) }
}

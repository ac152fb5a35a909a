public import Accounts
public import Providers
internal import System

/// One more identity for a signed-in user, proven by a code or an ID token of its own: never by an e-mail address or a
/// phone number that look the same.
public struct LinkIdentity: Sendable {
    private let accounts: any IdentityRepository
    private let sensitive: SensitiveActions
    private let dependencies: AuthorizationGrant.Dependencies

    init(
        accounts: any IdentityRepository, sensitive: SensitiveActions, dependencies: AuthorizationGrant.Dependencies
    ) {
        (self.accounts, self.sensitive, self.dependencies) = (accounts, sensitive, dependencies)
    }

    /// Links the identity that a code proves.
    ///
    /// - Parameters:
    ///   - response: as in a sign-in.
    ///   - session: the live session of the user who asks.
    ///   - askedAt: when they did, in seconds since 1970: by then they must have authenticated just before; nil for
    ///     now.
    ///   - call: where a failed call to the provider is noted for the log.
    /// - Returns: the identity, and whether it was not this user's already.
    /// - Throws: what a sign-in throws, and `ServiceError.identityInUse`, `.identityTooNew`,
    ///   `.insufficientAuthentication`; the latter before the code is sent, so that it can be posted again.
    public func link(
        _ response: AuthorizedResponse, with provider: Provider, session: Session, askedAt: Int64? = nil,
        in call: CallContext
    ) async throws(ServiceError) -> (identity: Identity, isNew: Bool) {
        let elapsed = askedAt.map { max(0, dependencies.clock.seconds - $0) } ?? 0
        try sensitive.check(session, for: .link, now: dependencies.clock.seconds - elapsed)
        return try await dependencies.sentAgain.answer(
            response.request, { response.use(now: dependencies.clock.seconds) },
            within: provider.configuration.signInTimeout
        ) { () throws(ServiceError) in
            try await enter(response, with: provider, session, elapsed: elapsed, call)
        } again: { kept throws(ServiceError) in
            guard case .linked(let id, isNew: let isNew) = kept.outcome else { return nil }
            let identities = try await stored { () throws(RepositoryError) in
                try await accounts.identities(of: session.user)
            }
            return identities.first { $0.id == id }.map { ($0, isNew) }
        }
    }

    /// Refuses a session that may not link, before its user is sent anywhere; what the transaction refuses as well.
    ///
    /// - Throws: `ServiceError.insufficientAuthentication`, `.identityTooNew`, `.invalidToken`.
    func check(_ session: Session, of users: any UserRepository) async throws(ServiceError) {
        let user = try await stored { () throws(RepositoryError) in try await users.user(session.user) }
        let identities = try await stored { () throws(RepositoryError) in
            try await accounts.identities(of: session.user)
        }
        let histories = identities.filter { session.identity == nil || session.identity == $0.id }.map {
            IdentityHistory(origin: $0.origin, linkedAt: $0.linkedAt, userCreatedAt: user?.createdAt ?? 0)
        }
        guard user != nil, !histories.isEmpty else { throw .invalidToken }
        let decision = SensitiveDecision.decide(
            .link, session.shownAuthentication, identities: histories, demands: sensitive.demands(on: session),
            now: dependencies.clock.seconds)
        switch decision {
        case .allow: return
        case .authenticateAgain(let seconds):
            throw sensitive.error(.authenticationTooOld(maximumAgeSeconds: seconds), under: session)
        case .wait(let seconds): throw .identityTooNew(retryAfterSeconds: seconds)
        }
    }

    private func enter(
        _ response: AuthorizedResponse, with provider: Provider, _ session: Session, elapsed: Int64,
        _ call: CallContext
    ) async throws(ServiceError) -> (identity: Identity, isNew: Bool) {
        let grant = try await AuthorizationGrant.begin(response, with: provider, dependencies, in: call)
        defer { grant.end() }
        do throws(ServiceError) {
            let issuer = try await grant.issuer()
            let proven = try await grant.proven(at: issuer, expecting: response.expectations(at: provider))
            let said = try await grant.userinfo(proven, at: issuer)
            let subject = grant.subject(of: proven.idToken)
            let record = LinkRecord(
                evidence: grant.evidence, challenge: grant.challenge, session: session.id,
                demands: sensitive.demands(on: session, elapsed: elapsed), provider: provider.configuration.name,
                subject: subject, beginning: grant.beginning(shownBy: proven.idToken),
                authenticationTime: proven.idToken.authenticationTime,
                upstreamSession: proven.idToken.session.map { .upstreamSession($0, at: subject.issuer) },
                attributes: said.attributes, claims: said.claims,
                kept: proven.kept, now: dependencies.clock.seconds)
            switch try await grant.store({ () throws(RepositoryError) in try await accounts.link(record) }) {
            case .linked(let identity, let isNew): return (identity, isNew)
            case .refused(let refusal): throw sensitive.error(refusal, under: session)
            }
        } catch {
            await grant.fail()
            throw error
        }
    }
}

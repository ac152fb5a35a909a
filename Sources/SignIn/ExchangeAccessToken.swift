public import Accounts
public import Apps
internal import HTTPClient
internal import JSON
public import Providers
internal import Syntax
internal import System

/// The sign-in of somebody who has signed in at a provider already, by the provider's access token that an app holds
/// (RFC 8693).
///
/// The provider, or its signature, must say that the token was meant for us; see ``AccessTokenRules``. A token is good
/// as often as it is presented until it ends, and opens another session each time, but for the same request within a
/// minute: its answer was lost. It proves no authentication of this
/// moment, and so nothing that could take the account over may be done under such a session, unless the provider tells
/// when that was.
public struct ExchangeAccessToken: Sendable {
    let accounts: any SignInRepository & BudgetRepository
    let providers: ProviderRegistry
    let tokenIssuer: TokenIssuer
    let appTokens: AppTokens
    let transport: any HTTPTransport
    let registration: RegistrationMode
    /// How often for one user; nil: as often as one likes.
    let budget: Budget?
    let sentAgain: SentAgain
    let clock: Clock

    /// For whom a session is opened.
    private struct Grantee {
        let client: String
        /// What an app of ours is granted; nil for who is none.
        let permissions: Permissions?
        let audience: String?
        let terms: RefreshTerms
        let userAgent: String?
        let replaces: SessionID?
    }

    /// Finds the provider that a request means.
    ///
    /// - Parameters:
    ///   - clientID: our identifier there, where no app of ours asks.
    ///   - app: the one of ours that asks; nil for anybody else.
    /// - Throws: `ServiceError`; see ``ProviderRegistry``. An app that names a provider learns of its own ones only.
    public func provider(
        named name: String?, clientID: String?, for app: RegisteredApp?
    ) throws(ServiceError) -> Provider {
        guard let app else { return try providers.exchanging(named: name, clientID: clientID) { _ in true } }
        do throws(ServiceError) {
            return try providers.exchanging(named: name, clientID: nil, isAllowed: app.allows(provider:))
        } catch .unknownProvider {
            throw .invalidParameter(ParameterError("provider", "names none of this app's providers"))
        }
    }

    /// Signs a user in for the client that posts the token.
    ///
    /// - Parameters:
    ///   - userAgent: what the app says it is, for the list of sessions.
    ///   - replaced: the session that the new one takes the place of (``Sessions/replaced(by:for:)``).
    ///   - call: where a failed call to the provider is noted for the log.
    /// - Throws: `ServiceError`; `.invalidSubjectToken` names the rule that the token breaks; `.rateLimited` where this
    ///   user was signed in so too often within an hour; `.unlinked` with a ticket
    ///   for somebody who has to register. When it returns, the user and the session are on disk.
    public func signIn(
        _ token: SubjectToken, with provider: Provider, userAgent: String?, replacing replaced: SessionID?,
        in call: CallContext
    ) async throws(ServiceError) -> SignInWithProvider.Outcome {
        let audience = try token.asked.audience.map { resource throws(ServiceError) in
            try appTokens.sessions.rights.audience(asked: resource, for: .poster)
        }
        let grantee = Grantee(
            client: provider.configuration.clientID, permissions: nil, audience: nil,
            terms: tokenIssuer.terms(for: nil), userAgent: userAgent, replaces: replaced)
        let entered = try await enter(token, with: provider, for: grantee, call)
        return SignInWithProvider.Outcome(
            signedIn: entered.signedIn,
            tokens: try await tokenIssuer.firstTokens(of: entered.session, to: audience, now: clock.seconds),
            authentication: entered.session.authentication,
            claims: UserClaims(tokenIssuer.configuration.permissions(ofPosters: .tokenExchange)), declined: nil)
    }

    /// Signs a user in for an app of ours.
    ///
    /// - Throws: as above; `.accessDenied` for somebody who has to register first, which an app of ours has no ticket
    ///   for; `.unauthorizedClient`, `.invalidScope`, `.invalidTarget`.
    public func signIn(
        _ token: SubjectToken, with provider: Provider, for app: RegisteredApp, userAgent: String?,
        replacing replaced: SessionID?, in call: CallContext
    ) async throws(ServiceError) -> (answer: AppTokens.Answer, signedIn: SignedIn) {
        let asked = token.asked
        guard app.rights.grants.contains(.tokenExchange) else { throw .unauthorizedClient }
        let granted = try asked.granted(
            app.granted(asked.permissions ?? []).intersection(tokenIssuer.configuration.exchangePermissions))
        let audience = try asked.audience.map { resource throws(ServiceError) in
            try appTokens.sessions.rights.audience(asked: resource, for: .app(app))
        }
        let grantee = Grantee(
            client: app.clientID, permissions: granted, audience: audience, terms: tokenIssuer.terms(for: app),
            userAgent: userAgent, replaces: replaced)
        let entered = try await enter(token, with: provider, for: grantee, call)
        let token = grantee.terms.token(of: entered.session)
        let answer = try await appTokens.answer(
            entered.session, token, for: app, asked, to: audience, nonce: nil, now: clock.seconds)
        return (answer, entered.signedIn)
    }

    /// The session of a request, or the one that it has got a moment ago.
    private func enter(
        _ token: SubjectToken, with provider: Provider, for grantee: Grantee, _ call: CallContext
    ) async throws(ServiceError) -> RepeatedSignIn {
        guard let request = token.request else {
            return try await enter(token, with: provider, for: grantee, nil, call)
        }
        let minute = clock.seconds / KeptAnswer.lifetimeSeconds
        // Told by the minute, so that later it is another request; one from before that may have been a second ago.
        if let former = try await sentAgain.kept(Self.use(of: request, minute: minute - 1)),
            let repeated = try await again(former)
        {
            return repeated
        }
        let use = Self.use(of: request, minute: minute)
        do throws(ServiceError) {
            return try await sentAgain.answer(request, { use }, within: provider.configuration.signInTimeout) {
                () throws(ServiceError) in
                try await enter(token, with: provider, for: grantee, use, call)
            } again: { kept throws(ServiceError) in
                try await again(kept)
            }
        } catch .invalidGrant(.codeAlreadyUsed) {
            // The session of a moment ago is over, or goes on elsewhere. The token is as good as it was.
            return try await enter(token, with: provider, for: grantee, nil, call)
        }
    }

    private static func use(of request: RequestDigest, minute: Int64) -> OneTimeUse {
        OneTimeUse(
            hash: TokenHash(sha256: ["exchange", "\(minute)", Base64URL.encode(request.bytes)]),
            expiresAt: (minute + 2) * KeptAnswer.lifetimeSeconds, request: request)
    }

    private func again(_ kept: KeptAnswer) async throws(ServiceError) -> RepeatedSignIn? {
        guard case .session(let id, let arrival) = kept.outcome else { return nil }
        return try await sentAgain.signIn(id, arrival)
    }

    /// The road, from the token to the session on disk.
    ///
    /// - Parameter use: what keeps the same request from another session.
    private func enter(
        _ token: SubjectToken, with provider: Provider, for grantee: Grantee, _ use: OneTimeUse?, _ call: CallContext
    ) async throws(ServiceError) -> RepeatedSignIn {
        let presented = try token.presented(to: provider)
        guard let client = ProviderClient(entering: provider, through: transport, in: call) else {
            throw .overloaded
        }
        let now = clock.seconds
        let issuer = try await asked { () throws(ProviderError) in try await client.issuer(serving: nil) }
        let proven = try await asked { () throws(ProviderError) in
            try await client.proven(presented, at: issuer, now: now)
        }
        let subject = proven.stored(at: provider)
        try await accounts.take(budget, for: "\(subject.issuer) \(subject.value)", as: .exchanges, now: now)
        let said = try await assertion(token, of: proven, at: issuer, client)
        let ticket = try await ticket(for: proven, said, provider, grantee)
        let record = record(proven, said, provider, ticket, grantee, use)
        let outcome = try await stored { () throws(RepositoryError) in try await accounts.signIn(record) }
        switch outcome {
        case .signedIn(let signedIn):
            return RepeatedSignIn(
                session: Session(record.session, of: signedIn, at: record.provider, now: record.now),
                signedIn: signedIn)
        case .unlinked:
            guard let ticket else { throw .accessDenied }
            throw .unlinked(ticket)
        case .refused(let refusal): throw ServiceError(refusal)
        }
    }

    /// What somebody unknown is to register with. There is none for our own apps, as there is none at the end of a
    /// sign-in through the browser: a ticket is for who posts things here under the provider's client identifier.
    ///
    /// - Returns: nil where nobody has to register.
    private func ticket(
        for proven: ProvenAccessToken, _ said: ProviderAssertion, _ provider: Provider, _ grantee: Grantee
    ) async throws(ServiceError) -> LinkTicket? {
        guard registration == .ticket else { return nil }
        if grantee.permissions != nil {
            let subject = proven.stored(at: provider)
            let isKnown = try await stored { () throws(RepositoryError) in try await accounts.isKnown(subject) }
            guard isKnown else { throw .accessDenied }
        }
        return .make(
            provider, said, for: tokenIssuer.configuration.permissions(ofPosters: .tokenExchange), secret: nil)
    }

    /// What the provider says about the user for this very token. What stands in the token, or in an answer about it,
    /// is for those who take it and is no profile.
    private func assertion(
        _ token: SubjectToken, of proven: ProvenAccessToken, at issuer: ProviderMetadata,
        _ client: borrowing ProviderClient
    ) async throws(ServiceError) -> ProviderAssertion {
        let userinfo: JSONValue?
        do throws(ProviderError) {
            userinfo = try await client.userinfo(
                token.text, at: issuer, of: proven.subject)
        } catch {
            // The provider does not take the app's own token, or not for this: then the app needs another one.
            if case .call(let problem) = error, problem.step == .userinfo,
                [.status(401), .status(403)].contains(problem.failure)
            {
                throw .invalidSubjectToken(.userinfo)
            }
            throw ServiceError(error)
        }
        return ProviderAssertion(userinfo: userinfo, about: proven.subject, from: client.provider)
    }

    private func record(
        _ proven: ProvenAccessToken, _ said: ProviderAssertion, _ provider: Provider, _ ticket: LinkTicket?,
        _ grantee: Grantee, _ use: OneTimeUse?
    ) -> SignInRecord {
        let moment = clock.now
        let now = moment.seconds
        let subject = proven.stored(at: provider)
        let signIn = ProvenSignIn(
            evidence: .accessToken(use), challenge: nil, provider: provider.configuration.name, subject: subject,
            authentication: Authentication(asserted: proven.acr, proven.amr, at: proven.authenticationTime),
            authenticatedAt: proven.authenticationTime.map { min($0, now) } ?? Session.neverAuthenticated,
            challengedAt: nil,
            beginning: proven.issuedAt.map { .issued($0 - provider.clock.lead(now: now)) } ?? .undated,
            upstreamSession: proven.session.map { .upstreamSession($0, at: subject.issuer) },
            said: said, own: nil, ported: [], refusedPortTokens: 0, kept: nil, approval: nil)
        let grantee = ProvenSignIn.Grantee(
            client: grantee.client, permissions: grantee.permissions, audience: grantee.audience, declined: [],
            userAgent: grantee.userAgent, replaces: grantee.replaces, expiresAt: grantee.terms.firstExpiry(now: now),
            appCode: nil, push: nil)
        return signIn.record(for: grantee, ticket: ticket, by: tokenIssuer, at: moment)
    }
}

extension ProvenAccessToken {
    /// Whom it is about, under the name by which the provider's users are stored.
    fileprivate func stored(at provider: Provider) -> Subject {
        Subject(issuer: provider.currentName(of: issuer), value: subject)
    }
}

extension Session {
    /// A session that was just stored.
    init(_ session: NewSession, of signedIn: SignedIn, at provider: String, now: Int64) {
        self.init(
            id: session.id, user: signedIn.user, userReference: signedIn.reference, family: session.family,
            generation: Self.firstGeneration, rotatedAt: nil, expiresAt: session.expiresAt, createdAt: now,
            userAgent: session.userAgent,
            authentication: session.authentication, authenticatedAt: session.authenticatedAt,
            challengedAt: session.challengedAt, provider: provider, client: session.client, identity: signedIn.identity,
            scope: session.scope, audience: session.audience, source: session.source,
            declined: session.declined, isMergeOffered: signedIn.isMergeOffered)
    }
}

public import Accounts
internal import Apps
public import Providers
internal import System

/// The sign-in: from an authorization code that an app posts to a session of ours.
public struct SignInWithProvider: Sendable {
    /// Who is signed in, with the tokens to tell the app.
    public struct Outcome: Sendable {
        public let signedIn: SignedIn
        public let tokens: TokenIssuer.Tokens
        public let authentication: Authentication
        /// What the app learns of the user.
        public let claims: UserClaims
        /// What the user has declined of the scopes that were asked for; nil for nothing.
        public let declined: String?
    }

    private let accounts: any SignInRepository
    private let tokenIssuer: TokenIssuer
    private let dependencies: AuthorizationGrant.Dependencies
    private let registration: RegistrationMode
    /// What apps that post codes learn.
    private let claims: UserClaims

    init(
        accounts: any SignInRepository, tokenIssuer: TokenIssuer, dependencies: AuthorizationGrant.Dependencies,
        registration: RegistrationMode
    ) {
        (self.accounts, self.tokenIssuer, self.dependencies) = (accounts, tokenIssuer, dependencies)
        self.registration = registration
        claims = UserClaims(tokenIssuer.configuration.permissions(ofPosters: .signIn))
    }

    /// Who gets the session.
    private enum Recipient {
        /// Who has posted the code, in the place of a session that they have shown.
        case poster(replacing: SessionID?)
        /// An app of ours, by a code of its own.
        case app(AppGrant)
        /// The app that had the user asked on the phone.
        case push(PushGrant)
    }

    /// Signs a user in.
    ///
    /// - Parameters:
    ///   - response: what the app posted, validated for this provider.
    ///   - userAgent: what the app says it is, for the list of sessions.
    ///   - replaced: the session that the new one takes the place of (``Sessions/replaced(by:for:)``).
    ///   - call: where a failed call to the provider, and a port token that proved nothing, is noted for the log.
    /// - Throws: `ServiceError`; `.unlinked` with a ticket for somebody who has to register. When it returns, the user
    ///   and the session are on disk.
    public func signIn(
        _ response: AuthorizedResponse, with provider: Provider, userAgent: String?, replacing replaced: SessionID?,
        in call: CallContext
    ) async throws(ServiceError) -> Outcome {
        func use() -> OneTimeUse? { response.use(now: dependencies.clock.seconds) }
        return try await dependencies.sentAgain.answer(
            response.request, use, within: provider.configuration.signInTimeout
        ) { () throws(ServiceError) in
            let (signedIn, record) = try await enter(
                response, with: provider, for: .poster(replacing: replaced), userAgent, call)
            return Outcome(
                signedIn: signedIn,
                tokens: try await tokenIssuer.openSession(record.session, of: signedIn, now: record.now),
                authentication: record.session.authentication, claims: claims, declined: record.session.declined)
        } again: { kept throws(ServiceError) in
            try await outcome(of: kept, use())
        }
    }

    /// The answer to a sign-in that is sent again.
    private func outcome(of kept: KeptAnswer, _ use: OneTimeUse?) async throws(ServiceError) -> Outcome? {
        switch kept.outcome {
        case .session(let id, let arrival):
            guard let repeated = try await dependencies.sentAgain.signIn(id, arrival) else { return nil }
            return Outcome(
                signedIn: repeated.signedIn,
                tokens: try await tokenIssuer.firstTokens(of: repeated.session, now: dependencies.clock.seconds),
                authentication: repeated.session.authentication, claims: claims,
                declined: repeated.session.declined)
        case .ticket(let hash):
            let permissions = tokenIssuer.configuration.permissions(ofPosters: .signIn)
            guard let use, let ticket = try await dependencies.sentAgain.ticket(hash, of: use, for: permissions) else {
                return nil
            }
            throw .unlinked(ticket)
        case .linked, .receipt: return nil
        }
    }

    /// Signs a user in through the browser: the session waits for the app to redeem its code.
    ///
    /// - Parameter app: whose session it will be.
    /// - Throws: as above. When it returns, the user, the session and the code are on disk.
    func signIn(
        _ response: AuthorizedResponse, with provider: Provider, for app: AppGrant, userAgent: String?,
        in call: CallContext
    ) async throws(ServiceError) -> (signedIn: SignedIn, session: NewSession) {
        let (signedIn, record) = try await enter(response, with: provider, for: .app(app), userAgent, call)
        return (signedIn, record.session)
    }

    /// Signs a user in by tokens that a carrier has sent of its own accord: the session, or the ticket, waits for the
    /// app.
    ///
    /// - Parameters:
    ///   - response: what was remembered of the request, with what the carrier has shown in the place of a code.
    ///   - push: the request that it answers.
    /// - Throws: as above; `.pushEnded` where the app does not wait any more. When it returns, or throws `.unlinked`,
    ///   everything is on disk.
    package func signIn(
        _ response: AuthorizedResponse, with provider: Provider, for push: PushGrant, in call: CallContext
    ) async throws(ServiceError) -> SignedIn {
        try await enter(response, with: provider, for: .push(push), push.userAgent, call).signedIn
    }

    /// The road of a sign-in.
    private func enter(
        _ response: AuthorizedResponse, with provider: Provider, for recipient: Recipient, _ userAgent: String?,
        _ call: CallContext
    ) async throws(ServiceError) -> (signedIn: SignedIn, record: SignInRecord) {
        let grant = try await AuthorizationGrant.begin(response, with: provider, dependencies, in: call)
        defer { grant.end() }
        do throws(ServiceError) {
            let issuer = try await grant.issuer()
            let expectations = response.expectations(at: provider)
            let proven =
                if case .push(let push) = recipient {
                    try await grant.proven(by: push, at: issuer, expecting: expectations)
                } else {
                    try await grant.proven(at: issuer, expecting: expectations)
                }
            let said = try await grant.userinfo(proven, at: issuer)
            let ported = try await portedSubjects(of: proven.idToken, grant, call)
            let granted: AppGrant.Granted? =
                if case .app(let app) = recipient {
                    try app.permissions(proven, said, at: provider.configuration)
                } else { nil }
            let ticket =
                registration == .ticket
                ? try await self.ticket(from: provider, said, grant, for: granted?.left ?? permissionsOfPosters) : nil
            let record = record(
                grant, proven, said, ported, ticket, granted, response, recipient, userAgent)
            let outcome = try await grant.store { () throws(RepositoryError) in try await accounts.signIn(record) }
            return (try signedIn(outcome, ticket, call), record)
        } catch {
            await grant.fail()
            throw error
        }
    }

    /// Who the user was at other carriers; nil where nothing tells. Port tokens count for a subject nobody has yet. For
    /// everybody else they can only tell of a second account, so their carriers are not even asked unless somebody has
    /// the subject that they claim, and whatever comes of it changes no sign-in.
    private func portedSubjects(
        of idToken: IDToken, _ grant: AuthorizationGrant, _ call: CallContext
    ) async throws(ServiceError) -> VerifiedPortTokens? {
        guard grant.provider.tellsOfOtherCarriers(idToken) else { return nil }
        let subject = grant.subject(of: idToken)
        let isKnown = try await stored { () throws(RepositoryError) in try await accounts.isKnown(subject) }
        if isKnown {
            guard try await claimsKnown(idToken) else { return nil }
            guard let verified = try? await grant.portTokens(of: idToken) else { return nil }
            return verified
        }
        let verified = try await grant.portTokens(of: idToken)
        call.note(refused: verified.refusals)
        return verified
    }

    /// Whether somebody has a subject that a port token claims, which nothing has checked yet. One that has moved its
    /// user has left nobody with it.
    private func claimsKnown(_ idToken: IDToken) async throws(ServiceError) -> Bool {
        for claimed in PortToken.claimedSubjects(in: idToken.claims) {
            let subject = Subject(issuer: claimed.issuer, value: claimed.subject)
            if try await stored({ () throws(RepositoryError) in try await accounts.isKnown(subject) }) { return true }
        }
        return false
    }

    /// What the repository stores, all in one transaction.
    private func record(
        _ grant: AuthorizationGrant, _ proven: ProvenIdentity, _ said: ProviderAssertion, _ ported: VerifiedPortTokens?,
        _ ticket: LinkTicket?, _ granted: AppGrant.Granted?, _ response: AuthorizedResponse, _ recipient: Recipient,
        _ userAgent: String?
    ) -> SignInRecord {
        let idToken = proven.idToken
        let app: AppGrant? = if case .app(let app) = recipient { app } else { nil }
        let push: PushGrant? = if case .push(let push) = recipient { push } else { nil }
        let replaced: SessionID? = if case .poster(let replaced) = recipient { replaced } else { nil }
        let moment = dependencies.clock.now
        let now = moment.seconds
        let provider = grant.provider
        let subject = grant.subject(of: idToken)
        let signIn = ProvenSignIn(
            evidence: grant.evidence, challenge: grant.challenge, provider: provider.configuration.name,
            subject: subject, authentication: idToken.authentication,
            authenticatedAt: idToken.authenticationTime.map { min($0, now) } ?? Session.neverAuthenticated,
            challengedAt: grant.challengeAnswered(by: idToken), beginning: grant.beginning(shownBy: idToken),
            upstreamSession: idToken.session.map { .upstreamSession($0, at: subject.issuer) },
            said: said, own: said.namesPerson ? nil : response.name, ported: ported?.subjects(for: provider) ?? [],
            refusedPortTokens: ported?.refusals.count ?? 0, kept: proven.kept,
            approval: (app?.approval ?? push?.approval(byPosters: permissionsOfPosters))?.approval(
                in: idToken, at: provider.configuration, named: tokenIssuer.makeReceiptID(), now: now))
        let declined =
            granted?.declined
            ?? DeclinedScopes(response.askedScopes, granted: proven.grantedScope, told: said.attributes).names
        let grantee = ProvenSignIn.Grantee(
            client: app?.client ?? provider.configuration.clientID, permissions: granted?.left,
            audience: app?.audience, declined: declined, userAgent: userAgent, replaces: replaced,
            expiresAt: app.map { _ in now + AppGrant.lifetimeSeconds } ?? push?.waitsUntil
                ?? tokenIssuer.firstExpiry(now: now),
            appCode: app?.code(now: now), push: push?.delivery(of: ticket))
        return signIn.record(for: grantee, ticket: ticket, by: tokenIssuer, at: moment)
    }

    private var permissionsOfPosters: Permissions { tokenIssuer.configuration.permissions(ofPosters: .signIn) }

    private func ticket(
        from provider: Provider, _ said: ProviderAssertion, _ grant: AuthorizationGrant, for permissions: Permissions
    ) async throws(ServiceError) -> LinkTicket {
        .make(
            provider, said, for: permissions,
            secret: try await dependencies.sentAgain.ticketSecret(for: grant.evidence.oneTimeUse))
    }

    private func signedIn(
        _ outcome: SignInOutcome, _ ticket: LinkTicket?, _ call: CallContext
    ) throws(ServiceError) -> SignedIn {
        switch outcome {
        case .signedIn(let user):
            call.note(refused: Array(repeating: .used, count: user.usedPortTokens))
            return user
        case .unlinked:
            guard let ticket else { throw .accessDenied }
            throw .unlinked(ticket)
        case .refused(let refusal): throw ServiceError(refusal)
        }
    }
}

extension AuthorizedResponse {
    /// What the ID token of a sign-in, or of one more identity, must show: what the app told of its request, and the
    /// provider's own minimum.
    func expectations(at provider: Provider) -> IDTokenExpectations {
        IDTokenExpectations(
            nonce: expectedNonce(at: provider),
            authentication: [
                provider.configuration.minimumACR, acrValues.flatMap(RequiredAuthentication.init(values:)),
            ].compactMap(\.self),
            context: context.map { .exactlyOrCut($0) } ?? .anything,
            freshness: freshness(at: provider))
    }

    /// A user who was to be asked again has authenticated since the browser was sent to the provider, which satisfies
    /// any `max_age` of the same request.
    private func freshness(at provider: Provider) -> IDTokenVerifier.Freshness {
        if mustAuthenticate, let sentAt { return .since(sentAt, requiresAuthenticationTime: true) }
        if let loginAskedAt {
            return .since(
                loginAskedAt,
                requiresAuthenticationTime: maximumAgeSeconds != nil
                    || provider.configuration.authenticationTimes == .always)
        }
        return maximumAgeSeconds.map { .within($0) } ?? .anyAge
    }
}

extension AuthorizedResponse {
    /// What the ID token must show of the nonce. One that the app posts is held to what the app has drawn, in whatever
    /// form; and so is one that is got for a code of an SDK's, which has put the nonce into its own request.
    func expectedNonce(at provider: Provider) -> IDTokenVerifier.ExpectedNonce {
        guard let nonce else {
            let mustBeNamed = isCodeOfPoster && provider.configuration.codeProtection.nonce == .required
            return mustBeNamed ? .absent : .unknownToUs
        }
        guard idToken == nil, isOfSDK, let rules = provider.configuration.nativeTokens else { return .exactly(nonce) }
        let form = rules.nonceForm(of: clientID ?? provider.configuration.clientID)
        return form.claim(of: nonce).map { .exactly($0) } ?? .exactly(nonce)
    }

    /// Whether it holds a code that no browser has brought.
    private var isOfSDK: Bool { redirectURI?.isEmpty != false && expectedIssuer == nil }
}

extension VerifiedPortTokens {
    /// Who the user was, with what keeps each token from moving somebody twice.
    fileprivate func subjects(for provider: Provider) -> [PortedSubject] {
        let maximumAge = provider.configuration.portTokenMaximumAgeSeconds
        return tokens.map { token in
            PortedSubject(
                subject: Subject(issuer: token.issuer, value: token.subject),
                token: OneTimeUse(
                    hash: TokenHash(digest: token.fingerprint.span),
                    expiresAt: maximumAge == 0
                        ? .max : token.issuedAt + maximumAge + provider.configuration.clockSkewSeconds))
        }
    }
}

extension IDToken {
    var authentication: Authentication { Authentication(asserted: acr, amr, at: authenticationTime) }
}

internal import Accounts
internal import Apps
internal import Providers
internal import Syntax
internal import System

/// A sign-in that is proven, by whatever evidence: the one way from there to what the repository stores.
struct ProvenSignIn {
    let evidence: Evidence
    let challenge: OneTimeUse?
    /// The configured name of the provider.
    let provider: String
    let subject: Subject
    let authentication: Authentication
    /// As what could take the account over counts it; `Session.neverAuthenticated` where nothing tells.
    let authenticatedAt: Int64
    /// When the provider answered a nonce of ours, in seconds since 1970; nil where it answered none.
    let challengedAt: Int64?
    let beginning: SignInBeginning
    /// The provider's own session.
    let upstreamSession: TokenHash?
    let said: ProviderAssertion
    let own: SelfAssertedName?
    let ported: [PortedSubject]
    let refusedPortTokens: Int
    let kept: KeptTokens?
    /// What the user has approved by it.
    let approval: SignInApproval?

    /// Who gets the session, and what waits for them.
    struct Grantee {
        let client: String
        /// What an app of ours is granted; nil for who is none.
        let permissions: Permissions?
        /// Whom an app's tokens are made out to; nil for this service.
        let audience: String?
        /// What the user has declined of the scopes that were asked for.
        let declined: [String]
        let userAgent: String?
        /// The session that the new one takes the place of.
        let replaces: SessionID?
        /// When the session ends that nobody refreshes, in seconds since 1970.
        let expiresAt: Int64
        let appCode: NewAppCode?
        let push: PushDelivery?
    }

    /// What the repository stores, all in one transaction.
    ///
    /// - Parameters:
    ///   - ticket: what somebody unknown registers with; nil where they become a user at once.
    func record(
        for grantee: Grantee, ticket: LinkTicket?, by tokenIssuer: TokenIssuer, at moment: WallClock
    ) -> SignInRecord {
        let now = moment.seconds
        let session = tokenIssuer.makeSessionID(at: moment.milliseconds)
        let source = evidence.source
        return SignInRecord(
            (
                evidence: evidence, challenge: challenge, provider: provider, subject: subject,
                personKey: said.personKey, ported: ported, refusedPortTokens: refusedPortTokens,
                registration: ticket.map {
                    .ticket(OneTimeUse(hash: $0.hash, expiresAt: now + LinkTicket.lifetimeSeconds))
                } ?? .automatic(reference: TokenIssuer.makeReference()),
                attributes: said.attributes, own: own, claims: said.claims,
                session: NewSession(
                    id: session, family: session, expiresAt: grantee.expiresAt, userAgent: grantee.userAgent,
                    authentication: authentication, authenticatedAt: authenticatedAt, challengedAt: challengedAt,
                    client: grantee.client, scope: grantee.permissions?.scope, audience: grantee.audience,
                    declined: grantee.declined.isEmpty ? nil : grantee.declined.joined(separator: " "),
                    upstreamSession: upstreamSession, source: source, replaces: grantee.replaces),
                beginning: beginning, appCode: grantee.appCode, push: grantee.push, approval: approval, kept: kept,
                sessionLimits: tokenIssuer.configuration.sessionLimits(openedBy: source), now: now
            ))
    }
}

extension Authentication {
    /// How a provider says that the user was authenticated, its level in its present spelling.
    init(asserted acr: String?, _ amr: [String], at time: Int64?) {
        // They are stored as texts, and what no store takes must keep nobody from signing in.
        let acr = acr.flatMap { $0.hasControlCharacters ? nil : AuthenticationLevel.normalized($0) }
        let isFit = amr.allSatisfy { !$0.hasControlCharacters }
        self.init(acr: acr, amr: isFit ? amr : amr.filter { !$0.hasControlCharacters }, time: time)
    }
}

extension Evidence {
    fileprivate var source: SessionSource {
        switch self {
        case .accessToken: .tokenExchange
        case .authorizationCode, .idToken, .idTokenWithCode, .pushedTokens: .signIn
        }
    }
}

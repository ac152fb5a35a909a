public import Accounts
public import HTTPClient
public import Providers

/// One more identity for a signed-in user, proven by a code of its own: never by an e-mail address or a phone number
/// that look the same.
public struct LinkIdentity: Sendable {
    private let repository: any AccountRepository
    private let grant: AuthorizationCodeGrant
    private let sensitive: SensitiveActions
    private let clock: Clock

    /// - Parameters:
    ///   - providers: what is demanded of identities at them.
    ///   - sensitiveMaximumAgeSeconds: how long ago the user may have authenticated, in seconds; nil for any time.
    ///   - transport: the HTTP client of the loop this use case runs on.
    public init(
        repository: any AccountRepository, providers: ProviderDirectory, sensitiveMaximumAgeSeconds: Int64?,
        codes: DispatchedCodes, transport: any HTTPTransport, clock: Clock
    ) {
        self.repository = repository
        sensitive = SensitiveActions(maximumAgeSeconds: sensitiveMaximumAgeSeconds, providers: providers)
        grant = AuthorizationCodeGrant(repository: repository, codes: codes, transport: transport, clock: clock)
        self.clock = clock
    }

    /// Links the identity that a code proves.
    ///
    /// - Parameters:
    ///   - response: as in a sign-in.
    ///   - session: the live session of the user who asks.
    ///   - trouble: where a failed call to the provider is noted for the log.
    /// - Throws: what a sign-in throws, and `SignInError.identityInUse`, `.identityTooNew`, `.insufficientAuthentication`;
    ///   the latter before the code is sent, so that it can be posted again.
    public func link(
        _ response: AuthorizedResponse, with provider: Provider, session: Session, trouble: ProviderTrouble? = nil
    ) async throws(SignInError) -> LinkOutcome {
        try sensitive.check(session, now: clock.seconds)
        let demands = IDTokenDemands.signIn(response, with: provider)
        return try await grant.redeem(response, with: provider, demands: demands, trouble: trouble) {
            (verified) async throws(SignInError) -> LinkOutcome in
            let record = LinkRecord(
                code: verified.code, challenge: verified.challenge, session: session.id,
                demands: sensitive.demands(on: session), provider: provider.configuration.name,
                subject: verified.subject, attributes: verified.attributes, claims: verified.claims,
                now: clock.seconds)
            return try await sensitive.perform(under: session, in: repository) { repository throws(RepositoryError) in
                try await repository.link(record)
            }
        }
    }
}

public import Accounts
public import HTTPClient
public import Providers

/// One more identity for a signed-in user, proven by a code of its own: never by an e-mail address or a phone number
/// that look the same.
public struct LinkIdentity: Sendable {
    private let repository: any AccountRepository
    private let grant: AuthorizationCodeGrant
    private let clock: Clock

    /// - Parameter transport: the HTTP client of the loop this use case runs on.
    public init(
        repository: any AccountRepository, codes: CodesInFlight, transport: any HTTPTransport, clock: Clock
    ) {
        self.repository = repository
        grant = AuthorizationCodeGrant(repository: repository, codes: codes, transport: transport, clock: clock)
        self.clock = clock
    }

    /// Links the identity that a code proves.
    ///
    /// - Parameters:
    ///   - response: as in a sign-in.
    ///   - session: the live session of the user who asks.
    /// - Throws: what a sign-in throws, and `SignInError.identityInUse`.
    public func link(
        _ response: AuthorizedResponse, with provider: Provider, session: Session
    ) async throws(SignInError) -> LinkOutcome {
        let demands = IDTokenDemands.signIn(response, with: provider)
        return try await grant.redeem(response, with: provider, demands: demands) {
            (verified) async throws(SignInError) -> LinkOutcome in
            let record = LinkRecord(
                code: verified.code, challenge: verified.challenge, session: session.id,
                provider: provider.configuration.name, subject: verified.subject, attributes: verified.attributes,
                now: clock.seconds)
            return try await repository.stored { repository throws(RepositoryError) in
                try await repository.link(record)
            }
        }
    }
}

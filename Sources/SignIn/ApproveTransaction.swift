public import Accounts
public import HTTPClient
internal import OpenIDConnect
public import Providers

/// The approval of one transaction by the signed-in user, with a receipt that anybody can verify.
public struct ApproveTransaction: Sendable {
    private let repository: any AccountRepository
    private let sessions: SessionIssuer
    private let grant: AuthorizationCodeGrant
    private let clock: Clock

    /// - Parameter transport: the HTTP client of the loop this use case runs on.
    public init(
        repository: any AccountRepository, sessions: SessionIssuer, codes: DispatchedCodes,
        transport: any HTTPTransport, clock: Clock
    ) {
        self.repository = repository
        self.sessions = sessions
        grant = AuthorizationCodeGrant(repository: repository, codes: codes, transport: transport, clock: clock)
        self.clock = clock
    }

    /// Verifies an approval and stores its receipt.
    ///
    /// - Parameters:
    ///   - request: what the app posted.
    ///   - session: the live session of the user who must have approved.
    ///   - trouble: where a failed call to the provider is noted for the log.
    /// - Returns: the receipt, a JWT under our receipt keys.
    /// - Throws: what a sign-in throws; `.invalidIDToken(.subject)` when somebody else has approved;
    ///   `.identityTooNew`.
    public func approve(
        _ request: TransactionRequest, with provider: Provider, session: Session, trouble: ProviderTrouble? = nil
    ) async throws(SignInError) -> String {
        let demands = IDTokenDemands.transaction(request, with: provider)
        return try await grant.redeem(request.response, with: provider, demands: demands, trouble: trouble) {
            (verified) async throws(SignInError) -> String in
            let record = TransactionRecord(
                code: verified.code, challenge: verified.challenge, session: session.id, subject: verified.subject,
                minimumIdentityAgeSeconds: provider.configuration.minimumIdentityAgeSeconds,
                receipt: sessions.makeReceiptID(), contextHash: TokenHash(sha256: request.context),
                nonce: request.nonce, acr: verified.idToken.acr.map(AuthenticationLevel.normalized),
                amr: verified.idToken.amr, authTime: verified.idToken.authenticationTime,
                provider: provider.configuration.name,
                client: provider.configuration.clientID, now: clock.seconds)
            let outcome = try await repository.stored { repository throws(RepositoryError) in
                try await repository.storeReceipt(record)
            }
            switch outcome {
            case .stored(let receipt): return try sessions.receipt(receipt)
            case .notThisUser: throw .invalidIDToken(.subject)
            }
        }
    }
}

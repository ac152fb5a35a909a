public import Accounts
public import Providers
internal import System

/// The approval of one transaction by the signed-in user, with a receipt that anybody can verify.
public struct ApproveTransaction: Sendable {
    private let accounts: any ReceiptRepository
    private let tokenIssuer: TokenIssuer
    private let dependencies: AuthorizationGrant.Dependencies

    init(accounts: any ReceiptRepository, tokenIssuer: TokenIssuer, dependencies: AuthorizationGrant.Dependencies) {
        (self.accounts, self.tokenIssuer, self.dependencies) = (accounts, tokenIssuer, dependencies)
    }

    /// Verifies an approval and stores its receipt.
    ///
    /// - Parameters:
    ///   - request: what the app posted.
    ///   - session: the live session of the user who must have approved.
    ///   - call: where a failed call to the provider is noted for the log.
    /// - Returns: the receipt, a JWT under our receipt keys.
    /// - Throws: what a sign-in throws; `.invalidIDToken(.subject)` when somebody else has approved;
    ///   `.identityTooNew`.
    public func approve(
        _ request: TransactionRequest, with provider: Provider, session: Session, in call: CallContext
    ) async throws(ServiceError) -> String {
        try await dependencies.sentAgain.answer(
            request.response.request, { request.response.use(now: dependencies.clock.seconds) },
            within: provider.configuration.signInTimeout
        ) { () throws(ServiceError) in
            try await enter(request, with: provider, session, call)
        } again: { kept throws(ServiceError) in
            guard case .receipt(let id) = kept.outcome else { return nil }
            let receipts = try await stored { () throws(RepositoryError) in
                try await accounts.receipts(of: session.user)
            }
            guard let receipt = receipts.first(where: { $0.id == id && $0.session == session.id }) else { return nil }
            return try tokenIssuer.receipt(receipt, under: session)
        }
    }

    private func enter(
        _ request: TransactionRequest, with provider: Provider, _ session: Session, _ call: CallContext
    ) async throws(ServiceError) -> String {
        let grant = try await AuthorizationGrant.begin(
            request.response, with: provider, dependencies, in: call)
        defer { grant.end() }
        do throws(ServiceError) {
            let issuer = try await grant.issuer()
            let proven = try await grant.proven(at: issuer, expecting: request.expectations(at: provider))
            // Nothing of it is stored, but a provider whose userinfo is about somebody else has approved nothing.
            _ = try await grant.userinfo(proven, at: issuer)
            let idToken = proven.idToken
            let record = TransactionRecord(
                evidence: grant.evidence, challenge: grant.challenge, session: session.id,
                subject: grant.subject(of: idToken),
                minimumIdentityAgeSeconds: provider.configuration.minimumIdentityAgeSeconds,
                receipt: tokenIssuer.makeReceiptID(), contextHash: TokenHash(sha256: request.context),
                nonce: request.nonce, authentication: idToken.authentication, provider: provider.configuration.name,
                client: provider.configuration.clientID, now: dependencies.clock.seconds)
            switch try await grant.store({ () throws(RepositoryError) in try await accounts.storeReceipt(record) }) {
            case .stored(let receipt): return try tokenIssuer.receipt(receipt, under: session)
            case .notThisUser: throw .invalidIDToken(.subject)
            case .refused(let refusal): throw ServiceError(refusal)
            }
        } catch {
            await grant.fail()
            throw error
        }
    }
}

extension TransactionRequest {
    /// What the ID token must show: that very text, that very request, just now.
    fileprivate func expectations(at provider: Provider) -> IDTokenExpectations {
        IDTokenExpectations(
            nonce: response.expectedNonce(at: provider),
            authentication: [provider.configuration.minimumACR, authentication].compactMap(\.self),
            context: .exactly(context), freshness: .within(maximumAgeSeconds))
    }
}

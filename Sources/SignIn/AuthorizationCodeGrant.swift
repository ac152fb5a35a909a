internal import Accounts
internal import EventLoop
internal import HTTPClient
internal import OpenIDConnect
internal import Providers

/// The part of the road that every use of an authorization code shares: from what an app posted to an identity that is
/// proven.
///
/// The code is spent by its exchange, so whatever fails after that is recorded: the same code never reaches the provider
/// twice.
struct AuthorizationCodeGrant: Sendable {
    /// Who approved, and what belongs into the transaction that makes use of it.
    struct Verified: Sendable {
        let provider: Provider
        let calls: ProviderCalls
        let idToken: IDToken
        let subject: Subject
        let attributes: Attributes
        let claims: TypedClaims
        let code: OneTimeUse
        let challenge: OneTimeUse?
    }

    /// How long a code is remembered as used, in seconds: twice the longest life that RFC 6749 §4.1.2 recommends.
    private static let codeMemorySeconds: Int64 = 1200

    let repository: any AccountRepository
    let codes: CodesInFlight
    let transport: any HTTPTransport
    let clock: Clock

    /// Redeems a code and hands what it proves to `complete`.
    ///
    /// - Parameters:
    ///   - response: what the app posted, validated for this provider.
    ///   - demands: what the ID token must show.
    ///   - trouble: where a failed call is noted for the log.
    ///   - complete: stores what comes of it; the code goes into the same transaction.
    /// - Throws: `SignInError`.
    func redeem<Result: Sendable>(
        _ response: AuthorizedResponse, with provider: Provider, demands: IDTokenDemands, trouble: ProviderTrouble?,
        complete: (Verified) async throws(SignInError) -> Result
    ) async throws(SignInError) -> Result {
        guard provider.allows(redirectURI: response.redirectURI) else { throw .redirectURINotAllowed }
        guard provider.bulkhead.enter() else { throw .overloaded }
        defer { provider.bulkhead.leave() }
        let code = OneTimeUse(
            hash: TokenHash(sha256: "\(provider.configuration.name) \(response.code)"),
            expiresAt: clock.seconds + Self.codeMemorySeconds)
        guard codes.claim(code.hash) else { throw .invalidGrant(.codeAlreadyUsed) }
        defer { codes.release(code.hash) }
        if try await repository.stored({ repository throws(RepositoryError) in
            try await repository.isCodeUsed(code.hash, now: clock.seconds)
        }) {
            throw .invalidGrant(.codeAlreadyUsed)
        }
        let challenge = try await Challenges(repository: repository, clock: clock)
            .challenge(in: response.nonce, isRequired: provider.configuration.requiresChallenge)
        let calls = ProviderCalls(
            provider: provider, transport: transport,
            deadline: Deadline(
                now: .now, total: provider.configuration.signInTimeout, perCall: provider.configuration.timeout),
            trouble: trouble)
        let metadata = try await calls.discover(response.network)
        let exchanged: TokenResponse
        do throws(ProviderFailure) {
            exchanged = try await calls.exchange(response, at: metadata)
        } catch {
            if error.mayHaveSpentCode { await recordUsed(code) }
            throw await calls.refusal(error)
        }
        do throws(SignInError) {
            let idToken = try await calls.verifiedIDToken(exchanged, metadata, demands, now: clock.seconds)
            let userinfo = try await calls.userinfo(exchanged, metadata, idToken, response)
            let said = ProviderSaying(
                idToken: idToken.claims, userinfo: userinfo, subject: idToken.subject,
                names: provider.configuration.profile.attributeNames, furtherClaims: provider.configuration.claims)
            return try await complete(
                Verified(
                    provider: provider, calls: calls, idToken: idToken,
                    subject: Subject(issuer: provider.currentName(of: idToken.issuer), value: idToken.subject),
                    attributes: said.attributes, claims: said.claims, code: code, challenge: challenge))
        } catch {
            // Where the store itself can't take it, the provider's own refusal of a spent code remains.
            if !error.hasRecordedCode { await recordUsed(code) }
            throw error
        }
    }

    private func recordUsed(_ code: OneTimeUse) async {
        try? await repository.recordUsedCode(code, now: clock.seconds)
    }
}

extension SignInError {
    /// Whether the transaction that refused has recorded the code's use itself.
    fileprivate var hasRecordedCode: Bool {
        switch self {
        case .invalidGrant(.codeAlreadyUsed), .migrationConflict, .unlinked, .identityInUse, .identityTooNew: true
        default: false
        }
    }
}

internal import Accounts
internal import EventLoop
internal import HTTPClient
internal import JSON
internal import OpenIDConnect
internal import Providers
internal import Syntax
internal import System

/// The part of the road that every use of an authorization code shares: from what an app posted to an identity that is
/// proven.
///
/// A code is bound to one issuer before it is sent, and to one challenge; neither goes anywhere else after that. It is
/// spent by its exchange, so whatever fails then is recorded: the same code never reaches the provider twice.
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

    let repository: any AccountRepository
    let codes: DispatchedCodes
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
        // Of the code alone: who hands it in under another provider's name hands in the same code.
        let code = OneTimeUse(
            hash: TokenHash(sha256: response.code), expiresAt: clock.seconds + DispatchedCodes.memorySeconds)
        guard codes.claim(code.hash) else { throw .invalidGrant(.codeAlreadyUsed) }
        var end = DispatchedCodes.End.nothingToRemember
        defer { codes.release(code.hash, end, now: clock.seconds) }
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
        try response.checkIssuer(metadata, of: provider)
        try dispatch(code.hash, challenge, to: metadata.issuer)
        let exchanged: TokenResponse
        do throws(ProviderFailure) {
            exchanged = try await calls.exchange(response, at: metadata)
        } catch {
            if error.mayHaveSpentCode {
                end = await recordUsed(code)
            } else if error.mayHaveSentCode {
                end = .refused
            }
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
            // Where the store itself can't take it, this process and the provider's own refusal of a spent code remain.
            if !error.hasRecordedCode { end = await recordUsed(code) }
            throw error
        }
    }

    /// Binds the code to the issuer, and the challenge to the code, before either is sent.
    private func dispatch(
        _ code: TokenHash, _ challenge: OneTimeUse?, to issuer: String
    ) throws(SignInError) {
        switch codes.bind(code, to: issuer, now: clock.seconds) {
        case .bound: break
        case .elsewhere: throw .invalidGrant(.codeSentElsewhere)
        case .spent: throw .invalidGrant(.codeAlreadyUsed)
        }
        if let challenge, !codes.spend(challenge.hash, on: code, now: clock.seconds) { throw .invalidChallenge }
    }

    /// - Returns: what is left for this process to remember.
    private func recordUsed(_ code: OneTimeUse) async -> DispatchedCodes.End {
        do throws(RepositoryError) {
            try await repository.recordUsedCode(code, now: clock.seconds)
            return .nothingToRemember
        } catch {
            return .spent
        }
    }
}

extension AuthorizedResponse {
    /// Checks whose answer the app has got, before anything of it is sent (RFC 9207 §2.4).
    ///
    /// - Throws: `.issuerMismatch`; `.invalidParameter` without `iss` where the issuer says that it sends one and the
    ///   redirect URI does not tell whose answer came back there.
    fileprivate func checkIssuer(_ metadata: ProviderMetadata, of provider: Provider) throws(SignInError) {
        if let issuer {
            guard metadata.issuer.isExactly(issuer) else { throw .issuerMismatch }
        } else if metadata.sendsIssuer, provider.sharesRedirectURI(redirectURI) {
            throw .invalidParameter(.missingIssuer)
        }
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

internal import Accounts
internal import HTTPClient
internal import JSON
internal import Providers
internal import Syntax
internal import System

/// The one use of what an app holds of a user's authorization (RFC 6749 §1.3), whatever it is used for: a code, an ID
/// token that a provider's SDK has given to the app, or both. It has a place at the provider, claims what was posted,
/// and makes the calls of the road that need it.
///
/// A code is bound to one issuer before it is sent, and to one challenge; neither goes anywhere else after that. It is
/// spent by its exchange, so whatever fails then is recorded: the same code never reaches the provider twice. Its user
/// calls ``fail()`` when anything goes wrong, and ``end()`` in any case. An ID token of the app's is used up by what is
/// stored with it and by nothing else: until then nobody has had anything for it.
final class AuthorizationGrant {
    /// What all uses of codes share.
    struct Dependencies: Sendable {
        let repository: any SignInRepository & ChallengeRepository & SecretKeyRepository & BudgetRepository
        /// The codes that were sent, of all loops.
        let codes: DispatchedCodes
        /// The HTTP client of the loop that this is used on.
        let transport: any HTTPTransport
        let clock: Clock
        /// Those of the providers' redirect URIs that are this service's own: browsers come back there, with codes that
        /// no app posts. The settings let none in where they know the address of this service.
        let ownRedirectURIs: Set<String>
        /// How often a user's answers are given again; nil for any number.
        let repeats: Budget?

        var sentAgain: SentAgain {
            SentAgain(repository: repository, codes: codes, repeats: repeats, clock: clock)
        }
    }

    /// How far the code has come.
    private enum Progress {
        /// It is this process's to send, and was not sent.
        case claimed
        /// It is this instance's to send, and on its way.
        case sending
        /// It was to be sent, and could not be.
        case unsent
        /// Nobody took it: its issuer may be asked again, and no other.
        case refused
        /// It may have been spent, and nothing on disk says so yet.
        case spent
        /// Its use is on disk.
        case recorded
        /// It may have been spent, and the repository could not take that.
        case unrecorded
    }

    private(set) var evidence: Evidence
    private let answered: Challenges.Answered?
    private let response: AuthorizedResponse
    private let client: ProviderClient
    private let dependencies: Dependencies
    private var progress = Progress.claimed

    /// Begins the use of what was posted.
    ///
    /// - Parameters:
    ///   - response: what the app posted, validated for this provider.
    ///   - call: where a failed call is noted for the log.
    /// - Throws: `ServiceError`: `.redirectURINotAllowed`; `.overloaded` when the provider's bulkhead is full;
    ///   `.invalidGrant(.codeAlreadyUsed)`; `.challengeRequired`, `.invalidChallenge`. Nothing is to be ended then.
    static func begin(
        _ response: AuthorizedResponse, with provider: Provider, _ dependencies: Dependencies, in call: CallContext
    ) async throws(ServiceError) -> AuthorizationGrant {
        if response.expectedIssuer == nil, let address = response.redirectURI, !address.isEmpty,
            !provider.allows(redirectURI: address) || dependencies.ownRedirectURIs.contains(address)
        {
            throw .redirectURINotAllowed
        }
        if let name = response.correlationID { call.correlationID = name }
        guard let client = ProviderClient(entering: provider, through: dependencies.transport, in: call) else {
            throw .overloaded
        }
        let evidence = response.evidence(now: dependencies.clock.seconds)
        guard dependencies.codes.claim(evidence) else { throw .invalidGrant(.codeAlreadyUsed) }
        do throws(ServiceError) {
            switch evidence {
            case .idToken(let token), .idTokenWithCode(let token, code: _): try await dependencies.checkUnused(token)
            // Whether a code is used is told with the claim on it, before it is sent; the rest, by the transaction.
            case .authorizationCode, .pushedTokens, .accessToken: break
            }
            // A nonce of our own making is as good as one of our challenges.
            let isRequired = provider.configuration.requiresChallenge && response.expectedIssuer == nil
            var challenge: Challenges.Answered?
            if let nonce = response.nonce {
                challenge = try await Challenges(repository: dependencies.repository, clock: dependencies.clock)
                    .challenge(in: nonce, isRequired: isRequired)
            } else if isRequired {
                throw .challengeRequired
            }
            return AuthorizationGrant(evidence, challenge, response, client, dependencies)
        } catch {
            dependencies.codes.release(evidence, .nothingToRemember, now: dependencies.clock.seconds)
            throw error
        }
    }

    private init(
        _ evidence: Evidence, _ answered: Challenges.Answered?, _ response: AuthorizedResponse,
        _ client: consuming ProviderClient, _ dependencies: Dependencies
    ) {
        self.evidence = evidence
        self.answered = answered
        self.response = response
        self.client = client
        self.dependencies = dependencies
    }

    var provider: Provider { client.provider }
    var challenge: OneTimeUse? { answered?.use }
    private var now: Int64 { dependencies.clock.seconds }

    /// Finds the issuer that the code is for, and checks that it is the one whose answer the app has got, before
    /// anything of it is sent.
    ///
    /// - Throws: also what ``AuthorizedResponse/check(isOf:at:)`` and ``AuthorizedResponse/checkProtection(at:_:)``
    ///   throw.
    func issuer() async throws(ServiceError) -> ProviderMetadata {
        let issuer = try await asked { () throws(ProviderError) in
            // What our server has begun at an issuer knows it, and not always a network.
            if let expected = response.expectedIssuer, response.network == nil, provider.takesPortTokens {
                return try await client.issuer(named: expected)
            }
            return try await client.issuer(serving: response.network)
        }
        try response.check(isOf: issuer, at: provider)
        try response.checkProtection(at: issuer, provider)
        return issuer
    }

    /// Proves who the user is: with the tokens that the code is exchanged for, or with those that the app has.
    func proven(
        at issuer: ProviderMetadata, expecting expectations: IDTokenExpectations
    ) async throws(ServiceError) -> ProvenIdentity {
        if let presented = response.idToken {
            return try await proven(presented, at: issuer, expecting: expectations)
        }
        let clientID = response.clientID ?? provider.configuration.clientID
        let tokens = try await exchange(at: issuer, as: clientID)
        let idToken = try await verifiedIDToken(tokens, of: issuer, for: clientID, expecting: expectations)
        return identity(idToken, with: tokens, of: issuer, for: clientID)
    }

    /// Proves who the user is with tokens that a carrier has sent of its own accord.
    func proven(
        by push: PushGrant, at issuer: ProviderMetadata, expecting expectations: IDTokenExpectations
    ) async throws(ServiceError) -> ProvenIdentity {
        let clientID = provider.configuration.clientID
        let idToken = try await verifiedIDToken(push.tokens, of: issuer, for: clientID, expecting: expectations)
        try push.check(subject(of: idToken))
        return identity(idToken, with: push.tokens, of: issuer, for: clientID)
    }

    /// Proves who the user is with an ID token that the app has posted, before a code that came beside it goes
    /// anywhere. The code brings an ID token of its own, which must be about the same user.
    private func proven(
        _ presented: NativeToken, at issuer: ProviderMetadata, expecting expectations: IDTokenExpectations
    ) async throws(ServiceError) -> ProvenIdentity {
        let idToken = try await asked { () throws(ProviderError) in
            try await client.verified(presented, code: response.code, of: issuer, expecting: expectations, now: now)
        }
        evidence = evidence.lasting(until: idToken.isRememberedUntil)
        guard let code = evidence.code else {
            return ProvenIdentity(
                idToken: idToken, accessToken: idToken.namesAccessToken ? presented.accessToken : nil,
                grantedScope: nil, kept: nil)
        }
        let clientID = provider.codeClient(of: idToken)
        let tokens = try await exchange(at: issuer, as: clientID)
        // The transaction will use up the ID token; the code is spent whatever comes of that.
        try await stored { () throws(RepositoryError) in
            try await dependencies.repository.recordUsedCode(code, now: now)
        }
        progress = .recorded
        let other = try await verifiedIDToken(tokens, of: issuer, for: clientID, expecting: .nothing)
        guard other.issuer == idToken.issuer, other.subject == idToken.subject else { throw .invalidIDToken(.subject) }
        return identity(idToken, with: tokens, of: issuer, for: clientID)
    }

    /// - Parameters:
    ///   - tokens: what came with the ID token, kept where the provider's are kept at all.
    ///   - clientID: whose they are.
    private func identity(
        _ idToken: IDToken, with tokens: TokenResponse, of issuer: ProviderMetadata, for clientID: String
    ) -> ProvenIdentity {
        var kept: KeptTokens?
        if provider.configuration.keepsTokens, let terms = tokens.terms {
            let otherClient = clientID == provider.configuration.clientID ? nil : clientID
            kept = KeptTokens(tokens, terms, of: issuer, client: otherClient, now: now)
        }
        return ProvenIdentity(
            idToken: idToken, accessToken: tokens.accessToken, grantedScope: tokens.scope, kept: kept)
    }

    /// Exchanges the code, once it is bound to the issuer, and the challenge to the code.
    ///
    /// - Parameter clientID: whose code it is.
    private func exchange(
        at issuer: ProviderMetadata, as clientID: String
    ) async throws(ServiceError) -> TokenResponse {
        guard let code = evidence.code, let text = response.code else { throw .invalidParameter(.missingCode) }
        switch dependencies.codes.bind(code.hash, to: issuer.issuer, now: now) {
        case .bound: break
        case .elsewhere: throw .invalidGrant(.codeSentElsewhere)
        case .spent: throw .invalidGrant(.codeAlreadyUsed)
        }
        if let challenge, !dependencies.codes.spend(challenge.hash, on: code.hash, now: now) { throw .invalidChallenge }
        try await dependencies.claim(code, for: issuer.issuer)
        if let challenge {
            // From here on the code is ours among all instances, and is given back unsent where this fails.
            progress = .unsent
            let isBound = try await stored { () throws(RepositoryError) in
                try await dependencies.repository.bindChallenge(challenge, to: code, now: now)
            }
            if !isBound { throw .invalidChallenge }
        }
        progress = .sending
        client.mustFinish()
        let request = TokenRequest(
            code: text, redirectURI: response.redirectURI, codeVerifier: response.codeVerifier,
            correlationID: response.correlationID, sdkVersion: response.sdkVersion,
            keepsTokens: provider.configuration.keepsTokens,
            readsScope: response.expectedIssuer != nil || !response.askedScopes.isEmpty,
            clientID: clientID)
        do throws(ProviderError) {
            let tokens = try await client.exchange(request, at: issuer, now: now)
            progress = .spent
            return tokens
        } catch {
            guard case .call(let problem) = error else {
                progress = .unsent
                throw ServiceError(error)
            }
            progress =
                problem.failure.mayHaveSentCode ? problem.failure.mayHaveSpentCode ? .spent : .refused : .unsent
            guard case .refused(.userNotFound) = problem.failure else { throw ServiceError(error) }
            // The carrier no longer knows the user, who has to choose another one: the page for that is looked for.
            throw .providerNotFound(discoveryUI: await client.discoveryUI())
        }
    }

    func verifiedIDToken(
        _ tokens: TokenResponse, of issuer: ProviderMetadata, for clientID: String,
        expecting expectations: IDTokenExpectations
    ) async throws(ServiceError) -> IDToken {
        try await asked { () throws(ProviderError) in
            try await client.verifiedIDToken(tokens, of: issuer, for: clientID, expecting: expectations, now: now)
        }
    }

    /// What the provider says about the user, with the ID token and with userinfo.
    func userinfo(
        _ proven: ProvenIdentity, at issuer: ProviderMetadata
    ) async throws(ServiceError) -> ProviderAssertion {
        let idToken = proven.idToken
        var userinfo: JSONValue?
        // An ID token that the app has posted alone is all there is.
        if let accessToken = proven.accessToken {
            userinfo = try await asked { () throws(ProviderError) in
                try await client.userinfo(
                    accessToken, at: issuer, of: idToken.subject)
            }
        }
        return ProviderAssertion(idToken, userinfo: userinfo, from: provider)
    }

    func portTokens(of idToken: IDToken) async throws(ServiceError) -> VerifiedPortTokens {
        try await asked { () throws(ProviderError) in try await client.portTokens(of: idToken, now: now) }
    }

    /// When the provider answered a nonce that we had made: a challenge of ours, or that of a request which our server
    /// made. Both count for as long as a challenge lives, and with a token that was issued since.
    ///
    /// - Returns: when the token was issued, in seconds since 1970; nil where it answers no such nonce.
    func challengeAnswered(by idToken: IDToken) -> Int64? {
        let challenged = challenge.map { $0.expiresAt - Challenges.lifetimeSeconds }
        guard idToken.answersNonce, let begun = challenged ?? response.sentAt,
            now - begun <= Challenges.lifetimeSeconds,
            idToken.issuedAt >= begun - provider.configuration.clockSkewSeconds
        else { return nil }
        return min(idToken.issuedAt, now)
    }

    /// When the sign-in began, as far as we have seen it, or the app's own token tells.
    func beginning(shownBy idToken: IDToken) -> SignInBeginning {
        if let begunAt = response.begunAt { return .seen(begunAt) }
        if let answered, idToken.answersNonce { return .seen(answered.issuedAt) }
        if response.idToken == nil { return .untold }
        return .issued(idToken.issuedAt - provider.clock.lead(now: now))
    }

    /// Who an ID token is about, under the name by which the issuer's users are stored.
    func subject(of idToken: IDToken) -> Subject {
        Subject(issuer: provider.currentName(of: idToken.issuer), value: idToken.subject)
    }

    /// Makes use of what the code has proven, in one transaction that takes the code with it: what the repository
    /// returns, a refusal too, is on disk.
    func store<Outcome: Sendable>(
        _ call: () async throws(RepositoryError) -> Outcome
    ) async throws(ServiceError) -> Outcome {
        let outcome = try await stored(call)
        progress = .recorded
        return outcome
    }

    /// Records a code that may have been spent for nothing, and gives up one that was not.
    func fail() async {
        guard let code = evidence.code else { return }
        switch progress {
        case .unsent: await release(code, .notSent)
        case .refused: await release(code, .refused)
        case .spent, .sending: await recordSpent(code)
        case .claimed, .recorded, .unrecorded: return
        }
    }

    private func release(_ code: OneTimeUse, _ end: CodeClaimEnd) async {
        _ = await dependencies.codes.late.settle { [dependencies] () throws(RepositoryError) in
            try await dependencies.repository.releaseCode(code, end, now: dependencies.clock.seconds)
        }
    }

    private func recordSpent(_ code: OneTimeUse) async {
        let isRecorded = await dependencies.codes.late.settle { [dependencies] () throws(RepositoryError) in
            try await dependencies.repository.recordUsedCode(code, now: dependencies.clock.seconds)
        }
        // Where the store itself can't take it, this process and the provider's own refusal of a spent code remain.
        progress = isRecorded ? .recorded : .unrecorded
    }

    /// Ends the claim.
    func end() {
        let end: DispatchedCodes.End =
            switch progress {
            case .claimed, .unsent, .recorded: .nothingToRemember
            case .refused: .refused
            case .sending, .spent, .unrecorded: .spent
            }
        dependencies.codes.release(evidence, end, now: now)
    }
}

internal import Crypto
public import HTTPClient
internal import JOSE
public import JSON
internal import Syntax
public import System
internal import Telemetry

/// One use of a provider, such as a sign-in: a place in its bulkhead, one deadline for all calls, and the calls
/// themselves in the order of the road. Each is a request and a pure reading of its answer.
///
/// Whatever calls a provider does it through one of these, so that bulkhead, circuits, deadline and repetition hold for
/// all. It can't be copied: the place is given back, once, when its only owner is done with it.
public struct ProviderClient: ~Copyable, Sendable {
    public let provider: Provider
    let transport: GuardedTransport
    private let place: Bulkhead.Place
    private let stay: OpenStep
    /// What travels with the use: a failed call is noted there for the log.
    let call: CallContext

    /// Takes a place in the provider's bulkhead.
    ///
    /// - Parameters:
    ///   - transport: the HTTP client of the loop that the calls are made on.
    ///   - clock: what deadlines and the age of what is remembered are measured by.
    /// - Returns: nil when all places are taken.
    public init?(
        entering provider: Provider, through transport: any HTTPTransport, in call: CallContext,
        clock: @escaping @Sendable () -> MonotonicTime = { .now }
    ) {
        guard let place = provider.bulkhead.enter() else {
            call.begin(.bulkhead(provider: provider.stepName)).end(.failed("full"))
            return nil
        }
        stay = call.begin(.bulkhead(provider: provider.stepName), unended: .done)
        self.place = place
        self.provider = provider
        self.call = call
        let deadline = Deadline(
            now: clock(), total: provider.configuration.signInTimeout, perCall: provider.configuration.timeout)
        self.transport = GuardedTransport(
            provider: provider, transport: transport, deadline: deadline, call: call, clock: clock)
    }

    /// From now on what belongs to this use is done, also where the one who asks has gone.
    public func mustFinish() { call.mustFinish = true }

    /// Finds the issuer that serves the user's network.
    ///
    /// - Parameter network: where the profile discovers by it.
    public func issuer(serving network: MobileNetwork?) async throws(ProviderError) -> ProviderMetadata {
        do throws(ProviderCallError) {
            let name = try provider.lookup.name(serving: network)
            return try await provider.metadata.metadata(name, provider.lookup, through: transport)
        } catch {
            throw noted(.discovery, error, host: provider.configuredHost)
        }
    }

    /// Exchanges a code (OpenID Connect Core §3.1.3). Never sent a second time.
    ///
    /// - Parameter now: seconds since 1970.
    public func exchange(
        _ asked: TokenRequest, at issuer: ProviderMetadata, now: Int64
    ) async throws(ProviderError) -> TokenResponse {
        let needsAccessToken = needsUserinfo(of: issuer)
        return try await ask(asked, at: tokenEndpoint(of: issuer), of: issuer, .token, now: now) {
            [provider] answer throws(ProviderCallError) in
            try TokenResponse(answer, to: asked, dialect: provider.dialect, needsAccessToken: needsAccessToken)
        }
    }

    /// Whether a sign-in without userinfo is none: where there is such a place, and for ZenKey's carriers, whose ID
    /// tokens have no attributes.
    private func needsUserinfo(of issuer: ProviderMetadata) -> Bool {
        guard provider.configuration.userinfo == .required else { return false }
        if provider.takesPortTokens { return true }
        return issuer.userinfoEndpoint != nil || issuer.userinfoFault != nil
    }

    /// Where codes and refresh tokens are exchanged.
    ///
    /// - Throws: `ProviderError.call` where metadata names no such place.
    func tokenEndpoint(of issuer: ProviderMetadata) throws(ProviderError) -> EndpointURL {
        guard let endpoint = issuer.tokenEndpoint else {
            throw noted(.discovery, .invalidMember("token_endpoint"), host: provider.configuredHost)
        }
        return endpoint
    }

    /// Asks something of the provider as its client, once, and reads the answer.
    func ask<Answer: Sendable>(
        _ asked: some ClientRequest, at endpoint: EndpointURL, of issuer: ProviderMetadata,
        _ step: ProviderProblem.Step, now: Int64, read: (OutboundResponse) throws(ProviderCallError) -> Answer
    ) async throws(ProviderError) -> Answer {
        var proof: ClientProof?
        var answer: OutboundResponse?
        do throws(ProviderCallError) {
            let client = try provider.authentication.proof(
                at: endpoint, of: issuer, as: asked.clientID, keys: provider.clientKeys, now: now)
            proof = client
            let received = try await transport.sendOnce(
                asked.request(
                    to: endpoint, as: client, timeout: transport.timeout, policy: provider.policy(for: endpoint)),
                for: step)
            answer = received
            return try read(received)
        } catch {
            let words = answer.flatMap { ProviderWords($0, removing: asked.secrets + (proof?.secrets ?? [])) }
            let remedy = answer.flatMap { provider.dialect.remedy(for: $0, to: step.dialectCall) }
            throw noted(step, error, host: endpoint.host, words: words, remedy: remedy)
        }
    }

    /// Verifies the ID token's signature with the issuer's keys and its claims against what was asked.
    ///
    /// - Parameters:
    ///   - clientID: the client whose code it was given for.
    ///   - now: seconds since 1970.
    public func verifiedIDToken(
        _ tokens: TokenResponse, of issuer: ProviderMetadata, for clientID: String,
        expecting expectations: IDTokenExpectations, now: Int64
    ) async throws(ProviderError) -> IDToken {
        let verifier = verifier(of: issuer, for: clientID, expectations, accessToken: tokens.accessToken)
        if let endpoint = provider.configuration.idTokenVerificationEndpoint,
            let idToken = try await verified(tokens.idToken, at: endpoint, for: clientID, by: verifier, now: now)
        {
            return idToken
        }
        return try await verified(tokens.idToken, from: .provider, of: issuer, by: verifier, now: now)
    }

    /// The rules of an ID token that the issuer gives out to one of our clients.
    ///
    /// - Parameters:
    ///   - native: those of a token that an app hands in itself.
    ///   - code: what came beside such a one.
    func verifier(
        of issuer: ProviderMetadata, for clientID: String, native: NativeTokenRules? = nil,
        _ expectations: IDTokenExpectations, accessToken: String?, code: String? = nil
    ) -> IDTokenVerifier {
        IDTokenVerifier(
            issuer: provider.issuerNames ?? issuer.issuerNames, clientID: clientID,
            trustedAudiences: provider.configuration.trustedAudiences, native: native,
            nonce: expectations.nonce, authentication: expectations.authentication, context: expectations.context,
            freshness: expectations.freshness, accessToken: accessToken, code: code,
            accessTokenDigestOfEdDSA: provider.configuration.accessTokenDigestOfEdDSA,
            clockSkewSeconds: provider.configuration.clockSkewSeconds)
    }

    func verified(
        _ token: String, from origin: TokenOrigin, of issuer: ProviderMetadata, by verifier: IDTokenVerifier, now: Int64
    ) async throws(ProviderError) -> IDToken {
        let parsed: CompactJWS
        do throws(JOSEError) {
            parsed = try CompactJWS(parsing: token, maximumByteCount: IDTokenVerifier.maximumTokenBytes)
        } catch {
            if error == .algorithm {
                let allowed = provider.configuration.algorithms.map(\.rawValue).joined(separator: " or ")
                call.note(found: "alg is none, or that of a shared secret, expected \(allowed)")
            }
            throw .idToken(IDTokenError(error))
        }
        return try await verified(
            parsed, from: origin, keysAt: issuer.keysEndpoint, expecting: { verifier.expectedNames }, now: now,
            or: ProviderError.idToken
        ) { signed throws(IDTokenError) in try verifier.verify(signed, now: now) }
    }

    /// Fetches the user's attributes, where this provider has them (OpenID Connect Core §5.3).
    ///
    /// - Parameters:
    ///   - subject: whom the access token was proven to be about, by the ID token that came with it or by itself.
    /// - Returns: the claims, whose subject is that one; nil when the configuration or the provider does without
    ///   userinfo.
    /// - Throws: `ProviderError`; `.userinfoMismatch` also where userinfo is optional: what is about somebody else is
    ///   no gap.
    public func userinfo(
        _ accessToken: String, at issuer: ProviderMetadata, of subject: String
    ) async throws(ProviderError) -> JSONValue? {
        switch provider.configuration.userinfo {
        case .never: return nil
        case .required:
            return try await fetchedUserinfo(accessToken, at: issuer, of: subject)
        case .optional:
            do throws(ProviderError) {
                return try await fetchedUserinfo(accessToken, at: issuer, of: subject)
            } catch .call {
                return nil
            }
        }
    }

    private func fetchedUserinfo(
        _ accessToken: String, at issuer: ProviderMetadata, of subject: String
    ) async throws(ProviderError) -> JSONValue? {
        guard let endpoint = issuer.userinfoEndpoint else {
            if let fault = issuer.userinfoFault { throw noted(.discovery, fault, host: provider.configuredHost) }
            // OpenID Connect Discovery §3 only recommends the endpoint; every ZenKey carrier has it, and no attributes
            // stand in its ID tokens.
            if !provider.takesPortTokens { return nil }
            throw noted(.discovery, .invalidMember("userinfo_endpoint"), host: provider.configuredHost)
        }
        let request = UserinfoRequest.request(
            to: endpoint, accessToken: accessToken, correlationID: call.correlationID, timeout: transport.timeout,
            policy: provider.policy(for: endpoint))
        let response: OutboundResponse
        do throws(ProviderCallError) {
            response = try await transport.send(request, for: .userinfo)
        } catch {
            throw noted(.userinfo, error, host: endpoint.host)
        }
        func refused(_ error: UserinfoError) -> ProviderError {
            switch error {
            case .mismatch: .userinfoMismatch
            case .provider(let failure):
                noted(
                    .userinfo, failure, host: endpoint.host, words: ProviderWords(response, removing: [accessToken]),
                    remedy: provider.dialect.remedy(for: response, to: .userinfo))
            }
        }
        let signed: CompactJWS
        do throws(UserinfoError) {
            switch try UserinfoAnswer(response, dialect: provider.dialect) {
            case .claims(let claims): return try Userinfo(claims, subject: subject).claims
            case .signed(let token): signed = token
            }
        } catch {
            throw refused(error)
        }
        let clientID = provider.configuration.clientID
        return try await verified(
            signed, from: .provider, keysAt: issuer.keysEndpoint,
            expecting: { ExpectedNames(issuers: [issuer.issuer], audiences: [clientID]) }, now: nil, or: refused
        ) { signed throws(UserinfoError) in
            try Userinfo(signed, issuer: issuer.issuer, clientID: clientID, subject: subject).claims
        }
    }

    /// Where to send a user whom the carrier no longer knows; nil when there is no such page.
    public func discoveryUI() async -> String? {
        await provider.metadata.discoveryUI(provider.lookup, through: transport)
    }

    /// Verifies what the provider has signed with the algorithms that its section allows; see
    /// ``content(of:from:keysAt:allowed:by:)``.
    ///
    /// - Parameters:
    ///   - origin: who has brought it.
    ///   - names: for the log, where a rule is broken.
    ///   - now: seconds since 1970; nil where no time is looked at.
    ///   - refused: what it means that a rule is broken.
    func verified<Content, Refusal: SignedTokenRefusal>(
        _ token: CompactJWS, from origin: TokenOrigin, keysAt endpoint: EndpointURL,
        expecting names: () -> ExpectedNames, now: Int64?,
        or refused: (Refusal) -> ProviderError,
        by rules: (VerifiedJWS) throws(Refusal) -> Content
    ) async throws(ProviderError) -> Content {
        do throws(SignedTokenError<Refusal>) {
            return try await content(
                of: token, from: origin, keysAt: endpoint, allowed: provider.configuration.algorithms, by: rules)
        } catch {
            switch error {
            case .token(let refusal):
                let found = TokenFinding.sentence(
                    breaking: refusal.rule, in: token, expecting: names(),
                    allowed: provider.configuration.algorithms,
                    keys: provider.keys(at: endpoint, now: transport.now).names(now: transport.now), now: now ?? 0)
                if let found { call.note(found: found) }
                throw refused(refusal)
            case .keys(let failure): throw noted(.keys, failure, host: endpoint.host)
            }
        }
    }

    /// Verifies a signed token: its signature first, with the keys at an address, then what it says.
    ///
    /// - Parameters:
    ///   - origin: who has brought it.
    ///   - rules: those of its kind; they see nothing that was not signed.
    func content<Content, Refusal: SignedTokenRefusal>(
        of token: CompactJWS, from origin: TokenOrigin, keysAt endpoint: EndpointURL,
        allowed algorithms: [SignatureAlgorithm],
        by rules: (VerifiedJWS) throws(Refusal) -> Content
    ) async throws(SignedTokenError<Refusal>) -> Content {
        let now = transport.now
        let signed: VerifiedJWS
        do throws(SignedTokenError<JOSEError>) {
            signed = try await provider.keys(at: endpoint, now: now).verify(
                token, from: origin, allowed: algorithms, at: endpoint, through: transport, now: now)
        } catch {
            switch error {
            case .token(let problem):
                if problem == .unknownKey(.privateKeyPublished) { call.note(publishedKeysAt: endpoint.host) }
                throw .token(Refusal(problem))
            case .keys(let failure): throw .keys(failure)
            }
        }
        do throws(Refusal) { return try rules(signed) } catch { throw .token(error) }
    }

    func noted(
        _ step: ProviderProblem.Step, _ failure: ProviderCallError, host: String?, words: ProviderWords? = nil,
        remedy: String? = nil
    ) -> ProviderError {
        call.note(step, failure, host: host, words: words, remedy: remedy)
        return .call(ProviderProblem(step, failure))
    }
}

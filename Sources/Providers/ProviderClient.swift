internal import Crypto
public import HTTPClient
internal import JOSE
public import JSON
public import OpenIDConnect
import Synchronization
internal import Syntax
public import System

/// One use of a provider, such as a sign-in: a place in its bulkhead, one deadline for all calls, and the calls
/// themselves in the order of the road. Each is a request and a pure reading of its answer.
///
/// Whatever calls a provider does it through one of these, so that bulkhead, circuits, deadline and repetition hold for
/// all.
public struct ProviderClient: Sendable {
    public let provider: Provider
    let transport: GuardedTransport
    /// Where a failed call is noted for the log.
    private let trouble: ProviderTrouble?

    /// Takes a place in the provider's bulkhead; ``leave()`` must follow.
    ///
    /// - Parameters:
    ///   - transport: the HTTP client of the loop that the calls are made on.
    ///   - clock: what deadlines and the age of what is remembered are measured by.
    /// - Returns: nil when all places are taken.
    public init?(
        entering provider: Provider, through transport: any HTTPTransport, trouble: ProviderTrouble?,
        clock: @escaping @Sendable () -> MonotonicTime = { .now }
    ) {
        guard provider.bulkhead.enter() else { return nil }
        self.provider = provider
        self.trouble = trouble
        let deadline = Deadline(
            now: clock(), total: provider.configuration.signInTimeout, perCall: provider.configuration.timeout)
        self.transport = GuardedTransport(provider: provider, transport: transport, deadline: deadline, clock: clock)
    }

    /// Gives the place back.
    public func leave() { provider.bulkhead.leave() }

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
        let endpoint = try tokenEndpoint(of: issuer)
        var proof: ClientProof?
        var answer: OutboundResponse?
        do throws(ProviderCallError) {
            let client = try provider.authentication.proof(
                at: endpoint, of: issuer, as: asked.clientID, keys: provider.clientKeys, now: now)
            proof = client
            let request = asked.request(
                to: endpoint, as: client, timeout: transport.timeout, policy: provider.policy(for: endpoint))
            let received = try await transport.sendOnce(request)
            answer = received
            return try TokenResponse(received, to: asked)
        } catch {
            let secrets = asked.secrets + (proof?.secrets ?? [])
            let words = answer.flatMap { ProviderWords($0, removing: secrets) }
            throw noted(.token, error, host: endpoint.host, words: words)
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
        return try await verified(tokens.idToken, of: issuer, by: verifier, now: now)
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
            issuer: provider.issuerNames ?? issuer.issuerNames, clientID: clientID, native: native,
            nonce: expectations.nonce, authentication: expectations.authentication, context: expectations.context,
            freshness: expectations.freshness, accessToken: accessToken, code: code,
            accessTokenDigestOfEdDSA: provider.configuration.accessTokenDigestOfEdDSA,
            clockSkewSeconds: provider.configuration.clockSkewSeconds)
    }

    func verified(
        _ token: String, of issuer: ProviderMetadata, by verifier: IDTokenVerifier, now: Int64
    ) async throws(ProviderError) -> IDToken {
        let signed: VerifiedJWS
        do throws(SignedTokenError) {
            let parsed: CompactJWS
            do throws(JOSEError) {
                parsed = try CompactJWS(parsing: token, maximumByteCount: IDTokenVerifier.maximumTokenBytes)
            } catch {
                throw .token(error)
            }
            signed = try await verifiedSignature(
                of: parsed, keysAt: issuer.keysEndpoint, allowed: provider.configuration.algorithms)
        } catch {
            switch error {
            case .token(let problem): throw .idToken(IDTokenError(problem))
            case .keys(let failure): throw noted(.keys, failure, host: issuer.keysEndpoint.host)
            }
        }
        do throws(IDTokenError) {
            return try verifier.verify(signed, now: now)
        } catch {
            throw .idToken(error)
        }
    }

    /// Fetches the user's attributes, where this provider has them (OpenID Connect Core §5.3).
    ///
    /// - Parameters:
    ///   - subject: whom the access token was proven to be about, by the ID token that came with it or by itself.
    ///   - correlationID: names the sign-in in the provider's log.
    /// - Returns: the claims, whose subject is that one; nil when the configuration or the provider does without
    ///   userinfo.
    /// - Throws: `ProviderError`; `.userinfoMismatch` also where userinfo is optional: what is about somebody else is
    ///   no gap.
    public func userinfo(
        _ accessToken: String, at issuer: ProviderMetadata, of subject: String, correlationID: String?
    ) async throws(ProviderError) -> JSONValue? {
        switch provider.configuration.userinfo {
        case .never: return nil
        case .required:
            return try await fetchedUserinfo(accessToken, at: issuer, of: subject, correlationID: correlationID)
        case .optional:
            do throws(ProviderError) {
                return try await fetchedUserinfo(accessToken, at: issuer, of: subject, correlationID: correlationID)
            } catch .call {
                return nil
            }
        }
    }

    private func fetchedUserinfo(
        _ accessToken: String, at issuer: ProviderMetadata, of subject: String, correlationID: String?
    ) async throws(ProviderError) -> JSONValue? {
        guard let endpoint = issuer.userinfoEndpoint else {
            // OpenID Connect Discovery §3 only recommends the endpoint; every ZenKey carrier has it, and no attributes
            // stand in its ID tokens.
            if case .openid = provider.configuration.profile { return nil }
            throw noted(.discovery, .invalidMember("userinfo_endpoint"), host: provider.configuredHost)
        }
        let request = UserinfoRequest.request(
            to: endpoint, accessToken: accessToken, correlationID: correlationID, timeout: transport.timeout,
            policy: provider.policy(for: endpoint))
        let answer: OutboundResponse
        do throws(ProviderCallError) {
            answer = try await transport.send(request)
        } catch {
            throw noted(.userinfo, error, host: endpoint.host)
        }
        do throws(UserinfoError) {
            switch try UserinfoAnswer(answer) {
            case .claims(let claims): return try Userinfo(claims, subject: subject).claims
            case .signed(let token): return try await claims(of: token, issuer, subject).claims
            }
        } catch {
            switch error {
            case .mismatch: throw .userinfoMismatch
            case .keys(let failure): throw noted(.keys, failure, host: issuer.keysEndpoint.host)
            case .provider(let failure): throw noted(.userinfo, failure, host: endpoint.host)
            }
        }
    }

    /// Where to send a user whom the carrier no longer knows; nil when there is no such page.
    public func discoveryUI() async -> String? {
        await provider.metadata.discoveryUI(provider.lookup, through: transport)
    }

    /// The claims of a signed userinfo answer (§5.3.2).
    private func claims(
        of token: CompactJWS, _ issuer: ProviderMetadata, _ subject: String
    ) async throws(UserinfoError) -> Userinfo {
        let signed: VerifiedJWS
        do throws(SignedTokenError) {
            signed = try await verifiedSignature(
                of: token, keysAt: issuer.keysEndpoint, allowed: provider.configuration.algorithms)
        } catch {
            switch error {
            case .token: throw .mismatch
            case .keys(let failure): throw .keys(failure)
            }
        }
        return try Userinfo(
            signed, issuer: issuer.issuer, clientID: provider.configuration.clientID, subject: subject)
    }

    func verifiedSignature(
        of token: CompactJWS, keysAt endpoint: EndpointURL, allowed algorithms: [SignatureAlgorithm]
    ) async throws(SignedTokenError) -> VerifiedJWS {
        let now = transport.now
        return try await provider.keys(at: endpoint, now: now).verify(
            token, allowed: algorithms, at: endpoint, through: transport, now: now)
    }

    func noted(
        _ step: ProviderProblem.Step, _ failure: ProviderCallError, host: String?, words: ProviderWords? = nil
    ) -> ProviderError {
        trouble?.note(step, failure, host: host, words: words)
        return .call(ProviderProblem(step, failure))
    }
}

/// How many sign-ins one provider may have in flight, so that one that is slow holds no more than its share of the
/// service.
public final class Bulkhead: Sendable {
    private let limit: Int
    private let inside = Atomic(0)

    /// - Parameter limit: 0 lets everybody in.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a place.
    ///
    /// - Returns: false when all are taken; then there is nothing to ``leave()``.
    public func enter() -> Bool {
        let before = inside.wrappingAdd(1, ordering: .relaxed).oldValue
        if limit == 0 || before < limit { return true }
        leave()
        return false
    }

    /// Gives a place back.
    public func leave() {
        inside.wrappingSubtract(1, ordering: .relaxed)
    }
}

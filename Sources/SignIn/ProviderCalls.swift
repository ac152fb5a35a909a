internal import EventLoop
internal import HTTPClient
internal import JOSE
internal import JSON
internal import OpenIDConnect
internal import Providers

/// The calls of one sign-in to its provider, in the order of the road, all within one deadline. Each is a request and a
/// pure reading of its answer.
struct ProviderCalls {
    private static let longestIDToken = 32_768

    let provider: Provider
    let transport: any HTTPTransport
    let deadline: Deadline

    private var configuration: ProviderConfiguration { provider.configuration }

    /// Finds the issuer that serves the user's network.
    func discover(_ network: MobileNetwork?) async throws(SignInError) -> ProviderMetadata {
        let result: DiscoveryResult
        do throws(ProviderFailure) {
            result = try await provider.metadata(for: network, through: transport, deadline: deadline, now: .now)
        } catch {
            throw SignInError(.discovery, error)
        }
        switch result {
        case .found(let metadata): return metadata
        case .notFound(let discoveryUI): throw .providerNotFound(discoveryUI: discoveryUI)
        }
    }

    /// Exchanges the code. Never sent a second time.
    func exchange(
        _ response: AuthorizedResponse, at metadata: ProviderMetadata
    ) async throws(ProviderFailure) -> TokenResponse {
        let request = TokenRequest(
            code: response.code, redirectURI: response.redirectURI, codeVerifier: response.codeVerifier,
            correlationID: response.correlationID, sdkVersion: response.sdkVersion
        ).request(
            to: metadata.tokenEndpoint, as: provider.authentication, timeout: deadline.nextCall(now: .now),
            policy: provider.policy(for: metadata.tokenEndpoint))
        return try TokenResponse(
            try await guarded(request.url) { () throws(HTTPClientError) in try await transport.send(request) })
    }

    /// Verifies the ID token's signature with the issuer's keys and its claims against what was asked.
    func verifiedIDToken(
        _ exchanged: TokenResponse, _ metadata: ProviderMetadata, _ demands: IDTokenDemands, now: Int64
    ) async throws(SignInError) -> IDToken {
        let verifier = IDTokenVerifier(
            issuer: metadata.issuer, clientID: configuration.clientID, nonce: demands.nonce,
            authentication: demands.authentication, context: demands.context, freshness: demands.freshness,
            accessToken: exchanged.accessToken, clockSkewSeconds: configuration.clockSkewSeconds)
        let signed = try await verifiedSignature(of: exchanged.idToken, metadata) { .invalidIDToken(IDTokenFault($0)) }
        do throws(IDTokenFault) {
            return try verifier.verify(signed, now: now)
        } catch {
            throw .invalidIDToken(error)
        }
    }

    /// Fetches the user's attributes, where this provider has them.
    ///
    /// - Returns: the claims, whose subject is the ID token's; nil when the configuration or the provider does without
    ///   userinfo.
    func userinfo(
        _ exchanged: TokenResponse, _ metadata: ProviderMetadata, _ idToken: IDToken, _ response: AuthorizedResponse
    ) async throws(SignInError) -> JSONValue? {
        guard configuration.fetchesUserinfo else { return nil }
        guard let endpoint = metadata.userinfoEndpoint else {
            // OpenID Connect Discovery §3 only recommends the endpoint; every ZenKey carrier has it, and no attributes
            // stand in its ID tokens.
            if case .openid = configuration.profile { return nil }
            throw SignInError(.discovery, .invalidMember("userinfo_endpoint"))
        }
        let request = UserinfoRequest.request(
            to: endpoint, accessToken: exchanged.accessToken, correlationID: response.correlationID,
            timeout: deadline.nextCall(now: .now), policy: provider.policy(for: endpoint))
        let answer: OutboundResponse
        do throws(ProviderFailure) {
            answer = try await guarded(endpoint) { () throws(HTTPClientError) in
                try await RepeatingTransport(transport, within: deadline).send(request)
            }
        } catch {
            throw SignInError(.userinfo, error)
        }
        let content: UserinfoAnswer
        do throws(UserinfoError) { content = try UserinfoAnswer(answer) } catch { throw SignInError(error) }
        switch content {
        case .claims(let claims):
            do throws(UserinfoError) {
                return try Userinfo(claims, subject: idToken.subject).claims
            } catch {
                throw SignInError(error)
            }
        case .signed(let token):
            let signed = try await verifiedSignature(of: token, metadata) { _ in .userinfoMismatch }
            do throws(UserinfoError) {
                return try Userinfo(
                    signed, issuer: metadata.issuer, clientID: configuration.clientID, subject: idToken.subject
                ).claims
            } catch {
                throw SignInError(error)
            }
        }
    }

    /// Verifies who the user was at other carriers.
    func portTokens(of idToken: IDToken, now: Int64) async throws(SignInError) -> [VerifiedPortToken] {
        do throws(ProviderFailure) {
            return try await provider.verifiedPortTokens(of: idToken, through: transport, deadline: deadline, now: now)
        } catch {
            throw SignInError(.keys, error)
        }
    }

    /// Makes a call unless the provider's circuit is open, and reports what became of it.
    private func guarded(
        _ url: EndpointURL, _ call: () async throws(HTTPClientError) -> OutboundResponse
    ) async throws(ProviderFailure) -> OutboundResponse {
        if let wait = provider.circuits.admit(url, now: .now) {
            throw .circuitOpen(retryAfterSeconds: max(1, wait.components.seconds))
        }
        do throws(HTTPClientError) {
            let response = try await call()
            provider.circuits.report(url, isAnswered: response.status < 500, now: .now)
            return response
        } catch {
            let isOurs = error == .cancelled || error == .shutDown
            provider.circuits.report(url, isAnswered: isOurs ? nil : false, now: .now)
            throw .transport(error)
        }
    }

    private func verifiedSignature(
        of token: String, _ metadata: ProviderMetadata, orElse refusal: (JOSEError) -> SignInError
    ) async throws(SignInError) -> VerifiedJWS {
        let parsed: CompactJWS
        do throws(JOSEError) {
            parsed = try CompactJWS(parsing: token, maximumByteCount: Self.longestIDToken)
        } catch {
            throw refusal(error)
        }
        return try await verifiedSignature(of: parsed, metadata, orElse: refusal)
    }

    private func verifiedSignature(
        of token: CompactJWS, _ metadata: ProviderMetadata, orElse refusal: (JOSEError) -> SignInError
    ) async throws(SignInError) -> VerifiedJWS {
        let now = MonotonicTime.now
        do throws(SignedTokenError) {
            return try await provider.keys(of: metadata, now: now).verify(
                token, allowed: configuration.algorithms,
                request: { provider.keysRequest(metadata, deadline: deadline, now: now) },
                through: RepeatingTransport(transport, within: deadline), now: now)
        } catch {
            switch error {
            case .token(let problem): throw refusal(problem)
            case .keys(let failure): throw SignInError(.keys, failure)
            }
        }
    }
}

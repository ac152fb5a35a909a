internal import EventLoop
internal import HTTPClient
internal import JOSE
internal import JSON
internal import OpenIDConnect
internal import Providers
import Syntax
import System

/// The calls of one sign-in to its provider, in the order of the road, all within one deadline. Each is a request and a
/// pure reading of its answer.
struct ProviderCalls {
    private static let longestIDToken = 32_768

    let provider: Provider
    let transport: any HTTPTransport
    let deadline: Deadline
    /// Where a failed call is noted for the log.
    let trouble: ProviderTrouble?

    /// Finds the issuer that serves the user's network.
    func discover(_ network: MobileNetwork?) async throws(SignInError) -> ProviderMetadata {
        do throws(ProviderFailure) {
            return try await provider.metadata(for: network, through: transport, deadline: deadline, now: .now)
        } catch {
            throw noted(.discovery, error, host: provider.configuredHost)
        }
    }

    /// Exchanges the code. Never sent a second time.
    func exchange(
        _ response: AuthorizedResponse, at metadata: ProviderMetadata
    ) async throws(ProviderFailure) -> TokenResponse {
        let (endpoint, client) = (metadata.tokenEndpoint, provider.authentication)
        let asked = TokenRequest(
            code: response.code, redirectURI: response.redirectURI, codeVerifier: response.codeVerifier,
            correlationID: response.correlationID, sdkVersion: response.sdkVersion)
        let request = asked.request(
            to: endpoint, as: client, timeout: deadline.nextCall(now: .now), policy: provider.policy(for: endpoint))
        var answer: OutboundResponse?
        do throws(ProviderFailure) {
            let received = try await guarded(endpoint) { () throws(HTTPClientError) in
                try await transport.send(request)
            }
            answer = received
            return try TokenResponse(received, to: asked)
        } catch {
            let words = answer.flatMap { ProviderWords($0, removing: asked.secrets + client.secrets) }
            trouble?.note(.token, error, host: endpoint.host, words: words)
            throw error
        }
    }

    /// What a failed exchange means for the app. A user whom the carrier no longer knows has to choose another one, so
    /// the page for that is looked for.
    func refusal(_ failure: ProviderFailure) async -> SignInError {
        guard case .refused(.userNotFound) = failure else { return SignInError(.token, failure) }
        let page = await provider.discoveryUI(through: transport, deadline: deadline, now: .now)
        return .providerNotFound(discoveryUI: page)
    }

    /// Verifies the ID token's signature with the issuer's keys and its claims against what was asked.
    func verifiedIDToken(
        _ exchanged: TokenResponse, _ metadata: ProviderMetadata, _ demands: IDTokenDemands, now: Int64
    ) async throws(SignInError) -> IDToken {
        let verifier = IDTokenVerifier(
            issuer: metadata.issuer, clientID: provider.configuration.clientID, nonce: demands.nonce,
            authentication: demands.authentication, context: demands.context, freshness: demands.freshness,
            accessToken: exchanged.accessToken,
            accessTokenDigestOfEdDSA: provider.configuration.accessTokenDigestOfEdDSA,
            clockSkewSeconds: provider.configuration.clockSkewSeconds)
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
        guard provider.configuration.fetchesUserinfo else { return nil }
        guard let endpoint = metadata.userinfoEndpoint else {
            // OpenID Connect Discovery §3 only recommends the endpoint; every ZenKey carrier has it, and no attributes
            // stand in its ID tokens.
            if case .openid = provider.configuration.profile { return nil }
            throw noted(.discovery, .invalidMember("userinfo_endpoint"), host: provider.configuredHost)
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
            throw noted(.userinfo, error, host: endpoint.host)
        }
        let content: UserinfoAnswer
        do throws(UserinfoError) {
            content = try UserinfoAnswer(answer)
        } catch {
            if case .provider(let failure) = error { throw noted(.userinfo, failure, host: endpoint.host) }
            throw SignInError(error)
        }
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
                    signed, issuer: metadata.issuer, clientID: provider.configuration.clientID, subject: idToken.subject
                ).claims
            } catch {
                throw SignInError(error)
            }
        }
    }

    /// Verifies who the user was at other carriers.
    func portTokens(of idToken: IDToken, now: Int64) async throws(SignInError) -> VerifiedPortTokens {
        do throws(ProviderFailure) {
            return try await provider.verifiedPortTokens(of: idToken, through: transport, deadline: deadline, now: now)
        } catch {
            throw noted(.keys, error, host: nil)
        }
    }

    private func noted(
        _ step: SignInError.ProviderProblem.Step, _ failure: ProviderFailure, host: String?
    ) -> SignInError {
        trouble?.note(step, failure, host: host)
        return SignInError(step, failure)
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
                token, allowed: provider.configuration.algorithms,
                request: { provider.keysRequest(metadata, deadline: deadline, now: now) },
                through: RepeatingTransport(transport, within: deadline), now: now)
        } catch {
            switch error {
            case .token(let problem): throw refusal(problem)
            case .keys(let failure): throw noted(.keys, failure, host: metadata.keysEndpoint.host)
            }
        }
    }
}

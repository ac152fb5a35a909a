internal import HTTPClient
internal import Syntax

/// Carriers found through ZenKey's discovery issuer, by a user's mobile network.
enum ZenKey {
    static let dialect = Dialect(nil, "the carrier", profile: .zenKey)
}

extension ProviderProfile {
    /// That of a section that names none. A carrier has a scope for each attribute; ZenKey's guide shows ID and secret
    /// as they are in plain Base64, where everybody else keeps to RFC 6749 §2.3.1.
    public static let zenKey = ProviderProfile(
        "zenkey", displayName: "ZenKey",
        network: NetworkDiscovery(
            url: "https://discoveryissuer.myzenkey.com/.well-known/openid_configuration",
            redirectURI: "://com.xci.provider.sdk"),
        basicEncoding: .raw, scopes: ["openid", "name", "email", "phone", "postal_code"], pkce: .enforced,
        trustEmails: .all)
}

extension ProviderClient {
    /// Finds the carrier of a subject, for whom discovery is asked anew each time: a subscriber may have left.
    public func issuer(of subject: String) async throws(ProviderError) -> ProviderMetadata {
        do throws(ProviderCallError) {
            let url = try provider.lookup.url(ofSubject: subject)
            let answer = try await transport.send(
                transport.get(url, accepting: "application/json"), for: .discovery)
            return try provider.lookup.metadata(in: answer, of: .network(""))
        } catch {
            throw noted(.discovery, error, host: provider.configuredHost)
        }
    }

    /// Finds an issuer that was found by discovery before, and is known by its name.
    public func issuer(named issuer: String) async throws(ProviderError) -> ProviderMetadata {
        guard provider.trusts(issuer: issuer) else {
            throw noted(.discovery, .untrustedIssuer(PrintableName(issuer)), host: provider.configuredHost)
        }
        do throws(ProviderCallError) {
            return try await provider.metadata.metadata(ofTrusted: issuer, provider.lookup, through: transport)
        } catch {
            throw noted(.discovery, error, host: provider.configuredHost)
        }
    }

    /// Has a carrier ask its subscriber. Never sent a second time.
    ///
    /// - Parameters:
    ///   - identifier: the `jti` of the signed request.
    ///   - now: seconds since 1970.
    public func push(
        _ asked: PushRequest, at issuer: ProviderMetadata, identifier: String, now: Int64
    ) async throws(ProviderError) -> PushAnswer {
        guard let endpoint = issuer.pushEndpoint, let signer = provider.requestSigner else {
            throw noted(
                .push, .invalidMember("server_initiated_authorization_endpoint"), host: provider.configuredHost)
        }
        var answer: OutboundResponse?
        do throws(ProviderCallError) {
            let request = try asked.request(
                to: endpoint, of: issuer.issuer, signedBy: signer, keys: provider.clientKeys, identifier: identifier,
                now: now, timeout: transport.timeout, policy: provider.policy(for: endpoint))
            let received = try await transport.sendOnce(request, for: .push)
            answer = received
            return try PushAnswer(received)
        } catch {
            let words = answer.flatMap { ProviderWords($0, removing: asked.secrets) }
            throw noted(.push, error, host: endpoint.host, words: words)
        }
    }

    /// Has a carrier stop asking, where it can be told so.
    ///
    /// - Parameters:
    ///   - carrierID: what the carrier calls the request.
    ///   - identifier: as above.
    public func cancelPush(
        _ carrierID: String, at issuer: ProviderMetadata, identifier: String, now: Int64
    ) async throws(ProviderError) {
        guard let endpoint = issuer.pushCancelEndpoint, let signer = provider.requestSigner else { return }
        do throws(ProviderCallError) {
            let request = try PushCancellation(
                clientID: provider.configuration.clientID, carrierID: carrierID
            ).request(
                to: endpoint, of: issuer.issuer, signedBy: signer, keys: provider.clientKeys, identifier: identifier,
                now: now, timeout: transport.timeout, policy: provider.policy(for: endpoint))
            let answer = try await transport.sendOnce(request, for: .push)
            guard (200..<300).contains(answer.status) else { throw .status(answer.status) }
        } catch {
            throw noted(.push, error, host: endpoint.host)
        }
    }
}

extension ProviderConfiguration {
    /// Whether its issuers are carriers behind ZenKey, of which a user's network tells which one: their discovery asks
    /// for six digits of it, their port tokens tell of other carriers, their attributes stand in userinfo alone, and
    /// the SDKs of all share redirect URIs.
    public var isOfCarriers: Bool { issuerSource.issuer == nil }
}

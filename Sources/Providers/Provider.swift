internal import EventLoop
public import HTTPClient
internal import JSON
public import OpenIDConnect
import Synchronization
public import Syntax
public import System

/// A configured provider with what is remembered of it between sign-ins: metadata and keys.
///
/// One instance serves all loops. What a profile decides is only which issuer a sign-in belongs to and where its
/// metadata comes from; everything after that is OpenID Connect.
public final class Provider: Sendable {
    public let configuration: ProviderConfiguration
    public let bulkhead: Bulkhead
    public let circuits: Circuits

    private static let maximumKeySets = 1024
    private static let largestDocument = 1 << 18

    private let metadata: MetadataCache
    /// By the text of their address.
    private let keySets = Mutex(BoundedCache<ProviderKeys>(maximumCount: Provider.maximumKeySets))
    let discoveryPage: DiscoveryPage
    /// The host of discovery, or of the issuer. Read once: every call to a provider asks whether its host is this one.
    public let configuredHost: String?
    private let renewedAuthentication = Mutex<ClientAuthentication?>(nil)

    public init(_ configuration: ProviderConfiguration) {
        self.configuration = configuration
        let address =
            switch configuration.profile {
            case .zenkey(let discoveryURL): discoveryURL
            case .openid(let issuer): issuer
            }
        configuredHost = try? EndpointURL(address, allowLoopbackHTTP: true).host
        metadata = MetadataCache(bounds: configuration.cacheBounds, now: .now)
        discoveryPage = DiscoveryPage(bounds: configuration.cacheBounds)
        bulkhead = Bulkhead(limit: configuration.inFlight)
        circuits = Circuits(limits: configuration.circuit)
    }

    /// How we prove who we are: as configured, or as it was renewed since.
    public var authentication: ClientAuthentication {
        renewedAuthentication.withLock(\.self) ?? configuration.authentication
    }

    /// Uses another secret from the next exchange on.
    public func renew(authentication: ClientAuthentication) {
        renewedAuthentication.withLock { $0 = authentication }
    }

    /// Whether port tokens mean anything here: carriers behind ZenKey issue them. Elsewhere a claim of that name is a
    /// stranger's word about somebody's account.
    public var takesPortTokens: Bool {
        if case .zenkey = configuration.profile { true } else { false }
    }

    /// Whether an app may have used this redirect URI: exact comparison (RFC 9700 §2.1).
    public func allows(redirectURI: String) -> Bool {
        configuration.redirectURIs.contains { $0.isExactly(redirectURI) }
    }

    /// Whether answers of several issuers come back to a redirect URI, so that it does not tell whose answer one is.
    public func sharesRedirectURI(_ redirectURI: String) -> Bool {
        switch configuration.profile {
        case .zenkey: true
        case .openid: configuration.sharedRedirectURIs.contains { $0.isExactly(redirectURI) }
        }
    }

    /// Whether an issuer may be believed, decided before anything is fetched from it.
    public func trusts(issuer: String) -> Bool {
        guard IssuerIdentifier.isWellFormed(issuer),
            let url = try? EndpointURL(issuer, allowLoopbackHTTP: configuration.allowsLoopbackHTTP)
        else { return false }
        return configuration.trustedIssuers.contains { $0.matches(url.host) }
    }

    /// The metadata of the issuer that a sign-in belongs to.
    ///
    /// - Parameter network: the user's mobile network, where the profile discovers by it.
    /// - Throws: `ProviderFailure`: `.noCarrier` when nobody serves that network; also for an issuer that is not the
    ///   configured one or not trusted.
    public func metadata(
        for network: MobileNetwork?, through transport: any HTTPTransport, deadline: Deadline, now: MonotonicTime
    ) async throws(ProviderFailure) -> ProviderMetadata {
        switch configuration.profile {
        case .zenkey(let discoveryURL):
            do throws(ProviderFailure) {
                return try await ZenKeyDiscovery(discoveryURL: discoveryURL, provider: self)
                    .metadata(for: network, through: transport, deadline: deadline, now: now)
            } catch .noCarrier(discoveryUI: nil) {
                throw .noCarrier(discoveryUI: configuration.discoveryUI)
            }
        case .openid(let issuer):
            return try await metadata(
                of: .configured(issuer), through: transport, deadline: deadline, now: now)
        }
    }

    /// The metadata an issuer publishes of itself, which must name that very issuer (OpenID Connect Discovery §4.3).
    func metadata(
        of issuer: MetadataCache.Name, through transport: any HTTPTransport, deadline: Deadline, now: MonotonicTime
    ) async throws(ProviderFailure) -> ProviderMetadata {
        let text = issuer.text
        do throws(ProviderFailure) {
            return try await document(
                foundBy: issuer, through: transport, deadline: deadline, now: now
            ) { () throws(ProviderFailure) in
                try Discovery.metadataURL(issuer: text, allowLoopbackHTTP: configuration.allowsLoopbackHTTP)
            } objection: { found in
                found.issuer == text ? nil : .issuerMismatch
            }
        } catch .noCarrier {
            // Only discovery by network says so; an issuer's own document has to name the issuer.
            throw .invalidMember("issuer")
        }
    }

    /// Takes a metadata document from memory, or fetches it.
    ///
    /// - Parameters:
    ///   - url: makes its address, which is asked for once.
    ///   - objection: why the metadata may not be used, if it may not; asked before it is remembered.
    func document(
        foundBy name: MetadataCache.Name, through transport: any HTTPTransport, deadline: Deadline, now: MonotonicTime,
        at url: () throws(ProviderFailure) -> EndpointURL,
        objection: @escaping @Sendable (ProviderMetadata) -> ProviderFailure?
    ) async throws(ProviderFailure) -> ProviderMetadata {
        try await metadata.metadata(foundBy: name, now: now, at: url) { url in
            fetch(documentRequest(url, deadline, now), through: transport, deadline: deadline, objection: objection)
        }
    }

    func documentRequest(_ url: EndpointURL, _ deadline: Deadline, _ now: MonotonicTime) -> OutboundRequest {
        OutboundRequest(
            method: .get, url: url, headers: [(name: "Accept", value: "application/json")], body: [],
            timeout: deadline.nextCall(now: now), policy: policy(for: url), finishesWhenCancelled: false)
    }

    private func fetch(
        _ request: OutboundRequest, through transport: any HTTPTransport, deadline: Deadline,
        objection: @escaping @Sendable (ProviderMetadata) -> ProviderFailure?
    ) -> CachedFetch<ProviderMetadata>.Fetch {
        let (bounds, page) = (configuration.cacheBounds, discoveryPage)
        let allowsLoopbackHTTP = configuration.allowsLoopbackHTTP
        return {
            do throws(HTTPClientError) {
                let response = try await RepeatingTransport(transport, within: deadline).send(request)
                do throws(ProviderFailure) {
                    switch try Discovery.result(of: response, allowLoopbackHTTP: allowsLoopbackHTTP) {
                    case .notFound(let discoveryUI): throw .noCarrier(discoveryUI: discoveryUI)
                    case .found(let metadata):
                        if let failure = objection(metadata) { throw failure }
                        let freshness = bounds.freshness(cacheControl: response.header("cache-control"))
                        return .success(Fetched(metadata, freshness: freshness))
                    }
                } catch {
                    page.note(error)
                    return .failure(error)
                }
            } catch {
                return .failure(.transport(error))
            }
        }
    }

    /// The keys that an issuer's metadata points to.
    public func keys(of metadata: ProviderMetadata, now: MonotonicTime) -> ProviderKeys {
        keySets.withLock { keySets in
            if let keys = keySets.value(for: metadata.keysEndpoint.text) { return keys }
            let keys = ProviderKeys(bounds: configuration.cacheBounds, now: now)
            keySets.insert(keys, for: metadata.keysEndpoint.text)
            return keys
        }
    }

    public func keysRequest(_ metadata: ProviderMetadata, deadline: Deadline, now: MonotonicTime) -> OutboundRequest {
        OutboundRequest(
            method: .get, url: metadata.keysEndpoint,
            headers: [(name: "Accept", value: "application/jwk-set+json, application/json")], body: [],
            timeout: deadline.nextCall(now: now), policy: policy(for: metadata.keysEndpoint),
            finishesWhenCancelled: false)
    }

    /// What may be called: a host the operator named may lie in a private network, one that a document named may not.
    public func policy(for url: EndpointURL) -> OutboundPolicy {
        OutboundPolicy(
            caFile: configuration.caFile,
            allowsPrivateAddresses: configuration.allowsLoopbackHTTP || isNamedByOperator(url.host),
            connectionsPerHost: configuration.connectionsPerHost, maximumBodyBytes: Self.largestDocument,
            connectTimeout: configuration.timeout)
    }

    private func isNamedByOperator(_ host: String) -> Bool {
        host == configuredHost || configuration.trustedIssuers.contains { $0.names(host) }
    }
}

public import EventLoop
public import HTTPClient
internal import JSON
public import OpenIDConnect
import Synchronization

/// A configured provider with what is remembered of it between sign-ins: metadata and keys.
///
/// One instance serves all loops. What a profile decides is only which issuer a sign-in belongs to and where its
/// metadata comes from; everything after that is OpenID Connect.
public final class Provider: Sendable {
    public let configuration: ProviderConfiguration
    public let bulkhead: Bulkhead
    public let circuits: Circuits

    private struct Caches {
        /// By mobile network or by issuer, whichever the metadata was found by.
        var metadata: [String: RememberedMetadata] = [:]
        /// By the text of their address.
        var keys: [String: ProviderKeys] = [:]
    }

    private final class RememberedMetadata: Sendable {
        let url: EndpointURL
        let document: CachedFetch<DiscoveryResult>

        init(url: EndpointURL, bounds: CacheBounds) {
            self.url = url
            document = CachedFetch(bounds: bounds)
        }
    }

    /// Apps choose the network that is asked for, so what is remembered is bounded.
    private static let rememberedDocuments = 1024
    private static let largestDocument = 1 << 18

    private let caches = Mutex(Caches())
    /// Read once: every call to a provider asks whether its host is this one.
    private let configuredHost: String?
    private let renewedAuthentication = Mutex<ClientAuthentication?>(nil)

    public init(_ configuration: ProviderConfiguration) {
        self.configuration = configuration
        let address =
            switch configuration.profile {
            case .zenkey(let discoveryURL): discoveryURL
            case .openid(let issuer): issuer
            }
        configuredHost = try? EndpointURL(address, allowLoopbackHTTP: true).host
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

    /// Whether an app may have used this redirect URI: exact comparison (RFC 9700 §2.1).
    public func allows(redirectURI: String) -> Bool {
        configuration.redirectURIs.contains { $0.isExactly(redirectURI) }
    }

    /// Whether an issuer may be believed, decided before anything is fetched from it.
    public func trusts(issuer: String) -> Bool {
        guard let url = try? EndpointURL(issuer, allowLoopbackHTTP: configuration.allowsLoopbackHTTP) else {
            return false
        }
        return configuration.trustedIssuers.contains { $0.matches(url.host) }
    }

    /// The metadata of the issuer that a sign-in belongs to.
    ///
    /// - Parameter network: the user's mobile network, where the profile discovers by it.
    /// - Throws: `ProviderFailure`; also for an issuer that is not the configured one or not trusted.
    public func metadata(
        for network: MobileNetwork?, through transport: any HTTPTransport, deadline: Deadline, now: MonotonicTime
    ) async throws(ProviderFailure) -> DiscoveryResult {
        switch configuration.profile {
        case .zenkey(let discoveryURL):
            return try await ZenKeyDiscovery(discoveryURL: discoveryURL, provider: self)
                .metadata(for: network, through: transport, deadline: deadline, now: now)
        case .openid(let issuer):
            return .found(try await metadata(ofIssuer: issuer, through: transport, deadline: deadline, now: now))
        }
    }

    /// The metadata an issuer publishes of itself, which must name that very issuer (OpenID Connect Discovery §4.3).
    func metadata(
        ofIssuer issuer: String, through transport: any HTTPTransport, deadline: Deadline, now: MonotonicTime
    ) async throws(ProviderFailure) -> ProviderMetadata {
        let result = try await document(
            foundBy: issuer, through: transport, deadline: deadline, now: now
        ) { () throws(ProviderFailure) in
            try Discovery.metadataURL(issuer: issuer, allowLoopbackHTTP: configuration.allowsLoopbackHTTP)
        } objection: { found in
            found.issuer == issuer ? nil : .issuerMismatch
        }
        guard case .found(let metadata) = result else { throw .invalidMember("issuer") }
        return metadata
    }

    /// Takes a metadata document from memory, or fetches it.
    ///
    /// - Parameters:
    ///   - name: what it is found by: a mobile network or an issuer.
    ///   - url: makes its address, which is asked for once.
    ///   - objection: why the metadata may not be used, if it may not; asked before it is remembered.
    func document(
        foundBy name: String, through transport: any HTTPTransport, deadline: Deadline, now: MonotonicTime,
        at url: () throws(ProviderFailure) -> EndpointURL,
        objection: @escaping @Sendable (ProviderMetadata) -> ProviderFailure?
    ) async throws(ProviderFailure) -> DiscoveryResult {
        let remembered: RememberedMetadata
        if let known = caches.withLock({ $0.metadata[name] }) {
            if let result = known.document.fresh(now: now) { return result }
            remembered = known
        } else {
            remembered = remember(RememberedMetadata(url: try url(), bounds: configuration.cacheBounds), as: name)
        }
        return try await fetched(remembered, through: transport, deadline: deadline, now: now, objection: objection)
    }

    /// Another sign-in may have come first: then what it made is taken, so that both wait for one fetch.
    private func remember(_ metadata: RememberedMetadata, as name: String) -> RememberedMetadata {
        caches.withLock { caches in
            if let known = caches.metadata[name] { return known }
            if caches.metadata.count >= Self.rememberedDocuments { caches.metadata.removeAll(keepingCapacity: true) }
            caches.metadata[name] = metadata
            return metadata
        }
    }

    private func fetched(
        _ metadata: RememberedMetadata, through transport: any HTTPTransport, deadline: Deadline, now: MonotonicTime,
        objection: @escaping @Sendable (ProviderMetadata) -> ProviderFailure?
    ) async throws(ProviderFailure) -> DiscoveryResult {
        let url = metadata.url
        let request = OutboundRequest(
            method: .get, url: url, headers: [(name: "Accept", value: "application/json")], body: [],
            timeout: deadline.nextCall(now: now), policy: policy(for: url), finishesWhenCancelled: false)
        let (bounds, allowsLoopbackHTTP) = (configuration.cacheBounds, configuration.allowsLoopbackHTTP)
        return try await metadata.document.value(now: now, leavesWhenCancelled: true) {
            do throws(HTTPClientError) {
                let response = try await RepeatingTransport(transport, within: deadline).send(request)
                do throws(ProviderFailure) {
                    let result = try Discovery.result(of: response, allowLoopbackHTTP: allowsLoopbackHTTP)
                    if case .found(let metadata) = result, let failure = objection(metadata) {
                        return .failure(failure)
                    }
                    return .success(
                        Fetched(result, freshness: bounds.freshness(cacheControl: response.header("cache-control"))))
                } catch {
                    return .failure(error)
                }
            } catch {
                return .failure(.transport(error))
            }
        }
    }

    /// The keys that an issuer's metadata points to.
    public func keys(of metadata: ProviderMetadata, now: MonotonicTime) -> ProviderKeys {
        caches.withLock { caches in
            if let keys = caches.keys[metadata.keysEndpoint.text] { return keys }
            if caches.keys.count >= Self.rememberedDocuments { caches.keys.removeAll(keepingCapacity: true) }
            let keys = ProviderKeys(bounds: configuration.cacheBounds, now: now)
            caches.keys[metadata.keysEndpoint.text] = keys
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

internal import EventLoop
public import HTTPClient
internal import JOSE
internal import JSON
import Synchronization
public import Syntax
internal import System
public import Telemetry

/// A configured provider with what is remembered of it between sign-ins: metadata and keys.
///
/// One instance serves all loops. What a profile decides is only which issuer a sign-in belongs to and where its
/// metadata comes from; everything after that is OpenID Connect.
public final class Provider: Sendable {
    public let configuration: ProviderConfiguration
    /// Its name in steps.
    let stepName: StepName
    public let bulkhead: Bulkhead
    public let circuits: Circuits
    /// What has come of sign-ins there.
    public let outcomes = ProviderOutcomes()

    private static let maximumKeySets = 1024
    private static let maximumDocumentBytes = 1 << 18

    let lookup: IssuerLookup
    let metadata: MetadataCache
    /// How often keys were fetched because those at hand did not verify a token.
    public let keyRefetches = LoopCount()
    /// By the text of their address.
    private let keySets = Mutex(BoundedCache<ProviderKeys>(maximumCount: Provider.maximumKeySets))
    /// The host of discovery, or of the issuer. Read once: every call to a provider asks whether its host is this one.
    public let configuredHost: String?
    /// Of the issuer, where the configuration has one; made once.
    public let issuerNames: IssuerNames?
    /// In whose words it refuses; as configured, or else by the host of its issuer.
    public let dialect: Dialect
    /// Whether codes are exchanged by the very client of ours that each was issued to, as at Apple.
    public let exchangesForEachClient: Bool
    /// What may be called of what a document names; made once.
    private let publicPolicy: OutboundPolicy
    private let renewedAuthentication = Mutex<ClientAuthentication?>(nil)
    private let renewedSigner = Mutex<RequestSigner?>(nil)
    private let renewedDirectoryAccess = Mutex<UserAPI.Access?>(nil)
    let directoryTokens = DirectoryTokens()
    public let clock: ProviderClock

    /// Who sends events in its name, where that is told by a document of its own.
    let transmitter: CachedFetch<EventTransmitter>

    /// The keys of ours that are no provider's own.
    let clientKeys: ClientKeys

    public init(_ configuration: ProviderConfiguration, clientKeys: ClientKeys = ClientKeys()) {
        self.configuration = configuration
        stepName = StepName(configuration.name)
        takesPortTokens = configuration.isOfCarriers
        self.clientKeys = clientKeys
        let address =
            switch configuration.issuerSource {
            case .network(let discoveryURL): discoveryURL
            case .configured(let issuer): configuration.discoveryURL?.text ?? issuer
            }
        configuredHost = try? EndpointURL(address, allowLoopbackHTTP: true).host
        dialect = (configuration.dialect ?? DialectName(host: configuredHost?.lowercased() ?? "")).dialect
        issuerNames = configuration.issuerNames
        exchangesForEachClient = configuration.authentication.isOfEachClient
        publicPolicy = OutboundPolicy(
            caFile: configuration.caFile, allowsPrivateAddresses: false,
            connectionsPerHost: configuration.connectionsPerHost, maximumBodyBytes: Self.maximumDocumentBytes,
            connectTimeout: configuration.timeout, proxy: configuration.outboundProxy)
        lookup = IssuerLookup(configuration)
        metadata = MetadataCache(bounds: configuration.cacheBounds, now: .now)
        transmitter = CachedFetch(bounds: configuration.cacheBounds)
        bulkhead = Bulkhead(limit: configuration.inFlight)
        circuits = Circuits(limits: configuration.circuit)
        clock = ProviderClock(limitSeconds: configuration.clockSkewSeconds)
    }

    /// How we prove who we are: as configured, or as it was renewed since.
    public var authentication: ClientAuthentication {
        renewedAuthentication.withLock(\.self) ?? configuration.authentication
    }

    /// Uses another secret from the next exchange on.
    public func renew(authentication: ClientAuthentication) {
        renewedAuthentication.withLock { $0 = authentication }
    }

    /// What server-initiated requests are signed with, as configured or as it was renewed since; nil where there are
    /// none.
    public var requestSigner: RequestSigner? {
        guard let configured = configuration.requestSigner else { return nil }
        return renewedSigner.withLock(\.self) ?? configured
    }

    /// Signs with another key from the next request on.
    public func renew(requestSigner: RequestSigner?) {
        renewedSigner.withLock { $0 = requestSigner }
    }

    /// By what the directory's API knows us: as configured, or as it was renewed since; nil where there is no such API.
    var directoryAccess: UserAPI.Access? { renewedDirectoryAccess.withLock(\.self) ?? configuration.userAPI?.access }

    /// Uses another token, or another secret, from the next call on.
    public func renew(userAPI: UserAPI?) {
        guard let userAPI, userAPI.version == configuration.userAPI?.version else { return }
        renewedDirectoryAccess.withLock { $0 = userAPI.access }
        directoryTokens.forget()
    }

    /// Whether port tokens mean anything here: carriers behind ZenKey issue them. Elsewhere a claim of that name is a
    /// stranger's word about somebody's account.
    public let takesPortTokens: Bool

    /// Whether an ID token of this provider tells who its user was at other carriers.
    public func tellsOfOtherCarriers(_ idToken: IDToken) -> Bool {
        takesPortTokens && PortToken.claims.contains { idToken.claims[$0] != nil }
    }

    /// Whether an app may have used this redirect URI: exact comparison (RFC 9700 §2.1).
    public func allows(redirectURI: String) -> Bool {
        configuration.redirectURIs.contains { $0.isExactly(redirectURI) }
    }

    /// Whether answers of several issuers come back to a redirect URI, so that it does not tell whose answer one is.
    public func sharesRedirectURI(_ redirectURI: String) -> Bool {
        takesPortTokens || configuration.sharedRedirectURIs.contains { $0.isExactly(redirectURI) }
    }

    /// Whether an issuer may be believed, decided before anything is fetched from it.
    public func trusts(issuer: String) -> Bool { lookup.trusts(issuer: issuer) }

    /// Whether an ID token of this issuer could ever be taken, compared to the letter (OpenID Connect Core §3.1.3.7):
    /// an identity that an operator enters under any other would never be found.
    public func mayIssueAs(_ issuer: String) -> Bool { lookup.mayIssueAs(issuer) }

    /// Whether users of this issuer, which may be a former name of one, are found by an ID token.
    public func mayHaveIssuedAs(_ issuer: String) -> Bool { mayIssueAs(issuer) || mayIssueAs(currentName(of: issuer)) }

    /// The name under which an issuer's users are stored now.
    public func currentName(of issuer: String) -> String {
        let name = issuerNames?.stored(issuer) ?? issuer
        return configuration.issuerAliases[name] ?? name
    }

    /// Whether users who are stored under that name are those of an issuer whose metadata was found.
    public func stores(_ stored: String, of metadata: ProviderMetadata) -> Bool {
        currentName(of: metadata.issuer).isExactly(currentName(of: stored))
            || issuerNames?.hasTenants == true && issuerNames?.stored(stored) != nil
    }

    /// Whether an authorization response that names an issuer (RFC 9207 §2.4) is that of the issuer whose metadata was
    /// found.
    public func isNamed(_ name: String, in metadata: ProviderMetadata) -> Bool {
        metadata.issuer.isExactly(name) || issuerNames?.includes(name) == true
    }

    /// The keys at an address that a document of the provider's names.
    func keys(at endpoint: EndpointURL, now: MonotonicTime) -> ProviderKeys {
        keySets.withLock { keySets in
            if let keys = keySets.value(for: endpoint.text) { return keys }
            let keys = ProviderKeys(bounds: configuration.cacheBounds, now: now) { [keyRefetches] in
                keyRefetches.addShared()
            }
            keySets.insert(keys, for: endpoint.text)
            return keys
        }
    }

    /// Reads a signed token that anybody may have sent, of an algorithm that the provider may use.
    ///
    /// - Parameter refusal: what is thrown for any other.
    func read<Rule: TokenRuleError>(
        _ text: String, maximumByteCount: Int, or refusal: Rule.Type
    ) throws(Rule) -> CompactJWS {
        let token: CompactJWS
        do throws(JOSEError) {
            token = try CompactJWS(parsing: text, maximumByteCount: maximumByteCount)
        } catch {
            throw Rule(error)
        }
        guard configuration.algorithms.contains(token.header.algorithm) else { throw .algorithm }
        return token
    }

    /// What may be called: a host the operator named may lie in a private network, one that a document named may not.
    public func policy(for url: EndpointURL) -> OutboundPolicy {
        var policy = publicPolicy
        policy.allowsPrivateAddresses = configuration.allowsLoopbackHTTP || isNamedByOperator(url.host)
        return policy
    }

    private func isNamedByOperator(_ host: String) -> Bool {
        if case .risc(let location)? = configuration.events?.sender, host == location.host { return true }
        return host == configuredHost || configuration.trustedIssuers.contains { $0.names(host) }
            || configuration.userAPI?.isAt(host) == true
            || configuration.idTokenVerificationEndpoint?.host == host
    }
}

public import Accounts
internal import Apps
public import Providers
internal import Syntax

/// The configured providers, found by the name in the configuration or by our client identifier there.
public struct ProviderRegistry: Sendable {
    /// In the order of the configuration.
    public let all: [Provider]
    private let byName: [String: Provider]
    private let byClientID: [String: [Provider]]
    /// The only one there is, whatever is asked for.
    private let only: Provider?
    /// The only one that discovers by mobile network.
    private let onlyByNetwork: Provider?

    public init(_ providers: [Provider]) {
        all = providers
        byName = Dictionary(providers.map { ($0.configuration.name, $0) }) { first, _ in first }
        byClientID = Dictionary(grouping: providers) { $0.configuration.clientID }
        only = providers.count == 1 ? providers.first : nil
        let byNetwork = providers.filter { $0.configuration.isOfCarriers }
        onlyByNetwork = byNetwork.count == 1 ? byNetwork.first : nil
    }

    /// In the order in which people are offered them: by their number, then by what people call them, then by their
    /// place in the configuration.
    public func inOrder(_ providers: [Provider]) -> [Provider] {
        providers.sorted { left, right in
            let (left, right) = (left.configuration, right.configuration)
            return (left.order, left.displayName.lowercased()) < (right.order, right.displayName.lowercased())
        }
    }

    /// What people call the provider of that name; the name, of one that is not configured any more.
    public func displayName(of name: String) -> String { byName[name]?.configuration.displayName ?? name }

    /// The configured provider of that name.
    public func provider(named name: String) -> Provider? { byName[name] }

    /// Whether some provider knows us by that identifier, or a client of ours whose codes or ID tokens it issues.
    public func isClientOfOurs(_ clientID: String) -> Bool {
        byClientID[clientID] != nil
            || all.contains { provider in
                provider.isCodeClient(clientID)
                    || provider.configuration.nativeTokens?.audiences.contains(clientID) == true
            }
    }

    /// Finds the provider a request means. Either parameter will do; given both, they must agree; without both it is
    /// the only one that can be meant, as the bodies of ZenKey's guides have it.
    ///
    /// - Parameter namesNetwork: whether the request tells a mobile network, by which a provider of profile `zenkey` is
    ///   meant.
    /// - Throws: `ServiceError.unknownClient`, `.unknownProvider`, or `.invalidParameter` when nothing says which.
    public func provider(
        named name: String?, clientID: String?, namesNetwork: Bool
    ) throws(ServiceError) -> Provider {
        if let name {
            guard let provider = byName[name] else { throw .unknownProvider }
            // Where each client exchanges its own codes, an app says which it is.
            if let clientID, provider.configuration.clientID != clientID, !provider.isCodeClient(clientID) {
                throw .unknownClient
            }
            return provider
        }
        if clientID == nil, let provider = only ?? (namesNetwork ? onlyByNetwork : nil) { return provider }
        guard let clientID else { throw .invalidParameter(ParameterError("client_id", "is missing")) }
        guard let providers = byClientID[clientID], let provider = providers.first else { throw .unknownClient }
        guard providers.count == 1 else {
            throw .invalidParameter(
                ParameterError("provider", "is missing, and several providers have this client_id"))
        }
        return provider
    }

    /// Those of all redirect URIs at which this service itself answers, such as a provider's callback.
    ///
    /// - Parameter issuer: the public base URL of this service.
    func redirectURIs(on issuer: BaseURL) -> Set<String> {
        guard let host = OwnHost(issuer: issuer.text) else { return [] }
        return Set(all.flatMap(\.configuration.redirectURIs).filter(host.isOwn))
    }

    /// Whether some provider's access tokens sign people in.
    public var exchangesTokens: Bool { all.contains { $0.configuration.tokenExchange != nil } }

    /// Whether people can sign up for accounts in some provider's directory of users.
    public var keepsDirectories: Bool { all.contains { $0.configuration.userAPI != nil } }

    /// Finds the provider in whose directory somebody wants an account: the only one that can be meant where nothing
    /// says which.
    ///
    /// - Throws: `ServiceError.unknownProvider`, `.unknownClient`, or `.invalidParameter` for what names none of them.
    public func withDirectory(named name: String?, clientID: String?) throws(ServiceError) -> Provider {
        if let name {
            guard let provider = byName[name], provider.configuration.userAPI != nil else { throw .unknownProvider }
            if let clientID, provider.configuration.clientID != clientID { throw .unknownClient }
            return provider
        }
        let candidates = all.filter { provider in
            provider.configuration.userAPI != nil && (clientID == nil || clientID == provider.configuration.clientID)
        }
        guard let only = candidates.first else { throw .unknownClient }
        guard candidates.count == 1 else {
            throw .invalidParameter(ParameterError("provider", "is missing, and several could be meant"))
        }
        return only
    }

    /// Finds the provider whose access token a request hands in: the only one that can be meant where nothing says
    /// which.
    ///
    /// - Parameters:
    ///   - clientID: our identifier there, by which a provider may be meant too; nil where an app of ours asks.
    ///   - isAllowed: whether the asking client may have its users sign in with the provider of that name.
    /// - Throws: `ServiceError.unsupportedGrantType` where there is no such provider at all; `.unknownProvider`,
    ///   `.unknownClient`, or `.invalidParameter` for what names none of them.
    func exchanging(
        named name: String?, clientID: String?, isAllowed: (String) -> Bool
    ) throws(ServiceError) -> Provider {
        guard exchangesTokens else { throw .unsupportedGrantType }
        if let name {
            guard let provider = byName[name], isAllowed(name) else { throw .unknownProvider }
            if let clientID, provider.configuration.clientID != clientID { throw .unknownClient }
            guard provider.configuration.tokenExchange != nil else {
                throw .invalidParameter(ParameterError("provider", "names one whose access tokens sign nobody in here"))
            }
            return provider
        }
        if let clientID, byClientID[clientID] == nil { throw .unknownClient }
        let candidates = all.filter { provider in
            let configuration = provider.configuration
            return configuration.tokenExchange != nil && isAllowed(configuration.name)
                && (clientID == nil || clientID == configuration.clientID)
        }
        guard let only = candidates.first else { throw .unsupportedGrantType }
        guard candidates.count == 1 else {
            throw .invalidParameter(ParameterError("provider", "is missing, and several could be meant"))
        }
        return only
    }
}

/// Whose word counts that an address is verified. It is asked each time that somebody is told, and stored nowhere: what
/// the operator says of a provider holds from then on, for those who signed in before too.
extension ProviderRegistry {
    /// Whether the address or the number that a profile shows is told as verified: a provider whose word counts about
    /// it has said so. Of numbers every provider's word does.
    public func isVerified(_ contact: Contact, in profile: Profile) -> Bool {
        guard contact == .email else { return profile.isVerified(contact) }
        return profile.isVerified(contact) { counts($0, about: $1, hostedDomain: profile.hostedDomain) }
    }

    /// Whether apps are told what a provider says of this address or number.
    ///
    /// - Parameter profile: whose it is; nil where that was not read, and with it the domain in which Google keeps an
    ///   address.
    /// - Returns: nil where it depends on that domain.
    public func counts(_ given: GivenContact, in profile: Profile?) -> Bool? {
        guard case .provider(let provider, isVerified: _) = given.giver else { return false }
        guard given.contact == .email else { return true }
        let domain = profile.flatMap { $0.carrier.email == given.value ? $0.hostedDomain : nil }
        if counts(provider, about: given.value, hostedDomain: domain) { return true }
        let mayHoldDomain = provider.flatMap(self.provider(named:))?.configuration.emailTrust.takesHostedDomain
        return profile == nil && mayHoldDomain == true ? nil : false
    }

    /// - Parameter name: nil, or that of none that is configured any more, counts where every provider's word does.
    private func counts(_ name: String?, about email: String, hostedDomain: String?) -> Bool {
        guard let provider = name.flatMap(provider(named:)) else {
            return all.allSatisfy { $0.configuration.emailTrust.extent == .all }
        }
        // Where it counts for all there is nothing to look at.
        let trust = provider.configuration.emailTrust
        return trust.extent == .all || trust.covers(email, hostedDomain: hostedDomain)
    }
}

internal import HTTPClient
internal import JSON
internal import Syntax

/// A mobile network: the country code of three digits and the network code of two or three (ITU-T E.212).
public struct MobileNetwork: Sendable, Hashable {
    /// Country and network code together, five or six digits.
    public let mccmnc: String

    /// - Returns: nil unless the text is five or six ASCII digits.
    public init?(_ text: String) {
        guard (5...6).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        mccmnc = text
    }

    /// ZenKey knows six digits only: United States networks have three-digit codes.
    public var hasSixDigits: Bool { mccmnc.utf8.count == 6 }
}

/// How a profile finds the issuer of a sign-in: what is asked for, how the answer is read, and whom it trusts. It calls
/// nobody; ``MetadataCache`` does, and remembers.
struct IssuerLookup: Sendable {
    /// What is to be found by a name.
    enum Name {
        /// The issuer that the configuration names.
        case configured(String)
        case network(String)
        /// An issuer that a port token names.
        case formerIssuer(String)
        /// An issuer that a logout token names, which anybody can send.
        case loggingOut(String)

        var text: String {
            switch self {
            case .configured(let text), .network(let text), .formerIssuer(let text), .loggingOut(let text): text
            }
        }
    }

    private let issuerSource: ProviderConfiguration.IssuerSource
    private let clientID: String
    private let trustedIssuers: [TrustedIssuer]
    private let discoveryURL: EndpointURL?
    private let issuerNames: IssuerNames?
    private let needsTokenEndpoint: Bool
    private let allowsLoopbackHTTP: Bool
    /// The page on which a user chooses a carrier, where the configuration has one.
    let discoveryUI: String?

    init(_ configuration: ProviderConfiguration) {
        issuerSource = configuration.issuerSource
        clientID = configuration.clientID
        trustedIssuers = configuration.trustedIssuers
        discoveryURL = configuration.discoveryURL
        issuerNames = configuration.issuerNames
        needsTokenEndpoint = configuration.nativeTokens == nil
        allowsLoopbackHTTP = configuration.allowsLoopbackHTTP
        discoveryUI = configuration.discoveryUI
    }

    /// By what the issuer of a sign-in is found.
    ///
    /// - Parameter network: the user's mobile network, where the profile discovers by it.
    /// - Throws: `ProviderCallError.noCarrier` without a network where it takes one.
    func name(serving network: MobileNetwork?) throws(ProviderCallError) -> Name {
        switch issuerSource {
        case .configured(let issuer): return .configured(issuer)
        case .network:
            guard let network else { throw .noCarrier(discoveryUI: discoveryUI) }
            return .network(network.mccmnc)
        }
    }

    /// Where the metadata lies: at ZenKey's discovery for a network, else at the issuer itself.
    ///
    /// - Throws: `ProviderCallError.refusedEndpoint` for what is no address that may be called.
    func url(of name: Name) throws(ProviderCallError) -> EndpointURL {
        switch name {
        case .network(let mccmnc): return try discoveryURL(asking: ("mccmnc", mccmnc))
        case .configured(let issuer):
            if let discoveryURL { return discoveryURL }
            return try Discovery.metadataURL(issuer: issuer, allowLoopbackHTTP: allowsLoopbackHTTP)
        case .formerIssuer(let issuer), .loggingOut(let issuer):
            return try Discovery.metadataURL(issuer: issuer, allowLoopbackHTTP: allowsLoopbackHTTP)
        }
    }

    /// Where ZenKey's discovery is asked for the carrier of a subject.
    ///
    /// - Throws: as above; also where the profile has no such discovery.
    func url(ofSubject subject: String) throws(ProviderCallError) -> EndpointURL {
        try discoveryURL(asking: ("sub", subject))
    }

    /// Reads the answer from there.
    ///
    /// - Throws: `ProviderCallError`: `.noCarrier` when nobody serves that network; `.untrustedIssuer` when discovery
    ///   names an issuer that the configuration does not trust, and then the carrier is not called; `.issuerMismatch`
    ///   when an issuer's own document names another (OpenID Connect Discovery §4.3).
    func metadata(in response: OutboundResponse, of name: Name) throws(ProviderCallError) -> ProviderMetadata {
        let result = try Discovery.result(
            of: response, allowLoopbackHTTP: allowsLoopbackHTTP, needsTokenEndpoint: needsTokenEndpoint)
        switch (result, name) {
        case (.notFound(let page), .network): throw .noCarrier(discoveryUI: page ?? discoveryUI)
        // Only discovery by network says so; an issuer's own document has to name the issuer.
        case (.notFound, .configured), (.notFound, .formerIssuer), (.notFound, .loggingOut):
            throw .invalidMember("issuer")
        case (.found(let metadata), .network):
            guard trusts(issuer: metadata.issuer) else { throw .untrustedIssuer(PrintableName(metadata.issuer)) }
            return metadata
        case (.found(let metadata), .configured(let issuer)):
            guard issuerNames?.includes(metadata.issuer) == true else { throw .otherIssuer(metadata.issuer, issuer) }
            return metadata
        case (.found(let metadata), .formerIssuer(let issuer)), (.found(let metadata), .loggingOut(let issuer)):
            guard metadata.issuer.isExactly(issuer) else { throw .otherIssuer(metadata.issuer, issuer) }
            return metadata
        }
    }

    /// Where discovery is asked to let the user choose (`prompt=true`); nil where no page is to be had that way.
    var chooserURL: EndpointURL? { try? discoveryURL(asking: ("prompt", "true")) }

    /// The page that discovery names when it is asked for one; nil when it names none.
    func chooser(in response: OutboundResponse) -> String? {
        let result = try? Discovery.result(of: response, allowLoopbackHTTP: allowsLoopbackHTTP)
        guard case .notFound(let page)? = result else { return nil }
        return page
    }

    /// Whether an issuer may be believed, decided before anything is fetched from it.
    func trusts(issuer: String) -> Bool {
        guard IssuerIdentifier.isWellFormed(issuer),
            let url = try? EndpointURL(issuer, allowLoopbackHTTP: allowsLoopbackHTTP)
        else { return false }
        return trustedIssuers.contains { $0.includes(issuer, at: url.host) }
    }

    /// Whether an ID token of this issuer could ever be taken, compared to the letter (OpenID Connect Core §3.1.3.7):
    /// an identity that an operator enters under any other would never be found.
    func mayIssueAs(_ issuer: String) -> Bool {
        switch issuerSource {
        case .configured: issuerNames?.stored(issuer) != nil
        case .network: trusts(issuer: issuer)
        }
    }

    /// Where ZenKey's discovery, one service for all carriers, is asked about our client.
    private func discoveryURL(asking parameter: (String, String)) throws(ProviderCallError) -> EndpointURL {
        guard case .network(let discoveryURL) = issuerSource else { throw .refusedEndpoint("discoveryURL") }
        let base: EndpointURL
        do {
            base = try EndpointURL(discoveryURL, allowLoopbackHTTP: allowsLoopbackHTTP)
        } catch {
            throw .refusedEndpoint("discoveryURL")
        }
        return base.appending(query: [("client_id", clientID), parameter])
    }
}

extension ProviderCallError {
    fileprivate static func otherIssuer(_ found: String, _ expected: String) -> ProviderCallError {
        .issuerMismatch(found: PrintableName(found), expected: PrintableName(expected))
    }
}

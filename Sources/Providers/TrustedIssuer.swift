internal import Syntax

/// Whom the operator trusts to be an issuer: all of a host's, all below a domain, or the very one of a URL, which on a
/// host of many tenants is one of them (OpenID Connect Discovery §3).
public enum TrustedIssuer: Sendable, Equatable {
    case host(HostPattern)
    /// To the letter, as its documents and tokens have it.
    case issuer(String, host: String)

    /// - Parameter text: as in the configuration, which has checked it: a host, `*.` and a domain, or a URL.
    public init(_ text: String) {
        if let url = try? EndpointURL(configured: text) {
            self = .issuer(text, host: url.host)
        } else {
            self = .host(HostPattern(text))
        }
    }

    /// As it is configured, a host in lower case.
    public var text: String {
        switch self {
        case .host(let pattern): pattern.text
        case .issuer(let text, host: _): text
        }
    }

    /// Whether it names this very host, and not a domain that it lies in.
    func names(_ host: String) -> Bool {
        switch self {
        case .host(let pattern): pattern.names(host)
        case .issuer(_, let own): own == host.lowercased()
        }
    }

    /// - Parameters:
    ///   - issuer: as a document or a token names it.
    ///   - host: where that lies.
    func includes(_ issuer: String, at host: String) -> Bool {
        switch self {
        case .host(let pattern): pattern.matches(host)
        case .issuer(let text, host: _): text.isExactly(issuer)
        }
    }
}

public import HTTPClient
internal import JSON
public import Syntax

/// Who sends security events, as its configuration document says (OpenID Shared Signals Framework 1.0 §7.1): under
/// which name, and with which keys.
public struct EventTransmitter: Sendable, Equatable {
    /// The `iss` of its tokens, to the letter.
    public let issuer: String
    public let keysEndpoint: EndpointURL

    /// Reads the answer to a request for the document.
    ///
    /// - Parameters:
    ///   - location: where it was asked for, which the operator has named. The issuer must be of that very host: so a
    ///     document can't speak for others.
    ///   - allowLoopbackHTTP: whether plain http to a loopback address is taken; for development and tests.
    /// - Throws: `ProviderCallError`: `.issuerMismatch`, `.invalidMember`, `.refusedEndpoint`, or what came instead of
    ///   JSON.
    public init(
        _ response: OutboundResponse, at location: EndpointURL, allowLoopbackHTTP: Bool
    ) throws(ProviderCallError) {
        let document = try response.jsonObject()
        guard let issuer = document["issuer"]?.string, IssuerIdentifier.isWellFormed(issuer) else {
            throw .invalidMember("issuer")
        }
        guard let url = try? EndpointURL(issuer, allowLoopbackHTTP: allowLoopbackHTTP), url.scheme == location.scheme,
            url.server == location.server
        else { throw .issuerMismatch(found: PrintableName(issuer), expected: PrintableName(location.text)) }
        guard let keys = document["jwks_uri"]?.string else { throw .invalidMember("jwks_uri") }
        do {
            keysEndpoint = try EndpointURL(keys, allowLoopbackHTTP: allowLoopbackHTTP)
        } catch {
            throw .refusedEndpoint("jwks_uri")
        }
        self.issuer = issuer
    }
}

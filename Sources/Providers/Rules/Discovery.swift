public import HTTPClient
internal import JSON
public import Syntax

/// What came of asking for a provider's metadata.
public enum DiscoveryResult: Sendable {
    case found(ProviderMetadata)
    /// Discovery knows no carrier for what was asked; the page, if any, lets the user choose one.
    case notFound(discoveryUI: String?)
}

/// Requests and answers of OpenID Connect Discovery 1.0 and of ZenKey's discovery by mobile network.
public enum Discovery {
    /// Where a plain provider's metadata lies: the issuer, without a closing slash, and the well-known path (§4.1).
    ///
    /// - Throws: `ProviderCallError.refusedEndpoint` when the issuer is no URL that may be called.
    public static func metadataURL(issuer: String, allowLoopbackHTTP: Bool) throws(ProviderCallError) -> EndpointURL {
        guard IssuerIdentifier.isWellFormed(issuer) else { throw .refusedEndpoint("issuer") }
        let address = BaseURL(issuer).address("/.well-known/openid-configuration")
        do {
            return try EndpointURL(address, allowLoopbackHTTP: allowLoopbackHTTP)
        } catch {
            throw .refusedEndpoint("issuer")
        }
    }

    /// Reads the answer to a metadata request.
    ///
    /// Carriers' discovery reports its errors inside a 200, so the body decides before the status does.
    ///
    /// - Parameter needsTokenEndpoint: whether a document without one is of no use.
    /// - Throws: `ProviderCallError` for anything that is neither metadata nor "no such carrier".
    public static func result(
        of response: OutboundResponse, allowLoopbackHTTP: Bool, needsTokenEndpoint: Bool = true
    ) throws(ProviderCallError) -> DiscoveryResult {
        if let document = try? response.parsedObject(), let code = document["error"]?.string, !code.isEmpty {
            if code == "provider_not_found" || code == "user_not_found" {
                return .notFound(
                    discoveryUI: discoveryUI(document["redirect_uri"]?.string, allowLoopbackHTTP: allowLoopbackHTTP))
            }
            throw .refused(Dialect.standard.meaning(of: document, response.status, to: .other)?.error ?? .unknown)
        }
        return .found(
            try ProviderMetadata(
                try response.jsonObject(), allowLoopbackHTTP: allowLoopbackHTTP, needsTokenEndpoint: needsTokenEndpoint)
        )
    }

    private static let maximumDiscoveryUIBytes = 2048

    /// An app will send its user there: only a web address is passed on.
    private static func discoveryUI(_ text: String?, allowLoopbackHTTP: Bool) -> String? {
        guard let text, text.utf8.count <= maximumDiscoveryUIBytes,
            (try? EndpointURL(text, allowLoopbackHTTP: allowLoopbackHTTP)) != nil
        else { return nil }
        return text
    }
}

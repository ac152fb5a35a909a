internal import Crypto
public import HTTPClient
public import JSON
public import Syntax

/// Asks a provider about an ID token that it has signed with the client's secret (HS256), as LINE does for codes of the
/// web.
///
/// With such a secret, to be able to check a token is to be able to make one. So none is checked here: the provider is
/// asked, about tokens that its own token endpoint has given out, and about nothing else.
public struct IDTokenVerificationRequest: Sendable {
    private static let algorithm = "HS256"

    private let token: String
    private let clientID: String
    private let nonce: String?
    /// `typ` as it stands in the header.
    let type: String?
    /// Whom the token says that it is about. Nothing of it is proven.
    let claimedSubject: String?

    /// - Parameters:
    ///   - token: an ID token from the token endpoint.
    ///   - nonce: that of the authorization request.
    /// - Returns: nil for a token that is signed in another way, or not readable.
    public init?(_ token: String, clientID: String, nonce: IDTokenVerifier.ExpectedNonce) {
        guard token.utf8.count <= IDTokenVerifier.maximumTokenBytes else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.header(parts[0]), header["alg"].isExactly(Self.algorithm),
            header["crit"] == nil, header["b64"] == nil,
            let payload = Base64URL.decode(String(parts[1])).flatMap({ ProviderDocument.object($0.span) })
        else { return nil }
        (self.token, self.clientID) = (token, clientID)
        self.nonce = if case .exactly(let nonce) = nonce { nonce } else { nil }
        type = header["typ"]?.string
        claimedSubject = payload["sub"]?.string
    }

    private static func header(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64URL.decode(String(part)), let value = try? JSONValue(parsing: bytes.span),
            value.object != nil
        else { return nil }
        return value
    }

    /// The request to send. It changes nothing, so it may be sent again; no secret of ours is in it.
    public func request(
        to endpoint: EndpointURL, timeout: Duration, policy: OutboundPolicy
    ) -> OutboundRequest {
        var body: [UInt8] = []
        body.reserveCapacity(token.utf8.count + 512)
        FormEncoding.append("id_token", token, to: &body)
        FormEncoding.append("client_id", clientID, to: &body)
        if let nonce { FormEncoding.append("nonce", nonce, to: &body) }
        let headers = [
            (name: "Content-Type", value: "application/x-www-form-urlencoded"),
            (name: "Accept", value: "application/json"),
        ]
        return OutboundRequest(
            method: .post, url: endpoint, headers: headers, body: body, timeout: timeout, policy: policy)
    }

    /// What the provider says that the token holds.
    ///
    /// - Returns: nil where it does not take the token for its own.
    /// - Throws: `ProviderCallError` for what is no answer.
    public func claims(in response: OutboundResponse) throws(ProviderCallError) -> JSONValue? {
        if response.status == 400 { return nil }
        return try response.jsonObject()
    }
}

internal import Crypto
public import HTTPClient
internal import JSON

/// The exchange of an authorization code for tokens (OpenID Connect Core §3.1.3.1, RFC 7636 §4.5).
public struct TokenRequest: Sendable {
    public let code: String
    public let redirectURI: String
    public let codeVerifier: String?
    public let correlationID: String?
    public let sdkVersion: String?

    public init(
        code: String, redirectURI: String, codeVerifier: String?, correlationID: String?, sdkVersion: String?
    ) {
        self.code = code
        self.redirectURI = redirectURI
        self.codeVerifier = codeVerifier
        self.correlationID = correlationID
        self.sdkVersion = sdkVersion
    }

    /// The request to send. Once it may have left, it must not be sent again: a code is good for one exchange. So it
    /// is finished even when whoever asked has gone, for the code is spent by then.
    public func request(
        to endpoint: EndpointURL, as client: ClientAuthentication, timeout: Duration, policy: OutboundPolicy
    ) -> OutboundRequest {
        var body: [UInt8] = []
        body.reserveCapacity(512)
        FormEncoding.append("grant_type", "authorization_code", to: &body)
        FormEncoding.append("code", code, to: &body)
        FormEncoding.append("redirect_uri", redirectURI, to: &body)
        if let codeVerifier { FormEncoding.append("code_verifier", codeVerifier, to: &body) }
        if let correlationID { FormEncoding.append("correlation_id", correlationID, to: &body) }
        if let sdkVersion { FormEncoding.append("sdk_version", sdkVersion, to: &body) }
        if let fields = client.bodyFields {
            body.append(UInt8(ascii: "&"))
            body.append(contentsOf: fields.revealedBytes)
        }
        var headers = [
            (name: "Content-Type", value: "application/x-www-form-urlencoded"),
            (name: "Accept", value: "application/json"),
        ]
        if let authorization = client.authorization {
            headers.append((name: "Authorization", value: authorization.revealedText))
        }
        return OutboundRequest(
            method: .post, url: endpoint, headers: headers, body: body, timeout: timeout, policy: policy,
            finishesWhenCancelled: true)
    }
}

/// A successful token answer (OpenID Connect Core §3.1.3.3).
public struct TokenResponse: Sendable {
    public let accessToken: String
    public let idToken: String

    /// Reads the answer to a token request.
    ///
    /// `expires_in`, `scope` and anything else may be missing or odd; `token_type` counts in any letter case.
    ///
    /// - Throws: `ProviderFailure.refused` for an OAuth error, another case for what is no token answer.
    public init(_ response: OutboundResponse) throws(ProviderFailure) {
        guard (200..<300).contains(response.status) else {
            // 503 is how a server says "not now"; any other 5xx is a fault of its own, whatever it says about it.
            if (400..<500).contains(response.status) || response.status == 503,
                let document = try? response.parsedObject(),
                let error = OAuthError(document)
            {
                throw .refused(error)
            }
            throw .status(response.status)
        }
        let document = try response.parsedObject()
        if let error = OAuthError(document) { throw .refused(error) }
        guard let accessToken = document["access_token"]?.string, Self.isHeaderSafe(accessToken) else {
            throw .invalidMember("access_token")
        }
        guard let type = document["token_type"]?.string, type.lowercased() == "bearer" else {
            throw .invalidMember("token_type")
        }
        guard let idToken = document["id_token"]?.string, !idToken.isEmpty else { throw .invalidMember("id_token") }
        self.accessToken = accessToken
        self.idToken = idToken
    }

    /// An access token goes into a header: visible ASCII only (RFC 6749 appendix A.12), or a provider could write our
    /// next request's headers.
    private static func isHeaderSafe(_ token: String) -> Bool {
        !token.isEmpty && token.utf8.allSatisfy { $0 >= 0x21 && $0 <= 0x7E }
    }
}

internal import Crypto
public import HTTPClient
internal import JSON
public import Syntax

/// The exchange of an authorization code for tokens (OpenID Connect Core §3.1.3.1, RFC 7636 §4.5).
public struct TokenRequest: ClientRequest {
    public let code: String
    /// Nil where the code was asked for without one; empty where the provider wants to be told so.
    public let redirectURI: String?
    public let codeVerifier: String?
    public let correlationID: String?
    public let sdkVersion: String?
    /// Whether the answer is read for what keeps its tokens usable.
    public let keepsTokens: Bool
    /// Whether the answer is read for the scopes that were granted, which only those who know what was asked for can
    /// compare.
    public let readsScope: Bool
    /// Whose code it is, where we are several clients; nil for the usual one.
    public let clientID: String?

    public init(
        code: String, redirectURI: String?, codeVerifier: String?, correlationID: String?, sdkVersion: String?,
        keepsTokens: Bool = false, readsScope: Bool = false, clientID: String? = nil
    ) {
        (self.code, self.redirectURI, self.codeVerifier) = (code, redirectURI, codeVerifier)
        (self.correlationID, self.sdkVersion, self.keepsTokens) = (correlationID, sdkVersion, keepsTokens)
        (self.readsScope, self.clientID) = (readsScope, clientID)
    }

    /// What a provider must not be heard repeating.
    public var secrets: [String] {
        [code, redirectURI, codeVerifier, correlationID].compactMap(\.self)
    }

    /// The request to send. Once it may have left, it must not be sent again: a code is good for one exchange. So it is
    /// finished even when the caller has gone, for the code is spent by then.
    public func request(
        to endpoint: EndpointURL, as client: ClientProof, timeout: Duration, policy: OutboundPolicy
    ) -> OutboundRequest {
        var body: [UInt8] = []
        body.reserveCapacity(512)
        FormEncoding.append("grant_type", "authorization_code", to: &body)
        FormEncoding.append("code", code, to: &body)
        if let redirectURI { FormEncoding.append("redirect_uri", redirectURI, to: &body) }
        if let codeVerifier { FormEncoding.append("code_verifier", codeVerifier, to: &body) }
        if let correlationID { FormEncoding.append("correlation_id", correlationID, to: &body) }
        if let sdkVersion { FormEncoding.append("sdk_version", sdkVersion, to: &body) }
        return .posting(body, to: endpoint, as: client, timeout: timeout, policy: policy)
    }
}

extension OutboundRequest {
    /// Posts a form as one of the provider's clients. It is finished even when the caller has gone.
    ///
    /// - Parameter form: fields, encoded; never empty.
    static func posting(
        _ form: [UInt8], to endpoint: EndpointURL, as client: ClientProof, timeout: Duration, policy: OutboundPolicy
    ) -> OutboundRequest {
        var body = form
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
    /// Nil where the scopes that were asked for are good for an ID token and nothing else, as at Azure AD B2C.
    public let accessToken: String?
    public let idToken: String
    /// Nil where they are not asked for.
    public let terms: TokenTerms?
    /// What was granted, with blanks between; nil where nothing is said of it, or it is not asked for.
    public let scope: String?

    /// Reads the answer to a token request.
    ///
    /// `expires_in`, `scope` and anything else may be missing or odd; `token_type` counts in any letter case.
    ///
    /// - Parameters:
    ///   - request: what it answers.
    ///   - dialect: in whose words it refuses.
    ///   - needsAccessToken: whether one is to be used.
    /// - Throws: `ProviderCallError.refused` for an OAuth error, another case for what is no token answer.
    public init(
        _ response: OutboundResponse, to request: TokenRequest, dialect: Dialect = .standard,
        needsAccessToken: Bool = true
    ) throws(ProviderCallError) {
        let document: JSONValue
        do throws(ProviderCallError) {
            document = try Self.document(of: response, to: .code, dialect)
        } catch .refused(let error) {
            throw .refused(Self.meant(error, request))
        }
        let accessToken =
            needsAccessToken || Self.isGiven(document["access_token"]) ? try Self.accessToken(in: document) : nil
        guard let idToken = document["id_token"]?.string, !idToken.isEmpty else { throw .invalidMember("id_token") }
        (self.accessToken, self.idToken) = (accessToken, idToken)
        terms = request.keepsTokens ? TokenTerms(document) : nil
        scope = request.readsScope ? TokenTerms.scope(document["scope"]) : nil
    }

    /// Whether a member is there: neither null nor empty.
    private static func isGiven(_ member: JSONValue?) -> Bool {
        guard let member, !member.isNull else { return false }
        return member != ""
    }

    /// The object of a token answer that is a success.
    ///
    /// - Throws: as above.
    static func document(
        of response: OutboundResponse, to call: Dialect.Call, _ dialect: Dialect
    ) throws(ProviderCallError) -> JSONValue {
        guard (200..<300).contains(response.status) else {
            if let busy = ProviderCallError(busy: response) { throw busy }
            guard let error = dialect.meaning(of: response, to: call)?.error, isRefusal(error, response.status) else {
                throw response.unexpectedStatus
            }
            throw .refused(error)
        }
        let document = try response.parsedObject()
        if let meaning = dialect.meaning(of: document, response.status, to: call) { throw .refused(meaning.error) }
        return document
    }

    static func accessToken(in document: JSONValue) throws(ProviderCallError) -> String {
        guard let accessToken = document["access_token"]?.string, isHeaderSafe(accessToken) else {
            throw .invalidMember("access_token")
        }
        guard let type = document["token_type"]?.string, type.lowercased() == "bearer" else {
            throw .invalidMember("token_type")
        }
        return accessToken
    }

    /// Tokens that a provider has sent of its own accord.
    ///
    /// - Returns: nil for an access token that must not stand in a header.
    init?(accessToken: String, idToken: String, terms: TokenTerms) {
        guard Self.isHeaderSafe(accessToken) else { return nil }
        (self.accessToken, self.idToken, self.terms) = (accessToken, idToken, terms)
        scope = nil
    }

    /// A client error with an `error` is the last word on this code, whatever its name. 429 and 503 are how a server
    /// says "not now", unless it says something that we know; any other 5xx is a fault of its own, but for a denial.
    private static func isRefusal(_ error: OAuthError, _ status: Int) -> Bool {
        switch status {
        case 429, 503: error != .unknown
        case 400..<500: true
        default: error.isDenial
        }
    }

    /// RFC 7636 §4.6 leaves the error for a missing verifier open, and carriers take the most general one. Whether a
    /// verifier was sent is what we know better.
    private static func meant(_ error: OAuthError, _ request: TokenRequest) -> OAuthError {
        if request.codeVerifier == nil, case .clientFault("invalid_request") = error { return .verifierMissing }
        return error
    }

    /// An access token goes into a header: visible ASCII only (RFC 6749 appendix A.12), or a provider could write our
    /// next request's headers.
    private static func isHeaderSafe(_ token: String) -> Bool {
        !token.isEmpty && token.allBytes { $0 >= 0x21 && $0 <= 0x7E }
    }
}

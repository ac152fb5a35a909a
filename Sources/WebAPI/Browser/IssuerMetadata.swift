internal import Apps
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn
internal import Syntax

/// What this service says of itself to OAuth clients (RFC 8414 §2, OpenID Connect Discovery §3): all that the libraries
/// of apps and of other services look for, by the tables that they were read in.
package struct IssuerMetadata: Sendable {
    package static let paths = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]

    let hasIntrospectors: Bool
    private let document: SharedBody
    private let entityTag: EntityTag

    /// - Parameter exchangesTokens: whether some provider's access tokens sign people in (RFC 8693).
    init(issuer: BaseURL, hasIntrospectors: Bool, exchangesTokens: Bool) {
        self.hasIntrospectors = hasIntrospectors
        let bytes = Self.document(
            issuer, hasIntrospectors: hasIntrospectors, exchangesTokens: exchangesTokens
        ).serialized
        (document, entityTag) = (SharedBody(bytes), EntityTag(of: bytes))
    }

    /// The paths under which it is found: those above, and for an issuer with a path the two ways of putting both
    /// together (RFC 8414 §3.1, OpenID Connect Discovery §4.1).
    static func paths(of issuer: BaseURL) -> [String] {
        guard let path = try? EndpointURL(configured: issuer.text).path, path.contains(where: { $0 != "/" }) else {
            return []
        }
        let base = BaseURL(path)
        return paths.map { $0 + base.address("") } + [base.address(paths[0])]
    }

    func answer(to request: HTTPRequest) -> HTTPResponse {
        HTTPResponse(
            status: .ok,
            headers: [
                (name: "Content-Type", value: "application/json"),
                (name: "Cache-Control", value: "public, max-age=300"),
            ], shared: document
        ).unlessKnown(to: request, as: entityTag)
    }

    private static func document(
        _ issuer: BaseURL, hasIntrospectors: Bool, exchangesTokens: Bool
    ) -> JSONValue {
        func list(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        func address(_ path: String) -> JSONValue { .string(issuer.address(path)) }
        let grantTypes = ["authorization_code", "refresh_token"] + (exchangesTokens ? [SubjectToken.grantType] : [])
        let methods = list(["none", "client_secret_basic", "client_secret_post"])
        var document = JSONObject([
            ("issuer", .string(issuer.text)),
            ("authorization_endpoint", address(AuthorizeEndpoint.path)),
            ("token_endpoint", address("/auth/token")),
            ("userinfo_endpoint", address("/auth/userinfo")),
            ("jwks_uri", address("/.well-known/jwks.json")),
            ("revocation_endpoint", address("/auth/revoke")),
            ("end_session_endpoint", address(LogoutEndpoint.path)),
            ("response_types_supported", list(["code"])),
            ("response_modes_supported", list(["query"])),
            ("grant_types_supported", list(grantTypes)),
            ("subject_types_supported", list(["public"])),
            ("id_token_signing_alg_values_supported", list(SigningAlgorithm.allCases.map(\.rawValue))),
            ("token_endpoint_auth_methods_supported", methods),
            ("revocation_endpoint_auth_methods_supported", methods),
            ("code_challenge_methods_supported", list([PKCE.method])),
            ("scopes_supported", list(Permission.allCases.map(\.rawValue))),
            (
                "claims_supported",
                list(
                    [
                        "iss", "sub", "aud", "exp", "iat", "nonce", "auth_time", "acr", "amr", "at_hash", "sid",
                    ] + UserClaims.names)
            ),
            ("prompt_values_supported", list(["none", "login", "consent", "select_account"])),
            ("claims_parameter_supported", false), ("request_parameter_supported", false),
            ("request_uri_parameter_supported", false),
            ("authorization_response_iss_parameter_supported", true),
        ])
        if hasIntrospectors {
            document.append("introspection_endpoint", address("/auth/introspect"))
            document.append(
                "introspection_endpoint_auth_methods_supported", list(["client_secret_basic", "client_secret_post"]))
        }
        return .object(document)
    }
}

internal import JSON
internal import OpenAPI

/// The groups of operations, in the order a reader wants them.
enum Tag: String, CaseIterable {
    case signIn = "Signing in"
    case push = "On the user's phone"
    case signUp = "Signing up"
    case sessions = "Sessions"
    case user = "The user"
    case identities = "Identities"
    case browser = "Through the browser"
    case keyService = "KeyService"
    case service = "The service"

    fileprivate var description: String {
        switch self {
        case .signIn: "From an authorization code to a session."
        case .signUp: "Accounts and credentials at a provider that keeps a directory of users."
        case .push: "Our server has the carrier ask; the app waits."
        case .sessions: "Renew them, list them, end them."
        case .user: "What is known of the signed-in user, and what the user approves."
        case .identities: "By which carriers and providers the user signs in."
        case .browser:
            "For apps of ours that use an OAuth library: this service is their issuer, and these ask for no API key."
        case .keyService:
            "For TIM's clients: keys that a password unlocks. These ask for no API key, and are there where `keyService` is "
                + "enabled."
        case .service: "For other services and for tools; these ask for no API key."
        }
    }
}

/// The OpenAPI 3.1 document of the public listener, made from its operations, and what the page made from that has to know.
///
/// A test holds every answer that a test gets against it.
enum APIDocument {
    static let path = "/openapi.json"

    static let wording = DocumentationPage.Wording(
        documentPath: path, errorSchema: ErrorSchemas.codes, access: Operations.Access.words)

    /// - Parameters:
    ///   - version: this build's.
    ///   - baseURL: where apps reach the service; nil when only the reader of the document knows.
    ///   - operations: those of the configuration, where it is not the usual one.
    static func make(
        version: String, baseURL: String?, operations: [Operation<Operations>] = Operations.all
    ) -> JSONValue {
        let info: JSONValue = [
            "title": "Gatehouse", "version": .string(version),
            "summary": "Sign-in by carriers and OpenID Providers",
            "description": .string(introduction),
            "license": ["name": "Apache 2.0", "identifier": "Apache-2.0"],
        ]
        return OpenAPIDocument(
            info: info, server: baseURL ?? "/",
            tags: Tag.allCases.map { OpenAPIDocument.Tag(name: $0.rawValue, description: $0.description) },
            operations: operations.map(\.object),
            components: OpenAPIDocument.Components(
                schemas: RequestSchemas.all + KeyServiceSchemas.requests + AnswerSchemas.all + KeyServiceSchemas.answers
                    + ErrorSchemas.all,
                parameters: [("RequestID", requestID)],
                headers: ResponseHeader.allCases.map { ($0.rawValue, $0.description) },
                examples: ErrorCode.allCases.map { ($0.rawValue, $0.example) },
                responses: ErrorCode.allCases.map { ($0.rawValue, ErrorResponse([$0]).whole) },
                securitySchemes: securitySchemes)
        ).json
    }

    private static let introduction = """
        The backend behind mobile sign-in: an app posts the authorization code it got from a carrier or an OpenID \
        Provider, and gets a session.

        Answers are JSON. Bodies are JSON or forms with the same members, whose names are in snake_case; the SDKs' \
        camelCase spellings are understood too. Members that are unknown are ignored, in both directions.

        Every error has a status and a stable code in `error`, and nothing of what was sent. The codes are those of \
        the schema `ErrorCode`. A path that is not here is answered 404 `not_found`, another method of a path 405 \
        `method_not_allowed`, and a method that HTTP does not know 501 `not_implemented`. HEAD is answered as GET \
        without the body. At the https redirect URIs that our own apps have on this host there is a page with a link \
        into the app.

        Answers with tokens or personal data, and errors, say `Cache-Control: no-store`.
        """

    private static let requestID: JSONValue = [
        "name": "X-Request-ID", "in": "header", "required": false,
        "description": """
        A name for the request, which the answer repeats and the log has. Anything but 1 to 64 of \
        `A-Z a-z 0-9 . _ -` is replaced.
        """,
        "schema": ["type": "string"], "example": .string(Examples.requestID),
    ]

    private static let securitySchemes: [JSONObject.Member] = [
        (
            "apiKey",
            [
                "type": "apiKey", "in": "header", "name": "X-API-KEY",
                "description": "Which app is calling. Asked for only where `apiKeys` are configured.",
            ]
        ),
        (
            "bearer",
            [
                "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                "description": "The `access_token` of a session, in `Authorization: Bearer …` (RFC 6750 §2.1).",
            ]
        ),
        (
            "basic",
            [
                "type": "http", "scheme": "basic",
                "description": "The id and the secret of a service or an app, form-encoded (RFC 6749 §2.3.1).",
            ]
        ),
        (
            "client",
            [
                "type": "apiKey", "in": "header", "name": .string(ProviderTokenEndpoint.clientHeader),
                "description": """
                `Basic …` with the id and the secret of an app, where `Authorization` has the user's token. A second \
                `Authorization` field does as well.
                """,
            ]
        ),
    ]
}

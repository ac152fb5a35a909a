internal import JSON
internal import OpenAPI

/// The OpenAPI 3.0 document of the public listener, made from its operations, and what the page made from that has to
/// know.
///
/// A test holds every answer that a test gets against it.
enum APIDocument {
    static let path = "/openapi.json"
    static let pagePath = "/docs"

    static let wording = DocumentationPage.Wording(
        documentPath: path, usualAddress: "http://127.0.0.1:8080", commonErrors: ErrorResponse.ofHTTP,
        access: Access.words)

    static let entrance = EntrancePage(
        title: "Gatehouse",
        sentence: "The backend behind sign-in in mobile apps. Apps ask it by HTTP; for people there is this:",
        places: [
            (pagePath, "What apps ask for, and how: each operation with a line to copy."),
            (path, "The same for tools, as OpenAPI 3.0."),
            (IssuerMetadata.paths[0], "What OAuth libraries look for."),
            ("/healthz", "Whether the server answers."),
        ])

    /// - Parameters:
    ///   - version: this build's.
    ///   - baseURL: where apps reach the service; nil when only the reader of the document knows.
    ///   - wings: what wings bring, by the configuration.
    static func make(version: String, baseURL: String?, wings: APIExtensions) -> JSONValue {
        OpenAPIDocument.of(
            title: "Gatehouse", version: version, introduction: introduction, baseURL: baseURL,
            operations: Operations.all(with: wings).map { ($0.description, $0.object) }, wings: wings,
            securitySchemes: securitySchemes,
            namedSchemas: [StockAppSchemas.user, StockAppSchemas.registrationAttributes])
    }

    private static let introduction = """
        The backend behind mobile sign-in. An app that signs its user in gets an authorization code from a carrier or an \
        OpenID Provider, or an ID token from an SDK. It posts that here, and gets a session: an access token for a few \
        minutes, and a refresh token for the next one. The client secret never leaves this server.

        The way through:

        1. Where the provider's section demands it, get a nonce: `POST /auth/challenge`.
        2. Have the user approve at the provider, by its SDK, and post what comes of it: `POST /auth/signin`.
        3. Send the `access_token` of the answer along as `Authorization: Bearer …`: `GET /users/me`, `PATCH /users/me`.
        4. Before it ends, get another pair for the `refresh_token`: `POST /auth/token`. Keep the new refresh token.
        5. Let users link a second identity (`POST /users/me/identities`), approve what they read \
        (`POST /auth/transaction`) and see where they are signed in (`GET /users/me/sessions`).
        6. Sign out: `DELETE /auth/token`.

        Apps with an OAuth library go to `GET /auth/authorize` instead, and find the rest by \
        `GET /.well-known/openid-configuration`.

        Answers are JSON. Bodies are JSON, and a form with the same members is taken everywhere, too; names are in \
        snake_case, and the SDKs' camelCase spellings are understood. Members that are unknown are ignored, in both \
        directions.

        Every error has a status and a stable code in `error`, and nothing of what was sent. Each operation lists its own; \
        those of HTTP itself stand once. HEAD is answered as GET without the body. At the https redirect URIs that our own \
        apps have on this host there is a page with a link into the app. Answers with tokens or personal data, and errors, \
        say `Cache-Control: no-store`.
        """

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
                "type": "apiKey", "in": "header", "name": .string(ClientCredentials.clientHeader),
                "description": """
                `Basic …` with the id and the secret of an app, where `Authorization` has the user's token. A second \
                `Authorization` field does as well.
                """,
            ]
        ),
    ]
}

/// What the documents of both listeners are put together from.
extension OpenAPIDocument {
    static func of(
        title: String, version: String, introduction: String, baseURL: String?,
        operations: [(description: OperationDescription, object: OperationObject)], wings: APIExtensions,
        securitySchemes: [JSONObject.Member], namedSchemas: [String] = []
    ) -> JSONValue {
        let codes = ErrorCode.all(with: wings.all.flatMap(\.errors).map(ErrorCode.init))
        return OpenAPIDocument(
            info: [
                "title": .string(title), "version": .string(version), "description": .string(introduction),
                "license": ["name": "Apache 2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"],
            ],
            server: baseURL ?? "/", tags: tags(of: operations.map(\.description), wings),
            operations: operations.map(\.object),
            components: Components(
                schemas: RequestSchemas.all(with: wings) + wings.all.flatMap(\.requestSchemas) + AnswerSchemas.all
                    + wings.all.flatMap(\.answerSchemas) + IssuerSchemas.all + AdminSchemas.all + ErrorSchemas.all
                    + StockAppSchemas.all,
                parameters: [("RequestID", requestID)],
                headers: ResponseHeader.allCases.map { ($0.rawValue, $0.description) },
                examples: codes.map { ($0.rawValue, $0.example) },
                responses: codes.map { ($0.rawValue, ErrorResponse([$0]).whole) } + [
                    (ErrorResponse.ofHTTP, ErrorResponse(ErrorCode.ofHTTP).response(ofHTTP))
                ], securitySchemes: securitySchemes),
            namedSchemas: namedSchemas
        ).json
    }

    /// The groups that operations are in, in a reader's order.
    private static func tags(of operations: [OperationDescription], _ wings: APIExtensions) -> [Tag] {
        OperationGroup.all(with: wings.all.flatMap(\.groups)).filter { tag in operations.contains { $0.tag == tag } }
            .map {
                Tag(name: $0.name, description: $0.description)
            }
    }

    private static let ofHTTP =
        "What HTTP itself may have to say to any request. A path that is not here is answered `not_found`, another method of "
        + "a path `method_not_allowed`. `OPTIONS` of a path, or of `*`, is answered 204, with what it takes in `Allow`."

    private static let requestID: JSONValue = [
        "name": "X-Request-ID", "in": "header", "required": false,
        "description": """
        A name for the request, which the answer repeats and the log has. Anything but 1 to 64 of \
        `A-Z a-z 0-9 . _ -` is replaced.
        """,
        "schema": ["type": "string"], "example": .string(Examples.requestID),
    ]
}

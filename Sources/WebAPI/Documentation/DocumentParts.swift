internal import JSON
internal import OpenAPI

/// The groups of operations, in the order a reader wants them.
enum OperationGroup: String, CaseIterable {
    case signIn = "Signing in"
    case push = "On the user's phone"
    case signUp = "Signing up"
    case sessions = "Sessions"
    case user = "The user"
    case identities = "Identities"
    case browser = "Through the browser"
    case keyService = "KeyService"
    case service = "The service"
    case probes = "Probes"
    case users = "Users"
    case records = "Records"

    var description: String {
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
        case .probes: "For whoever looks after processes; these ask for no token."
        case .users: "Who there is, what is kept of them, and their end."
        case .records: "What has happened."
        case .service: "For other services and for tools; these ask for no API key."
        }
    }
}

/// What the documents of both listeners are put together from.
extension OpenAPIDocument {
    static func of(
        title: String, version: String, introduction: String, baseURL: String?, operations: [OperationObject],
        tags: [Tag],
        securitySchemes: [JSONObject.Member]
    ) -> JSONValue {
        OpenAPIDocument(
            info: [
                "title": .string(title), "version": .string(version), "description": .string(introduction),
                "license": ["name": "Apache 2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"],
            ],
            server: baseURL ?? "/", tags: tags, operations: operations,
            components: Components(
                schemas: RequestSchemas.all + KeyServiceSchemas.requests + AnswerSchemas.all + KeyServiceSchemas.answers
                    + IssuerSchemas.all + AdminSchemas.all + ErrorSchemas.all,
                parameters: [("RequestID", requestID)],
                headers: ResponseHeader.allCases.map { ($0.rawValue, $0.description) },
                examples: ErrorCode.allCases.map { ($0.rawValue, $0.example) },
                responses: ErrorCode.allCases.map { ($0.rawValue, ErrorResponse([$0]).whole) } + [
                    (ErrorResponse.ofHTTP, ErrorResponse(ErrorCode.ofHTTP).response(ofHTTP))
                ], securitySchemes: securitySchemes)
        ).json
    }

    /// The groups that operations are in, in a reader's order.
    static func tags(of operations: [OperationDescription]) -> [Tag] {
        OperationGroup.allCases.filter { tag in operations.contains { $0.tag == tag } }.map {
            Tag(name: $0.rawValue, description: $0.description)
        }
    }

    private static let ofHTTP =
        "What HTTP itself may have to say to any request. A path that is not here is answered `not_found`, another method of "
        + "a path `method_not_allowed`."

    private static let requestID: JSONValue = [
        "name": "X-Request-ID", "in": "header", "required": false,
        "description": """
        A name for the request, which the answer repeats and the log has. Anything but 1 to 64 of \
        `A-Z a-z 0-9 . _ -` is replaced.
        """,
        "schema": ["type": "string"], "example": .string(Examples.requestID),
    ]
}

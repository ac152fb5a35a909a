internal import HTTPServer
internal import JSON
internal import OpenAPI
internal import OpenIDConnect

/// The schemas of errors: one for all, and one for each that brings members of its own.
enum ErrorSchemas {
    /// The schema that has every code.
    static let codes = "ErrorCode"

    static var all: [(name: String, value: JSONValue)] {
        [
            ("Error", error), (codes, errorCode), ("ProviderNotFound", providerNotFound),
            ("InvalidIDToken", invalidIDToken), ("UnlinkedUser", unlinkedUser), ("InvalidEvent", invalidEvent),
        ]
    }

    private static let error = Schema.object(
        "An error. Nothing that was sent is ever repeated in it.",
        required: ["error", "error_description", "error_code", "request_id"],
        [
            "error": Reference.schema(codes),
            "error_description": Schema.text("One sentence for the developer."),
            "error_code": Reference.schema(codes),
            "request_id": ResponseHeader.requestIDSchema,
        ])

    /// Every code, with the status it comes with.
    private static var errorCode: JSONValue {
        let codes = ErrorCode.allCases.map { code -> JSONValue in
            [
                "const": .string(code.rawValue),
                "title": .string("\(code.status) \(HTTPStatus(code.status).reasonPhrase)"),
                "description": .string(code.meaning),
            ]
        }
        return [
            "type": "string", "description": "A stable code; more may come with later versions.",
            "oneOf": .array(codes),
        ]
    }

    private static func error(_ code: ErrorCode, with schema: JSONValue) -> JSONValue {
        ["allOf": [Reference.schema("Error"), ["properties": ["error": ["const": .string(code.rawValue)]]], schema]]
    }

    private static let providerNotFound = error(
        .providerNotFound,
        with: Schema.object(
            "Discovery knows no carrier.",
            ["discovery_ui": Schema.text("Where to send the user to choose a carrier.")]))

    private static let invalidIDToken = error(
        .invalidIDToken,
        with: Schema.object(
            "The ID token is refused.", required: ["reason"],
            [
                "reason": Schema.text(
                    "The rule that is broken.", ["enum": .array(IDTokenError.allCases.map { .string($0.rawValue) })])
            ]))

    private static let invalidEvent = error(
        .invalidEvent,
        with: Schema.object(
            "What a provider sent about an event is refused (RFC 8935 §2.3).", required: ["err", "description"],
            [
                "err": Schema.text(
                    "The code.",
                    [
                        "enum": [
                            "invalid_request", "invalid_key", "invalid_issuer", "invalid_audience",
                            "authentication_failed",
                        ]
                    ]),
                "description": Schema.text("The same sentence as `error_description`."),
            ]))

    private static let attribute = Schema.object(
        "An attribute.", required: ["value"], ["value": ["type": "string"]])

    private static let unlinkedUser = error(
        .unlinkedUser,
        with: Schema.object(
            "Nobody has this identity.", required: ["zenkey_attributes", "link_ticket", "expires"],
            [
                "zenkey_attributes": Schema.object(
                    "What the carrier said, to fill the registration form with.", required: ["sub"],
                    [
                        "sub": Schema.text("The ticket, where stock apps look for it. Never the carrier's subject."),
                        "name": Schema.object(
                            "The name.", required: ["value"],
                            [
                                "value": ["type": "string"], "given_name": ["type": "string"],
                                "family_name": ["type": "string"],
                            ]),
                        "email": attribute, "phone": attribute, "postal_code": attribute,
                    ]),
                "link_ticket": Schema.text("The ticket for `POST /users`."),
                "expires": Schema.integer("How long the ticket is good for, in seconds.", ["minimum": 1]),
            ]))
}

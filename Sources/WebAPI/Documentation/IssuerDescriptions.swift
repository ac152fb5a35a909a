internal import JSON
internal import OpenAPI

/// The operations of the issuer that our own apps, and the services behind them, rely on.
enum IssuerDescriptions {
    static let userinfo = userinfo(id: "userinfo")
    static let userinfoByPost = userinfo(id: "userinfoByPost")

    private static func userinfo(id: String) -> OperationDescription {
        OperationDescription(
            id: id, tag: .browser, summary: "Read the claims about the user",
            description: "What the session's scope lets its app know (OpenID Connect Core §5.3).",
            successes: [
                .init(
                    description: "The claims.", schema: Reference.schema("Userinfo"),
                    example: [
                        "sub": "cmVmZXJlbmNlcmVmZXJlbg", "idp": "zenkey", "email": "jane@example.com",
                        "email_verified": true,
                    ],
                    headers: [.cacheControl])
            ])
    }

    static let introspect = OperationDescription(
        id: "introspect", tag: .service, summary: "Ask what a token is good for",
        description: """
            For the services of `resourceServers` and for apps with a secret, which say who they are by `Authorization: \
            Basic` (RFC 7662); an app learns of its own tokens only. Where none is configured there is nothing here.
            """,
        body: .init(schema: "Introspection", example: ["token": .string(Examples.accessToken)]),
        successes: [
            .init(
                description: "What it is good for, or that it is not.", schema: Reference.schema("Introspected"),
                example: ["active": false], headers: [.cacheControl])
        ],
        errors: [.invalidClient, .notFound, .rateLimited, .storageUnavailable])

    static let openIDMetadata = metadata(id: "openIDMetadata", "OpenID Connect Discovery §4")
    static let oauthMetadata = metadata(id: "oauthMetadata", "RFC 8414 §3")

    private static func metadata(id: String, _ clause: String) -> OperationDescription {
        OperationDescription(
            id: id, tag: .browser, summary: "Find the endpoints for OAuth libraries (\(clause))",
            description: "All that libraries of apps and of services look for.",
            successes: [
                .init(
                    description: "The metadata.", schema: Reference.schema("IssuerMetadata"), headers: [.cacheControl])
            ]
        ).conditional
    }

    static let appleAssociation = association(
        id: "appleAssociation", "Apple's devices",
        schema: Reference.schema("AppleAssociation"))
    static let androidAssociation = association(
        id: "androidAssociation", "Android",
        schema: Schema.array(of: Reference.schema("AndroidAssociation")))

    private static func association(id: String, _ system: String, schema: JSONValue) -> OperationDescription {
        OperationDescription(
            id: id, tag: .service, summary: "Tell \(system) which apps belong to this host",
            description:
                "The file that `associationFiles` names, byte for byte. Where it names none there is nothing here.",
            successes: [.init(description: "The file.", schema: schema, headers: [.cacheControl])], errors: [.notFound]
        ).conditional
    }
}

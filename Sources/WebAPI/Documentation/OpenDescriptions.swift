internal import JSON
internal import OpenAPI

/// The operations that answer everybody alike.
enum OpenDescriptions {
    static let keys = OperationDescription(
        id: "keys", tag: .service,
        summary: "Show the keys that verify our tokens",
        description: "For other services. Access tokens, ID tokens and receipts are signed with one of them.",
        successes: [
            .init(
                description: "The keys.", schema: Reference.schema("KeySet"), example: Examples.keys,
                headers: [.cacheControl])
        ]
    ).conditional

    static let clientKeys = OperationDescription(
        id: "clientKeys", tag: .service,
        summary: "Show the keys that providers know us by",
        description: """
            For providers. What tells them who we are (`private_key_jwt`) is signed with one of them; register this address \
            with them as `jwks_uri`.
            """,
        successes: [
            .init(
                description: "The keys.", schema: Reference.schema("KeySet"), example: Examples.keys,
                headers: [.cacheControl])
        ]
    ).conditional

    static let health = OperationDescription(
        id: "health", tag: .service, summary: "Ask whether the server answers",
        description: "It asks nothing of the store or of a provider.",
        successes: [
            .init(
                description: "It does.", schema: Reference.schema("Health"), example: ["status": "ok"])
        ])

    static let document = OperationDescription(
        id: "openAPIDocument", tag: .service, summary: "Get this document",
        description: "The description of the API for tools (OpenAPI 3.0).",
        successes: [
            .init(
                description: "The document.", schema: Reference.schema("OpenAPIDocument"), headers: [.cacheControl])
        ]
    ).conditional

    static let page = page(
        "documentation", "Read this document",
        "The same as a page, without scripts and without anything from elsewhere.")

    static let entrance = page(
        "entrance", "See what there is", "The page at the root, which says where to read on.")

    private static func page(_ id: String, _ summary: String, _ description: String) -> OperationDescription {
        OperationDescription(
            id: id, tag: .service, summary: summary, description: description,
            successes: [
                .init(
                    description: "The page.", schema: ["type": "string"], type: "text/html; charset=utf-8",
                    headers: [.cacheControl])
            ]
        ).conditional
    }
}

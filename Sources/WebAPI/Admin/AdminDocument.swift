internal import JSON
internal import OpenAPI

/// The OpenAPI 3.0 document of the admin listener, made from its operations.
enum AdminDocument {
    private static let (title, bearerToken) = ("Gatehouse for operators", "bearer")

    /// - Parameters:
    ///   - version: this build's.
    ///   - wings: what wings bring.
    static func make(version: String, wings: APIExtensions) -> JSONValue {
        OpenAPIDocument.of(
            title: title, version: version, introduction: introduction, baseURL: nil,
            operations: AdminOperations.all.map { ($0.description, $0.object) }, wings: wings,
            securitySchemes: [
                (
                    bearerToken,
                    [
                        "type": "http", "scheme": "bearer",
                        "description": """
                        An operator's token or `admin.token`, in `Authorization: Bearer …` (RFC 6750 §2.1). Only a listener \
                        on loopback may have none configured. Then everybody on this machine is an `auditor`, or an \
                        `operator` with `admin.openOnLoopback`.
                        """,
                    ]
                )
            ])
    }

    static func files(version: String, wings: APIExtensions) -> DocumentationFiles {
        DocumentationFiles(areOpen: false) {
            DocumentationFiles.Source(
                document: make(version: version, wings: wings),
                wording: DocumentationPage.Wording(
                    documentPath: APIDocument.path, usualAddress: "http://127.0.0.1:8081",
                    commonErrors: ErrorResponse.ofHTTP
                ) { $0.isEmpty ? "nothing" : "the operators' token, where one is configured" },
                entrance: entrance)
        }
    }

    private static let entrance = EntrancePage(
        title: title, sentence: "The listener that looks after users. Apps have one of their own; here there is this:",
        places: [
            (APIDocument.pagePath, "What operators ask for, and how: each operation with a line to copy."),
            (APIDocument.path, "The same for tools, as OpenAPI 3.0."),
            ("/readyz", "Whether sign-ins can be served, and how the providers do."),
            ("/livez", "Whether the process has to be started anew."), ("/startupz", "Whether the start is over."),
            ("/admin/users", "The users."), ("/admin/audit", "The audit trail."),
            ("/admin/sign-ins", "Why sign-ins failed, and how often."), ("/healthz", "Whether the server answers."),
        ])

    private static let introduction = """
        For those who run the service: whether it is well, who its users are, and what has happened. Nothing here tells a \
        provider's subject, and nothing but an export tells what is personal.

        The way through:

        1. Ask whether sign-ins can be served: `GET /readyz`.
        2. Find a user, by address, number, or page by page: `GET /admin/users`. See what there is: \
        `GET /admin/users/{user_id}`.
        3. Do what the user wants: `GET /admin/users/{user_id}/export`, `DELETE /admin/users/{user_id}/sessions`, \
        `DELETE /admin/users/{user_id}`.
        4. Give an identity to whom it belongs: `POST /admin/users/{user_id}/identities`.
        5. See what has happened: `GET /admin/audit`, `GET /admin/sign-ins`.

        Times are seconds since 1970. A member that has no value is absent. A list comes in pages: ask again with `after` set \
        to `next_after`, until that is absent. A parameter of a query that is not known is refused. Errors are those of the \
        public listener: a status, and a stable code in `error`.
        """
}

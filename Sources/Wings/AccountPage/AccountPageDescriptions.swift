internal import JSON
internal import OpenAPI
internal import WebAPI

/// What the document says of the account page.
enum AccountPageDescriptions {
    static let show = OperationDescription(
        id: "accountPage", tag: .accountPage, summary: "See where one is signed in, and what apps may do",
        description: """
            For people. Who is not signed in there chooses a provider (`provider`), and comes back with `code` and `state`; the \
            page is open for ten minutes. Not for apps to call.
            """,
        parameters: ["provider", "prompt", "state", "code", "error"].map { parameter($0) },
        successes: [
            .page(200, "The page, or the choice of a provider."),
            .redirect("On to the provider, or back to the page.", cookie: true),
            .page(400, "What came back is over, or can't be read; or there is no such provider."),
            .page(403, "Another browser began it."),
            .page(429, "Too many come from this address.", [.retryAfter]),
            .page(503, "Nothing can be stored now.", [.retryAfter]),
        ])

    static let end = OperationDescription(
        id: "endByAccountPage", tag: .accountPage,
        summary: "End a session, all of an app's, or all, or take consent back",
        description: """
            What the forms of the page post, with its token. A person who has not shown just now who they are signs in \
            again. Not for apps to call.
            """,
        body: .init(
            schema: "AccountAct", example: ["token": "the-token-of-the-page", "end": "everything"], takesJSON: false),
        successes: [
            .page(200, "This page is signed out, too."), .redirect("Back to the page.", cookie: false),
            .page(400, "The form can't be read."),
            .page(403, "The page is not open in this browser, or its user has to sign in again."),
            .page(429, "Too many come from this address.", [.retryAfter]),
            .page(503, "Nothing can be stored now.", [.retryAfter]),
        ])

    static let act = Schema.object(
        "What is to end.", required: ["token", "end"],
        [
            "token": Schema.text("What the page has been given for it."),
            "end": Schema.choice("What.", ["session", "app", "consent", "everything"]),
            "session": Schema.text("Which session."), "app": Schema.text("Of which app."),
        ])

    private static func parameter(_ name: String) -> JSONValue {
        [
            "name": .string(name), "in": "query", "description": "Of the way to the page.",
            "schema": ["type": "string"],
        ]
    }
}

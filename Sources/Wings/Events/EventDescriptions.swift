internal import JSON
internal import OpenAPI
internal import WebAPI

/// What providers call, and nobody else.
enum EventDescriptions {
    static let backChannelLogout = OperationDescription(
        id: "backChannelLogout", tag: .service, summary: "Say that somebody has signed out at a provider",
        description: """
            Where providers post their logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.5). What the token names, a \
            session at the provider (`sid`), a user (`sub`) or both, ends at once, with its refresh tokens. The answer is the \
            same when nobody was signed in. A refused token gets `invalid_request`, with the claim or rule that is wrong in \
            the description; a token counts once. With a status from 500 on the provider may send the same token again.
            """,
        parameters: [provider],
        body: .init(schema: "Logout", example: ["logout_token": .string(logoutToken)], takesJSON: false),
        successes: [.init(description: "What it names is over.", headers: [.cacheControl])],
        errors: [
            .unknownProvider, .rateLimited, .providerError, .providerUnavailable, .storageUnavailable, .providerTimeout,
        ])

    static let events = OperationDescription(
        id: "providerEvents", tag: .service, summary: "Say what has happened to a provider's user",
        description: """
            Where a provider whose section has `events` posts what it tells of its own accord: `apple`, notifications, JSON \
            with a signed `payload`; `risc`, a security event token as `application/secevent+jwt` (RFC 8935 §2); `facebook`, \
            the form of its deauthorize callback. A user whose account is gone or in other hands, or who has taken back what \
            was granted, is signed out here; nobody is erased. The answer is the same when nobody is known, and when the same \
            comes again. With a status from 500 on the provider may send it again.
            """,
        parameters: [provider],
        body: .init(schema: "ProviderEvent", example: ["payload": .string(eventToken)]),
        successes: [
            .init(description: "It is done.", headers: [.cacheControl]),
            .init(
                status: 202, description: "The same, as RFC 8935 §2.2 has it: `risc`.", headers: [.cacheControl]),
        ],
        errors: eventErrors + [.providerError, .providerUnavailable, .providerTimeout])

    static let deletion = OperationDescription(
        id: "requestDeletion", tag: .service, summary: "Say that a provider's user wants to be forgotten",
        description: """
            Facebook's data deletion callback. All sessions that the user has opened by Facebook end; the user's account here \
            stays until its user deletes it, which the page at `url` says.
            """,
        parameters: [provider],
        body: .init(
            schema: "SignedRequest", example: ["signed_request": .string(signedRequest)], takesJSON: false),
        successes: [
            .init(
                description: "It is done.", schema: Reference.schema("DeletionConfirmation"),
                example: deletionConfirmation, headers: [.cacheControl])
        ],
        errors: eventErrors)

    static let deletionPage = OperationDescription(
        id: "deletionPage", tag: .browser, summary: "See what became of a request to be forgotten",
        description: "The page whose address a provider shows its user, with the `code` of the request.",
        parameters: [
            provider,
            [
                "name": "code", "in": "query", "description": "The `confirmation_code`.", "schema": ["type": "string"],
            ],
        ],
        successes: [
            .page(200, "The request was carried out."),
            .page(400, "The request can't be read."),
            .page(404, "It is no such code."),
            .page(429, "Too many come from this address.", [.retryAfter]),
        ])

    private static let eventErrors: [ErrorCode] = [
        .unknownProvider, .invalidEvent, .notFound, .rateLimited, .storageUnavailable,
    ]

    private static let provider: JSONValue = [
        "name": "provider", "in": "path", "required": true,
        "description": "The name of a provider in the configuration.", "schema": ["type": "string"],
        "example": "zenkey",
    ]

    private static let logoutToken = "eyJhbGciOiJSUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ.eyJzdWIiOiI3In0.c2lnbmF0dXJl"
    private static let eventToken = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImtleSJ9.eyJldmVudHMiOiJ7fSJ9.c2lnbmF0dXJl"
    private static let signedRequest = "c2lnbmF0dXJl.eyJ1c2VyX2lkIjoiNyJ9"
    private static let confirmation = "000000006ab13780c0ffee00c0ffee0000112233445566778899aabbccddeeff"
    private static let deletionConfirmation: JSONValue = [
        "url": .string("https://gatehouse.example/auth/facebook/events/deletion?code=\(confirmation)"),
        "confirmation_code": .string(confirmation),
    ]
}

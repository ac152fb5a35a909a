internal import JSON
internal import OpenAPI

/// The operations on the signed-in user.
package enum UserDescriptions {
    package static let user = OperationDescription.Success(
        description: "The user.", schema: Reference.schema("CurrentUser"), example: Examples.currentUser,
        headers: [.cacheControl])

    static let show = OperationDescription(
        id: "currentUser", tag: .user, summary: "Show the signed-in user",
        description: """
            The carriers' attributes. Names, `nickname`, `picture`, `locale`, `zoneinfo` and `postal_code` are the user's \
            own where there is such a value; everything else, such as `email`, `phone_number` and `birthdate`, is the \
            carrier's wherever one has given it. What the user says otherwise than a carrier stands under `own`, always. \
            An app that shows the `ETag` it has is sent nothing while that is unchanged. With `?attributes=true` what providers have given stands under `attributes` once more, each with whose word it is. \
            \(StockAppSchemas.sentence)
            """,
        parameters: [
            [
                "name": "attributes", "in": "query", "required": false,
                "description": """
                `true`: `attributes` tells of each attribute that a provider has given which one it was, since when it \
                says so, and how well it knows it.
                """,
                "schema": ["type": "boolean", "default": false],
            ]
        ],
        successes: [
            .init(
                description: "The user.", schema: Reference.schema("CurrentUser"), example: Examples.currentUser,
                headers: [.cacheControl, .vary])
        ]
    ).conditional

    static let edit = OperationDescription(
        id: "editCurrentUser", tag: .user, summary: "Change the user's own values",
        description: """
            What the user says is kept beside what the carriers say, no later sign-in changes it, and it stands under \
            `own`. Apps that sign users in through the browser get a carrier's word wherever there is one. What repeats the \
            value shown changes nothing. A value has \
            at most 1024 bytes, and no control characters, none that nobody can see and none that change the direction of \
            writing. `picture` is an http or https URL, `locale` a language tag, `zoneinfo` a time zone's name, `birthdate` \
            `YYYY-MM-DD`, `0000-MM-DD` or `YYYY`. The body may call itself `application/merge-patch+json`, too. \
            Changing `phone_number`, `email` or `username` takes a user who has just authenticated, and not by an \
            identity that was added within the last day.
            """,
        body: .init(schema: "ProfileEdits", example: ["name": "Jane D.", "email": ""]),
        successes: [user], errors: [.insufficientUserAuthentication, .identityTooNew])

    static let match = OperationDescription(
        id: "matchCurrentUser", tag: .user, summary: "Compare what the user typed with what a provider has said",
        description: """
            Answers `yes`, `no` or `unknown` for each attribute of the body, and tells no value. Only what providers have \
            said is compared, never what users say of themselves. Names are compared without case, accents, blanks and \
            punctuation; `address` and `postal_code` without case, blanks and punctuation; telephone numbers by their digits \
            (E.164); e-mail addresses without case; `birthdate` is a whole date, `YYYY-MM-DD`. Each attribute of a user may be \
            compared five times a day, whatever comes of it, in all sessions together, or as often as the configuration \
            says: then 429 with `Retry-After`.
            """,
        body: .init(schema: "TypedAttributes", example: ["name": "Jane Doe", "postal_code": "90210"]),
        successes: [
            .init(
                description: "What came of each.", schema: Reference.schema("AttributeMatches"),
                example: ["name": "yes", "postal_code": "no"], headers: [.cacheControl])
        ],
        errors: [.rateLimited])

    static let erase = OperationDescription(
        id: "eraseCurrentUser", tag: .user, summary: "Erase the user",
        description: """
            Erases the user with all identities and sessions, for good. It takes a user who has just authenticated, and \
            not by an identity that was added within the last day.
            """,
        successes: [
            .init(
                description: "The user is gone.", schema: Reference.schema("Empty"), example: [:],
                headers: [.cacheControl])
        ],
        errors: [.insufficientUserAuthentication, .identityTooNew])

    static let approve = OperationDescription(
        id: "approveTransaction", tag: .user,
        summary: "Approve a transaction",
        description: """
            Takes a code whose ID token shows that the signed-in user has just approved that very text, at the level \
            asked for. The receipt is stored, and anybody can verify it with the keys of `/.well-known/jwks.json`. An \
            identity that was linked or ported to the user within the last day approves nothing.
            """,
        body: .init(schema: "TransactionApproval", example: Examples.approval),
        successes: [
            .init(
                description: "The approval is proven.", schema: Reference.schema("Receipt"),
                example: ["receipt": .string(Examples.receipt)], headers: [.cacheControl])
        ],
        errors: SignInDescriptions.codeErrors + [.identityTooNew])
}

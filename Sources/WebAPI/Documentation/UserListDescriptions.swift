internal import JSON
internal import OpenAPI

/// The operations on what a user has several of: identities and sessions.
enum UserListDescriptions {
    private static let done = OperationDescription.Success(
        description: "Done.", schema: Reference.schema("Empty"), example: [:], headers: [.cacheControl])

    static let listIdentities = OperationDescription(
        id: "listIdentities", tag: .identities,
        summary: "List the user's identities",
        description: "By which carriers and providers the user signs in, the oldest first, without their subjects.",
        successes: [
            .init(
                description: "The identities.", schema: Schema.array(of: Reference.schema("Identity")),
                example: [Examples.identity], headers: [.cacheControl])
        ])

    static let linkIdentity = OperationDescription(
        id: "linkIdentity", tag: .identities,
        summary: "Link another identity",
        description: """
            The identity is proven by a code of its own, as in a sign-in, or by the `link_ticket` that a sign-in of the same \
            client was answered with, which works once, within ten minutes. It takes a user who has just authenticated, and \
            not by an identity that was added within the last day. Where it is refused with \
            `insufficient_user_authentication`, neither is spent.
            """,
        body: .init(schema: "IdentityProof", example: Examples.authorizedResponse),
        successes: [
            .init(
                description: "The identity was the user's already.", schema: Reference.schema("Identity"),
                example: Examples.identity, headers: [.cacheControl]),
            .init(
                status: 201, description: "The identity is linked.", schema: Reference.schema("Identity"),
                example: Examples.identity, headers: [.cacheControl]),
        ],
        errors: SignInDescriptions.codeErrors + [
            .challengeRequired, .identityInUse, .locked, .insufficientUserAuthentication, .identityTooNew,
        ])

    static let linkByBrowser = OperationDescription(
        id: "linkByBrowser", tag: .identities,
        summary: "Link another identity through the browser",
        description: """
            For apps of ours, whose users sign in with a browser. The app opens `url` in one: it is good once, for the browser \
            that opens it first. A page names the app and whose account it is, and asks its user to go on to the provider. \
            It ends at the `redirect_uri` with `linked_identity`, `state` and `iss`, or with `error`. It takes a user who has \
            just authenticated, and not by an identity that was added within the last day.
            """,
        body: .init(
            schema: "LinkRequest", example: ["provider": "example", "redirect_uri": "https://acme.example/cb"]),
        successes: [
            .init(
                description: "Where the browser goes.", schema: Reference.schema("LinkAddress"),
                example: ["url": "https://signin.example.com/auth/link?token=the-token", "expires_in": 600],
                headers: [.cacheControl])
        ],
        errors: [
            .unknownProvider, .unauthorizedClient, .insufficientUserAuthentication, .identityTooNew, .rateLimited,
        ])

    static let unlinkIdentity = OperationDescription(
        id: "unlinkIdentity", tag: .identities,
        summary: "Unlink an identity",
        description: """
            Ends the sessions that were opened by it, too. The last identity stays. It takes a user who has just \
            authenticated; an identity that was added within the last day takes away itself only.
            """,
        parameters: [
            [
                "name": "identity_id", "in": "path", "required": true,
                "description": "The `identity_id` of the list.", "schema": ["type": "integer", "minimum": 1],
                "example": 3,
            ]
        ],
        successes: [done],
        errors: [.notFound, .lastIdentity, .insufficientUserAuthentication, .identityTooNew])

    static let merge = OperationDescription(
        id: "mergeAccounts", tag: .identities,
        summary: "Make another account part of this one",
        description: """
            For a user who has two, as `merge_offered` of a sign-in may tell. The bearer is a session of the account that \
            stays, `token` an access token of the other one, of the same client. Both users must have just authenticated, \
            and not by an identity that was added within the last day. The identities of the other account become this \
            one's, added now; its sessions end, and nobody has its `user_id` any more. `409` where a provider's directory \
            has an account for each. Nothing takes it back.
            """,
        body: .init(schema: "AccountMerge", example: ["token": .string(Examples.accessToken)]),
        successes: [
            .init(
                description: "There is one account.", schema: Reference.schema("MergedAccount"),
                example: ["user_id": 7, "merged_user_id": 9, "identities": [Examples.identity]],
                headers: [.cacheControl])
        ],
        errors: [.rateLimited, .locked, .insufficientUserAuthentication, .identityTooNew, .mergeConflict])

    static let listSessions = OperationDescription(
        id: "listSessions", tag: .sessions,
        summary: "List the user's sessions",
        description: "Where the user is signed in, the oldest first.",
        successes: [
            .init(
                description: "The sessions.", schema: Schema.array(of: Reference.schema("Session")),
                example: [Examples.session], headers: [.cacheControl])
        ])

    static let revokeSessions = OperationDescription(
        id: "revokeSessions", tag: .sessions,
        summary: "End all of the user's sessions",
        description: """
            Ends this one, too. Where there are others, it takes a user who has just authenticated, and not by an \
            identity that was added within the last day. To end this one alone takes nothing: `DELETE /auth/token`.
            """,
        successes: [
            .init(
                description: "The sessions have ended.", schema: Reference.schema("Revoked"),
                example: ["revoked": 2], headers: [.cacheControl])
        ],
        errors: [.insufficientUserAuthentication, .identityTooNew])

    static let revokeSession = OperationDescription(
        id: "revokeSession", tag: .sessions,
        summary: "End one of the user's sessions",
        description: """
            It counts at once: the session's access tokens work no longer. Another session than this one takes a user \
            who has just authenticated, and not by an identity that was added within the last day.
            """,
        parameters: [
            [
                "name": "session_id", "in": "path", "required": true, "description": "The `session_id` of the list.",
                "schema": ["type": "string", "pattern": "^[0-9a-f]{32}$"], "example": .string(Examples.sessionID),
            ]
        ],
        successes: [done], errors: [.notFound, .insufficientUserAuthentication, .identityTooNew])
}

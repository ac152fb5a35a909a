internal import HTTPServer
internal import JSON

/// The operations on what a user has several of: identities and sessions.
enum UserListOperations {
    static let all = [
        listIdentities, linkIdentity, unlinkIdentity, listSessions, revokeSessions, revokeSession,
    ]

    private static let done = Operation.Success(
        description: "Done.", schema: Reference.schema("Empty"), example: [:], headers: [.cacheControl])

    private static let listIdentities = Operation(
        method: .get, path: "/users/me/identities", id: "listIdentities", tag: .identities,
        summary: "List the user's identities",
        description: "By which carriers and providers the user signs in, the oldest first, without their subjects.",
        access: .user,
        successes: [
            .init(
                description: "The identities.", schema: Schema.array(of: Reference.schema("Identity")),
                example: [Examples.identity], headers: [.cacheControl])
        ])

    private static let linkIdentity = Operation(
        method: .post, path: "/users/me/identities", id: "linkIdentity", tag: .identities,
        summary: "Link another identity",
        description: """
            The identity is proven by a code of its own, as in a sign-in. It takes a user who has just authenticated, and \
            not by an identity that was added within the last day. Where it is refused with \
            `insufficient_user_authentication`, the code is not spent.
            """,
        access: .user,
        body: .init(schema: "AuthorizedResponse", example: Examples.authorizedResponse),
        successes: [
            .init(
                description: "The identity was the user's already.", schema: Reference.schema("Identity"),
                example: Examples.identity, headers: [.cacheControl]),
            .init(
                status: 201, description: "The identity is linked.", schema: Reference.schema("Identity"),
                example: Examples.identity, headers: [.cacheControl]),
        ],
        errors: SignInOperations.codeErrors + [
            .challengeRequired, .identityInUse, .insufficientUserAuthentication, .identityTooNew,
        ])

    private static let unlinkIdentity = Operation(
        method: .delete, path: "/users/me/identities/{identity_id}", id: "unlinkIdentity", tag: .identities,
        summary: "Unlink an identity",
        description: """
            Ends the sessions that were opened by it, too. The last identity stays. It takes a user who has just \
            authenticated; an identity that was added within the last day takes away itself only.
            """,
        access: .user,
        parameters: [
            [
                "name": "identity_id", "in": "path", "required": true,
                "description": "The `identity_id` of the list.", "schema": ["type": "integer", "minimum": 1],
                "example": 3,
            ]
        ],
        successes: [done],
        errors: [.notFound, .lastIdentity, .insufficientUserAuthentication, .identityTooNew])

    private static let listSessions = Operation(
        method: .get, path: "/users/me/sessions", id: "listSessions", tag: .sessions,
        summary: "List the user's sessions",
        description: "Where the user is signed in, the oldest first.",
        access: .user,
        successes: [
            .init(
                description: "The sessions.", schema: Schema.array(of: Reference.schema("Session")),
                example: [Examples.session], headers: [.cacheControl])
        ])

    private static let revokeSessions = Operation(
        method: .delete, path: "/users/me/sessions", id: "revokeSessions", tag: .sessions,
        summary: "End all of the user's sessions",
        description: "Ends this one, too.",
        access: .user,
        successes: [
            .init(
                description: "The sessions have ended.", schema: Reference.schema("Revoked"),
                example: ["revoked": 2], headers: [.cacheControl])
        ])

    private static let revokeSession = Operation(
        method: .delete, path: "/users/me/sessions/{session_id}", id: "revokeSession", tag: .sessions,
        summary: "End one of the user's sessions",
        description: "It counts at once: the session's access tokens work no longer.",
        access: .user,
        parameters: [
            [
                "name": "session_id", "in": "path", "required": true, "description": "The `session_id` of the list.",
                "schema": ["type": "string", "pattern": "^[0-9a-f]{32}$"], "example": .string(Examples.sessionID),
            ]
        ],
        successes: [done], errors: [.notFound])
}

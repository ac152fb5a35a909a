internal import HTTPServer
internal import JSON

/// The operations on the signed-in user.
enum UserOperations {
    static let all = [show, edit, erase, approve]

    private static let user = Operation.Success(
        description: "The user.", schema: Reference.schema("CurrentUser"), example: Examples.currentUser,
        headers: [.cacheControl])

    private static let show = Operation(
        method: .get, path: "/users/me", id: "currentUser", tag: .user, summary: "Show the signed-in user",
        description: """
            The carriers' attributes, with the user's own values over them; but `email` and `phone_number` are the \
            carrier's wherever one has given them, and what the user says otherwise stands under `own`.
            """,
        access: .user, successes: [user])

    private static let edit = Operation(
        method: .patch, path: "/users/me", id: "editCurrentUser", tag: .user, summary: "Change the user's own values",
        description: """
            What the user says goes over what the carriers say, and no later sign-in changes it; beside a carrier's \
            `email` or `phone_number` it stands under `own`. What repeats the value shown changes nothing. A value has \
            at most 1024 bytes and no control characters. Changing `phone_number`, `email` or `username` takes a user \
            who has just authenticated.
            """,
        access: .user,
        body: .init(
            schema: "ProfileEdits", example: ["name": "Jane D.", "email": .null],
            otherTypes: ["application/merge-patch+json"]),
        successes: [user], errors: [.insufficientUserAuthentication])

    private static let erase = Operation(
        method: .delete, path: "/users/me", id: "eraseCurrentUser", tag: .user, summary: "Erase the user",
        description: """
            Erases the user with all identities and sessions, for good. It takes a user who has just authenticated, and \
            not by an identity that was added within the last day.
            """,
        access: .user,
        successes: [
            .init(
                description: "The user is gone.", schema: Reference.schema("Empty"), example: [:],
                headers: [.cacheControl])
        ],
        errors: [.insufficientUserAuthentication, .identityTooNew])

    private static let approve = Operation(
        method: .post, path: "/auth/transaction", id: "approveTransaction", tag: .user,
        summary: "Approve a transaction",
        description: """
            Takes a code whose ID token shows that the signed-in user has just approved that very text, at the level \
            asked for. The receipt is stored, and anybody can verify it with the keys of `/.well-known/jwks.json`. An \
            identity that was linked or ported to the user within the last day approves nothing.
            """,
        access: .user,
        body: .init(schema: "TransactionApproval", example: Examples.approval),
        successes: [
            .init(
                description: "The approval is proven.", schema: Reference.schema("Receipt"),
                example: ["receipt": .string(Examples.receipt)], headers: [.cacheControl])
        ],
        errors: SignInOperations.codeErrors + [.identityTooNew])
}

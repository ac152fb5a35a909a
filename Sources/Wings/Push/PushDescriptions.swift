internal import JSON
internal import OpenAPI
internal import WebAPI

/// The operations of a sign-in that begins on the user's phone.
enum PushDescriptions {
    static let begin = OperationDescription(
        id: "beginPush", tag: .push, summary: "Have a user asked on the phone",
        description: """
            The carrier asks its subscriber to approve a sign-in, and shows `context`. The user is named by phone number and \
            mobile network; with a session token it is the session's own user, and nobody is named. The answer is the same \
            whether the carrier knows that number or not. There is one request at a time for a user and an API key, and only \
            a few in ten minutes for a user. Where no provider's section has `serverInitiated` there is nothing here.
            """,
        body: .init(schema: "PushRequest", example: pushRequest),
        successes: [begun],
        errors: [
            .unknownClient, .unknownProvider, .providerNotFound, .notFound, .rateLimited, .providerError,
            .providerUnavailable, .providerTimeout,
        ])

    static let poll = OperationDescription(
        id: "pollPush", tag: .push, summary: "Ask what has come of it",
        description: """
            At most once a second, under the API key that it was begun with. The tokens come once; the same ones again to an \
            app that has lost them, within a minute (`session.refreshGraceSeconds`) and before the refresh token is used. \
            Later the session ends. There is no `Location`: 302 is what stock apps know, and nothing is to be followed.
            """,
        parameters: [id],
        successes: [
            .init(
                description: "The user has not answered yet.", schema: Reference.schema("PushPending"),
                example: ["auth_req_id": .string(pushID)], headers: [.cacheControl]),
            .init(
                status: 302, description: "The user is signed in.", schema: Reference.schema("PushSignedIn"),
                example: pushSignedIn, headers: [.cacheControl]),
        ],
        errors: [
            .signInExpired, .signInCancelled, .signInDenied, .unlinkedUser, .notFound, .rateLimited, .slowDown,
            .providerError, .storageUnavailable,
        ])

    static let retry = OperationDescription(
        id: "retryPush", tag: .push, summary: "Have the user asked anew",
        description: """
            Another push for the same request, within the same limits. Whatever the carrier still says of the one before \
            counts no more. A body is not looked at.
            """,
        parameters: [id], successes: [begun],
        errors: [
            .signInCancelled, .signInDenied, .providerNotFound, .notFound, .rateLimited, .providerError,
            .providerUnavailable, .storageUnavailable, .providerTimeout,
        ])

    static let cancel = OperationDescription(
        id: "cancelPush", tag: .push, summary: "Take it back",
        description: "No answer of the user's counts any more, and the carrier is told to stop asking.",
        parameters: [id],
        successes: [
            .init(
                description: "It is over.", schema: Reference.schema("Empty"), example: [:], headers: [.cacheControl])
        ],
        errors: [.notFound, .rateLimited, .storageUnavailable])

    static let notify = OperationDescription(
        id: "notifyPush", tag: .service, summary: "Say what a user has answered",
        description: """
            Where carriers post what has come of a request (`notification_uri`), with the token that they were given with it \
            in `Authorization: Bearer`. The tokens in it are held to all rules of a sign-in. The same notification once more \
            changes nothing, and no other one after it counts. With a status from 500 on it may come again.
            """,
        body: .init(schema: "PushNotification", example: pushNotification),
        successes: [
            .init(
                description: "It counts.", schema: Reference.schema("Empty"), example: [:], headers: [.cacheControl])
        ],
        errors: [
            .signInExpired, .signInCancelled, .signInDenied, .invalidToken, .invalidIDToken, .userinfoMismatch,
            .notFound,
            .migrationConflict, .rateLimited, .providerError, .providerUnavailable, .storageUnavailable,
            .providerTimeout,
        ])

    private static let begun = OperationDescription.Success(
        description: "The request is written down, and the carrier will be told.",
        schema: Reference.schema("PushBegun"),
        example: ["auth_req_id": .string(pushID), "expires_in": 3600], headers: [.cacheControl])

    private static let id: JSONValue = [
        "name": "auth_req_id", "in": "path", "required": true, "description": "The `auth_req_id` of the first answer.",
        "schema": ["type": "string"], "example": .string(pushID),
    ]

    private static let pushID = "cHVzaHB1c2hwdXNocHVzaHB1c2hwdXNocHVzaHB1c2g"
    private static let pushRequest: JSONValue = [
        "client_id": "ccid-0123456789abcdef", "login_hint": "+12065550100", "mccmnc": "310410",
        "context": "Sign in at the counter of Acme, Main Street",
    ]

    private static let pushNotification: JSONValue = [
        "auth_req_id": "the-carriers-own", "state": "the-state", "access_token": "the-access-token",
        "id_token": "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
    ]

    private static let pushSignedIn: JSONValue = [
        "auth_req_id": .string(pushID), "access_token": .string(Examples.accessToken),
        "token": .string(Examples.accessToken),
        "refresh_token": .string(Examples.refreshToken), "token_type": "Bearer", "expires_in": 900, "expires": 900,
    ]
}

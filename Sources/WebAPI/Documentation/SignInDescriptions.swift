internal import JSON
internal import OpenAPI

/// The operations that open, renew and end sessions.
enum SignInDescriptions {
    /// What may come of exchanging a code and checking what it proves.
    static let codeErrors: [ErrorCode] = [
        .unknownClient, .unknownProvider, .redirectURINotAllowed, .issuerMismatch, .providerNotFound, .invalidGrant,
        .invalidIDToken, .userinfoMismatch, .invalidChallenge, .accessDenied, .interactionRequired,
        .authenticationTimedOut,
        .rateLimited, .providerError,
        .providerUnavailable, .providerTimeout, .storageUnavailable,
    ]

    static let signIn = signIn(id: "signIn", summary: "Sign in with an authorization code")

    static let zenkeySignIn = signIn(
        id: "zenkeySignIn", summary: "Sign in, under the name that stock ZenKey apps know")

    private static func signIn(id: String, summary: String) -> OperationDescription {
        OperationDescription(
            id: id, tag: .signIn, summary: summary,
            description: """
                Finds the user's carrier by the mobile network, or takes the provider; exchanges the code; validates \
                the ID token; fetches the user's attributes; recognises a user who has changed carriers. The session \
                is on disk when the answer comes. `User-Agent` is shown in the list of the user's sessions. \
                \(StockAppSchemas.sentence)
                """,
            body: .init(schema: "AuthorizedResponse", example: Examples.authorizedResponse),
            successes: [
                .init(
                    description: "The user is signed in.", schema: Reference.schema("SignedIn"),
                    example: Examples.signedIn, headers: [.cacheControl])
            ],
            errors: codeErrors + [
                .challengeRequired, .unlinkedUser, .locked, .insufficientUserAuthentication, .migrationConflict,
            ])
    }

    static let challenge = OperationDescription(
        id: "issueChallenge", tag: .signIn,
        summary: "Get a nonce for an authorization request",
        description: """
            The nonce counts once and for five minutes. A provider's section may demand that sign-ins use one. There \
            is no need for a body; one that comes is ignored.
            """,
        successes: [
            .init(
                description: "A nonce.", schema: Reference.schema("Challenge"),
                example: ["nonce": "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA", "expires": 300],
                headers: [.cacheControl])
        ],
        errors: [.rateLimited, .storageUnavailable])

    static let token = OperationDescription(
        id: "refreshSession", tag: .sessions, summary: "Renew a session, or begin an app's",
        description: """
            Exchanges a refresh token for a new pair, or the one-time code of a sign-in through the browser for the first \
            one. A request that names a `client_id` of ours is answered as OAuth libraries want it (RFC 6749 §5): what is \
            refused with 400 and `error`, what may be tried again with 5xx or 429 and `error_code` alone. A refresh token is good once; the same one again, which is what an app presents that has lost the answer, gets \
            the same refresh token, for as long as that has not been presented (`session.refreshRepeat`). After that, or \
            after too many late ones, it ends the session, and every session that descends from the same sign-in. A \
            one-time code is denied the second time, unless the connection broke that its answer went out on.

            Where a provider's section has `tokenExchange`, a request with `grant_type` \
            `urn:ietf:params:oauth:grant-type:token-exchange` signs in the user of a provider's access token (RFC 8693), which \
            must be meant for this service. Such a session does nothing that needs recent authentication, unless the \
            provider tells when that was.
            """,
        body: .init(
            schema: "TokenRequest",
            example: ["grant_type": "refresh_token", "refresh_token": .string(Examples.refreshToken)]),
        successes: [
            .init(
                description: "The new pair.", schema: Reference.schema("TokenAnswer"), example: Examples.tokens,
                headers: [.cacheControl])
        ] + clientErrors + exchangeErrors,
        errors: [.invalidGrant, .userinfoMismatch, .unlinkedUser])

    private static let exchangeErrors: [OperationDescription.Success] = [
        .init(
            status: 502,
            description:
                "`provider_error`: the provider answers wrongly, or refuses our credentials; the log says what.",
            schema: Reference.schema(ErrorSchemas.error), headers: [.cacheControl]),
        .init(
            status: 504,
            description: "`provider_timeout`: the provider does not answer in time. Try again a little later.",
            schema: Reference.schema(ErrorSchemas.error), headers: [.cacheControl]),
    ]

    /// What is told otherwise to apps of ours than to others.
    private static let clientErrors: [OperationDescription.Success] = [
        .init(
            status: 400,
            description:
                "What is refused for good: `invalid_request`, `unsupported_grant_type`, `invalid_target`, `invalid_scope`, and to an app "
                + "of ours `invalid_grant`: let its user sign in again.", schema: Reference.schema(ErrorSchemas.error),
            headers: [.cacheControl]),
        .init(
            status: 429,
            description:
                "`rate_limited`: too many wrong ones come from this address. Wait as long as `Retry-After` says.",
            schema: Reference.schema(ErrorSchemas.error), headers: [.cacheControl, .retryAfter]),
        .init(
            status: 503,
            description:
                "`storage_unavailable`, `provider_unavailable`, `overloaded`: try the same again after `Retry-After`.",
            schema: Reference.schema(ErrorSchemas.error),
            headers: [.cacheControl, .retryAfter]),
    ]

    static let signOut = OperationDescription(
        id: "signOut", tag: .sessions, summary: "Sign out",
        description: """
            Ends the session of the session token, which may have expired. Without `Authorization` it does nothing and says \
            that it is done, because stock Android apps send none here.
            """,
        successes: [
            .init(
                description: "The session has ended.", schema: Reference.schema("Empty"), example: [:],
                headers: [.cacheControl])
        ])

    static let revoke = OperationDescription(
        id: "revokeToken", tag: .sessions, summary: "Revoke a token",
        description: """
            Ends the session of a token (RFC 7009): of an access token, also one that has expired, or of a refresh \
            token, also one that was replaced. A token that is unknown is answered the same.
            """,
        body: .init(
            schema: "Revocation",
            example: ["token": .string(Examples.refreshToken), "token_type_hint": "refresh_token"]),
        successes: [
            .init(
                description: "The token opens nothing any more.", schema: Reference.schema("Empty"), example: [:],
                headers: [.cacheControl])
        ] + clientErrors.filter { $0.status != 429 })

    static func register(with wings: APIExtensions) -> OperationDescription {
        OperationDescription(
            id: "registerUser", tag: .signIn, summary: "Register with a link ticket",
            description: """
                Where registration is by ticket, a sign-in of somebody unknown is answered 403 `unlinked_user` with a \
                ticket. It makes a user here, once, within ten minutes, for the same client; a user who is signed in links it at \
                `POST /users/me/identities` instead. Without a ticket it is a sign-up, \
                as `POST /users/signup`, where a provider has a directory of users.
                """,
            body: .init(
                schema: "Registration",
                example: ["link_ticket": .string(Examples.ticket), "username": "jane", "email": "jane@example.com"]),
            successes: [
                .init(
                    status: 201, description: "The user is registered and signed in.",
                    schema: Reference.schema("Tokens"), example: Examples.tokens, headers: [.cacheControl])
            ] + wings.all.compactMap(\.registration?.success),
            errors: [
                .unknownClient, .unknownProvider, .invalidToken, .invalidGrant, .identityInUse, .rateLimited,
                .providerError, .providerUnavailable, .providerTimeout, .storageUnavailable,
            ])
    }
}

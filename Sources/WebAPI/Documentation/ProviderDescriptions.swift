internal import JSON
internal import OpenAPI

/// What providers call, and nobody else.
enum ProviderDescriptions {
    static let backChannelLogout = OperationDescription(
        id: "backChannelLogout", tag: .service, summary: "Say that somebody has signed out at a provider",
        description: """
            Where providers post their logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.5). What the token names, a \
            session at the provider (`sid`), a user (`sub`) or both, ends at once, with its refresh tokens. The answer is the \
            same when nobody was signed in. A refused token gets `invalid_request`, with the claim or rule that is wrong in \
            the description; a token counts once. With a status from 500 on the provider may send the same token again.
            """,
        parameters: [
            [
                "name": "provider", "in": "path", "required": true,
                "description": "The name of a provider in the configuration.", "schema": ["type": "string"],
                "example": "zenkey",
            ]
        ],
        body: .init(schema: "Logout", example: ["logout_token": .string(Examples.logoutToken)], takesJSON: false),
        successes: [.init(description: "What it names is over.", headers: [.cacheControl])],
        errors: [
            .unknownProvider, .rateLimited, .providerError, .providerUnavailable, .storageUnavailable, .providerTimeout,
        ])
}

internal import JSON
internal import OpenAPI
internal import WebAPI

/// The operations by which what the vault keeps is used.
enum VaultDescriptions {
    static let refreshProfile = OperationDescription(
        id: "refreshProfile", tag: .user, summary: "Ask the provider for the user's attributes again",
        description: """
            Takes a provider whose section has `keepTokens`. The provider is asked with the tokens of the identity that \
            the session was opened by, or of the one that the body names; what it says is merged as after a sign-in. One user \
            may have that done ten times an hour, or as often as the configuration says.
            """,
        body: .init(schema: "ProfileRefresh", example: ["identity_id": 3]),
        successes: [UserDescriptions.user],
        errors: [
            .notFound, .unknownProvider, .userinfoMismatch, .providerSignInRequired, .noUserinfo, .providerError,
            .providerUnavailable, .providerTimeout, .rateLimited,
        ])

    static let accessToken = OperationDescription(
        id: "providerAccessToken", tag: .identities,
        summary: "Get a provider's access token",
        description: """
            For a service of ours that asks the provider's in the user's name. It shows its own id and secret beside the \
            user's session token, and its section names the provider among `providerTokens`. The token is good for more \
            than a minute; where it is not, it is refreshed first, once for all who ask. A refresh token is never told.
            """,
        parameters: [
            [
                "name": "identity_id", "in": "path", "required": true,
                "description": "The `identity_id` of the list.", "schema": ["type": "integer", "minimum": 1],
                "example": 3,
            ],
            [
                "name": "force_refresh", "in": "query", "required": false,
                "description": """
                `true` where the token that was told before was refused. One that is younger than ten seconds is told \
                again all the same.
                """,
                "schema": ["type": "boolean", "default": false],
            ],
        ],
        successes: [
            .init(
                description: "The token.", schema: Reference.schema("ProviderToken"), example: providerToken,
                headers: [.cacheControl])
        ],
        errors: [
            .rateLimited, .notFound, .unknownProvider, .unauthorizedClient, .providerSignInRequired, .providerError,
            .providerUnavailable, .providerTimeout,
        ])

    private static let providerToken: JSONValue = [
        "access_token": "2YotnFZFEjr1zCsicMWpAA", "token_type": "Bearer", "expires_in": 3540, "scope": "openid profile",
    ]

    static var requests: [(name: String, value: JSONValue)] { [("ProfileRefresh", profileRefresh)] }

    static var answers: [(name: String, value: JSONValue)] { [("ProviderToken", tokenSchema)] }

    private static let profileRefresh = Schema.object(
        "Whose provider is asked. It may be empty.",
        [
            "identity_id": Schema.integer(
                "The `identity_id` of the list of identities; without it, the one that the session was opened by.",
                ["minimum": 1])
        ])

    private static let tokenSchema = Schema.object(
        "An access token of a provider.", required: ["access_token", "token_type"],
        [
            "access_token": Schema.text("The provider's, for its own services."),
            "token_type": Schema.choice("How the token is sent.", ["Bearer"]),
            "expires_in": Schema.integer(
                "How long it is good for, in seconds; missing where the provider has not said.", ["minimum": 0]),
            "scope": Schema.text("What it is good for, where the provider has said."),
        ])
}

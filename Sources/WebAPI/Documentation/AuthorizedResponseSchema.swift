internal import JSON
internal import OpenAPI
internal import Providers
internal import SignIn

/// What apps send to sign users in, to link an identity, and to approve a transaction.
enum AuthorizedResponseSchema {
    static var value: JSONValue {
        Schema.object(
            """
            What an app has when its user has approved. `code` or `id_token` must be there: an authorization code and what is \
            needed to exchange and check it, or, where the provider's section has `nativeTokens`, an ID token that its SDK \
            has given, or both. `client_id` or `provider` finds the provider; both must agree. Neither is needed where one \
            provider is configured, nor beside a mobile network where one `zenkey` provider is. `mcc` and `mnc` go together. \
            Unknown members are ignored; a member that is null, and an empty one, count as absent. A parameter in two \
            spellings must have one value.
            """,
            [
                "client_id": RequestSchemas.text(
                    "client_id", "The client identifier that the app used at the provider."),
                "provider": RequestSchemas.text("provider", "The provider's name in the configuration."),
                "code": RequestSchemas.text(
                    "code",
                    "The authorization code. It is good for one request. It is needed unless there is an `id_token`.",
                    [
                        "minLength": 1, "maxLength": .integer(Int64(ProviderTextLimit.inBody)),
                        "pattern": RequestSchemas.noControls,
                    ]),
                "id_token": RequestSchemas.text(
                    "id_token", "The ID token of the provider's SDK, as a compact JWS. It is good once.",
                    [
                        "minLength": 1, "maxLength": .integer(Int64(NativeToken.maximumBytes)),
                        "pattern": RequestSchemas.noControls,
                    ]),
                "access_token": RequestSchemas.text(
                    "access_token",
                    "What the SDK gave beside the `id_token`. It is used where the `at_hash` in there is its own.",
                    ["maxLength": .integer(Int64(AccessTokenRules.maximumTokenBytes)), "pattern": "^[!-~]*$"]),
                "user": RequestSchemas.text(
                    "user",
                    "The name that Apple tells beside the `id_token`, at the first sign-in alone: a new user's own word. In "
                        + "JSON it may be the object itself."),
                "redirect_uri": RequestSchemas.text(
                    "redirect_uri",
                    "The redirect URI of the authorization request, to the letter. It may be absent where the "
                        + "provider's section has one.",
                    ["minLength": 1, "maxLength": 2048, "pattern": RequestSchemas.noControls]),
                "iss": RequestSchemas.text(
                    "iss",
                    "The `iss` that came back with the code (RFC 9207): the code is sent to this issuer or not at all. "
                        + "Needed where the provider's section has `requireIss`, and where the issuer announces that it "
                        + "sends one and answers of other issuers come back to the same redirect URI.",
                    ["minLength": 1, "maxLength": 2048, "pattern": RequestSchemas.noControls]),
                "mccmnc": Schema.textOrNumber(
                    RequestSchemas.spelled(
                        "mccmnc",
                        "Mobile country code and network code, needed where the carrier is found by it. Six digits "
                            + "for ZenKey, five or six elsewhere."), ["pattern": "^[0-9]{5,6}$"]),
                "mcc": Schema.textOrNumber("The country code, where the two come apart.", ["pattern": "^[0-9]{3}$"]),
                "mnc": Schema.textOrNumber(
                    "The network code, where the two come apart. A number gets its leading zeros back.",
                    ["pattern": "^[0-9]{2,3}$"]),
                "code_verifier": RequestSchemas.text(
                    "code_verifier",
                    "The PKCE verifier (RFC 7636 §4.1), needed unless the provider's `requirePKCE` is off.",
                    ["pattern": "^[A-Za-z0-9._~-]{43,128}$"]),
                "nonce": RequestSchemas.text(
                    "nonce",
                    "The nonce of the authorization request; with `id_token`, what the app has drawn, which its SDK may have "
                        + "hashed. The provider's section may demand one, or one of "
                        + "`POST /auth/challenge`.", ["maxLength": 2048, "pattern": RequestSchemas.noControls]),
                "acr_values": Schema.textOrList(
                    RequestSchemas.spelled(
                        "acr_values",
                        "The levels that the app asked for, as a text with blanks between them or, in JSON, as a list. "
                            + "The ID token must have at least the lowest. Blanks alone count as absent."),
                    ["maxLength": 2048, "pattern": RequestSchemas.noControls]),
                "context": RequestSchemas.text(
                    "context",
                    "The text that the user was shown, in which there may be tabs and line feeds. The ID token must "
                        + "have the same.",
                    [
                        "maxLength": .integer(Int64(AuthorizedResponse.maximumContextLength)),
                        "pattern": #"^[^\u0000-\u0008\u000B-\u001F\u007F-\u009F]*$"#,
                    ]),
                "max_age": Schema.textOrNumber(
                    "How long ago the user may have authenticated, in seconds, as the authorization request had it: the "
                        + "`auth_time` of the ID token is held to it. Refused for providers whose tokens have none (`authTime` "
                        + "is `never`).", ["pattern": "^[0-9]{1,18}$"]),
                "scope": RequestSchemas.text(
                    "scope",
                    "The scopes that the app has asked the provider for, with blanks between them: the answer's "
                        + "`declined_scopes` tells which of them the user has declined.",
                    ["maxLength": 2048, "pattern": RequestSchemas.noControls]),
                "replaces_token": RequestSchemas.replacesToken,
                "correlation_id": Schema.textOrNumber(
                    RequestSchemas.spelled(
                        "correlation_id", "The app's own name for the sign-in, which goes into the logs."),
                    ["pattern": "^[A-Za-z0-9._-]{1,64}$"]),
                "sdk_version": RequestSchemas.text(
                    "sdk_version", "The version of the SDK, which is passed on to the carrier.",
                    ["maxLength": 64, "pattern": RequestSchemas.noControls]),
                "state": RequestSchemas.text("state", "Checked by the app itself; ignored here."),
            ])
    }
}

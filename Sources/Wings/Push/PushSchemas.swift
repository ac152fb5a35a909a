internal import JSON
internal import OpenAPI
internal import Providers
internal import SignIn
internal import WebAPI

/// What is sent and answered of sign-ins that begin on the user's phone.
enum PushSchemas {
    static var requests: [(name: String, value: JSONValue)] {
        [("PushRequest", pushRequest), ("PushNotification", pushNotification)]
    }

    static var answers: [(name: String, value: JSONValue)] {
        [("PushBegun", pushBegun), ("PushPending", pushPending), ("PushSignedIn", pushSignedIn)]
    }

    private static var pushRequest: JSONValue {
        Schema.object(
            """
            Whom to ask and what to show. `client_id` or `provider` finds the provider, as in a sign-in. `login_hint` and \
            `mccmnc` are needed without a session token, and not taken with one. Unknown members are ignored.
            """,
            required: ["context"],
            [
                "client_id": RequestSchemas.text(
                    "client_id", "The client identifier that the app used at the provider."),
                "provider": RequestSchemas.text("provider", "The provider's name in the configuration."),
                "login_hint": RequestSchemas.text(
                    "login_hint", "The user's phone number (E.164).", ["pattern": "^[+][1-9][0-9]{6,14}$"]),
                "mccmnc": Schema.textOrNumber(
                    RequestSchemas.spelled("mccmnc", "The user's mobile network, six digits."),
                    ["pattern": "^[0-9]{6}$"]),
                "mcc": Schema.textOrNumber("The country code, where the two come apart.", ["pattern": "^[0-9]{3}$"]),
                "mnc": Schema.textOrNumber("The network code, where the two come apart.", ["pattern": "^[0-9]{2,3}$"]),
                "context": RequestSchemas.text(
                    "context", "What the user is shown, on one line.",
                    [
                        "minLength": 1, "maxLength": .integer(Int64(AuthorizedResponse.maximumContextLength)),
                        "pattern": #"^[^\u0000-\u001F\u007F-\u009F]*$"#,
                    ]),
                "acr_values": Schema.textOrList(
                    RequestSchemas.spelled("acr_values", "The levels of which the user must reach one."),
                    ["maxLength": 2048, "pattern": RequestSchemas.noControls]),
                "correlation_id": Schema.textOrNumber(
                    RequestSchemas.spelled(
                        "correlation_id", "The app's own name for the sign-in, which goes into the logs."),
                    ["pattern": "^[A-Za-z0-9._-]{1,64}$"]),
            ])
    }

    private static var pushNotification: JSONValue {
        Schema.object(
            "What has come of a request: tokens, or an `error`. Other members are ignored.",
            required: ["auth_req_id", "state"],
            [
                "auth_req_id": Schema.text("What the carrier calls the request.", ["minLength": 1, "maxLength": 2048]),
                "state": Schema.text("The `state` of the request.", ["minLength": 1, "maxLength": 2048]),
                "access_token": Schema.text(
                    "For userinfo.",
                    ["minLength": 1, "maxLength": .integer(Int64(AccessTokenRules.maximumTokenBytes))]),
                "id_token": Schema.text("Who has approved.", ["minLength": 1]),
                "error": Schema.text("Why there is none.", ["minLength": 1, "maxLength": 2048]),
            ])
    }

    private static let pushID = Schema.text("What the app asks by: a secret.", ["pattern": "^[A-Za-z0-9_-]{43}$"])

    private static let pushBegun = Schema.object(
        "A sign-in that begins on the user's phone.", required: ["auth_req_id", "expires_in"],
        [
            "auth_req_id": pushID,
            "expires_in": Schema.integer("How long the user may take, in seconds.", ["minimum": 1]),
        ])

    private static let pushPending = Schema.object(
        "It is pending.", required: ["auth_req_id"], ["auth_req_id": pushID])

    private static let pushSignedIn = Schema.extending(
        AnswerSchemas.tokens,
        with: Schema.object(
            "A session.", required: ["auth_req_id"],
            [
                "auth_req_id": pushID, "merge_offered": AnswerSchemas.mergeOffered,
                "receipt": AnswerSchemas.receiptOfSignIn,
            ]))
}

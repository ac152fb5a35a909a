internal import JSON
internal import OpenAPI

/// What apps send to have users sign up.
extension RequestSchemas {
    static var signUpMembers: [(name: String, value: JSONValue)] {
        [
            (
                "username",
                text(
                    "username",
                    "What the account is called; the address where there is none. Sample apps call it `external_id`, too.",
                    atMost255)
            ),
            ("email", text("email", "Where the provider's mail goes.", atMost255)),
            ("display_name", text("display_name", "What the user is called where people read it.", atMost255)),
            (
                "delivery_method",
                Schema.choice(
                    "How the credential is to come; also under the name `binding_token_delivery_method`.",
                    ["email", "return"])
            ),
            (
                "authenticator_type",
                Schema.choice("What keeps the credential.", ["native", "web"])
            ),
            ("client_id", text("client_id", "Our client identifier at the provider.")),
            ("provider", text("provider", "The provider's name in the configuration, where several could be meant.")),
        ]
    }

    private static let atMost255: KeyValuePairs<String, JSONValue> = ["maxLength": 255]

    static var signUp: JSONValue {
        Schema.object(
            "Who wants a credential: a username, an address, or both. Other members are ignored.", signUpMembers)
    }
}

internal import JSON
internal import OpenAPI
internal import WebAPI

/// What apps send to have users sign up, and what they are answered.
enum SignUpSchemas {
    static var requests: [(name: String, value: JSONValue)] { [("SignUp", signUp)] }

    static var answers: [(name: String, value: JSONValue)] {
        [("CredentialDelivery", credentialDelivery), ("CredentialBindingJob", credentialBindingJob)]
    }

    static var members: [(name: String, value: JSONValue)] {
        [
            (
                "username",
                RequestSchemas.text(
                    "username",
                    "What the account is called; the address where there is none. Sample apps call it `external_id`, too.",
                    atMost255)
            ),
            ("email", RequestSchemas.text("email", "Where the provider's mail goes.", atMost255)),
            (
                "display_name",
                RequestSchemas.text("display_name", "What the user is called where people read it.", atMost255)
            ),
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
            ("client_id", RequestSchemas.text("client_id", "Our client identifier at the provider.")),
            (
                "provider",
                RequestSchemas.text(
                    "provider", "The provider's name in the configuration, where several could be meant.")
            ),
        ]
    }

    private static let atMost255: KeyValuePairs<String, JSONValue> = ["maxLength": 255]

    static var signUp: JSONValue {
        Schema.object(
            "Who wants a credential: a username, an address, or both. Other members are ignored.", members)
    }

    private static let credentialDelivery = Schema.object(
        "How a credential comes to its user.", required: ["delivery", "authenticator_url"],
        [
            "delivery": Schema.choice("Whether the provider mails it, or the link is here.", ["email", "return"]),
            "authenticator_url": Schema.text("Where the user gets the app that keeps credentials."),
            "credential_binding_link": Schema.text("The person who follows it has a credential; where it is returned."),
            "mail_recovery": Schema.boolean(
                "`false` where the link is here: the account has no address, so no mail will ever come for it."),
            "credential_binding_job": Reference.schema("CredentialBindingJob"),
        ])

    private static let credentialBindingJob = Schema.object(
        "What the provider calls it; where the link is returned.", ["id": Schema.text("Its name.")])
}

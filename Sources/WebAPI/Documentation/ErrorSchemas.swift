internal import HTTPServer
internal import JSON
internal import OpenAPI
internal import Providers

/// The schema of errors: one for all. What only some of them bring is optional.
enum ErrorSchemas {
    static let error = "Error"

    static var all: [JSONObject.Member] {
        [
            (error, schema), ("RegistrationAttributes", registrationAttributes), ("RegistrationAttribute", attribute),
            ("RegistrationAddress", address),
        ]
    }

    private static let schema = Schema.object(
        "An error. Nothing that was sent is ever repeated in it.",
        required: ["error_description", "error_code", "request_id"],
        [
            "error": Schema.text(
                """
                A stable code, which the answer of each operation lists; more may come with later versions. It is always there, \
                but in what an app of ours is told at `/auth/token` and `/auth/revoke` where it may try again, with 5xx and \
                429: some OAuth libraries take it for the last word.
                """),
            "error_description": Schema.text("One sentence for the developer."),
            "error_code": Schema.text("The code, always."),
            "request_id": Schema.text("The request's name in the log.", ["pattern": ResponseHeader.requestIDPattern]),
            "discovery_ui": Schema.text(
                "With `provider_not_found`, where there is one: where to send the user to choose a carrier."),
            "reason": Schema.choice(
                "With `invalid_id_token`: the rule that is broken.", IDTokenError.allCases.map(\.rawValue)),
            "zenkey_attributes": Reference.schema("RegistrationAttributes"),
            "link_ticket": Schema.text("With `unlinked_user`: the ticket for `POST /users`."),
            "expires": Schema.integer(
                "With `unlinked_user`: how long the ticket is good for, in seconds.", ["minimum": 1]),
            "err": Schema.choice(
                "With `invalid_event`: the code of RFC 8935 §2.4.",
                ["invalid_request", "invalid_key", "invalid_issuer", "invalid_audience", "authentication_failed"]),
            "description": Schema.text("With `invalid_event`: the same sentence as `error_description`."),
        ])

    private static let attribute = Schema.object(
        "An attribute of somebody unknown.", required: ["value"],
        [
            "value": Schema.text("What the carrier said."), "given_name": Schema.text("Of `name`: the given name."),
            "family_name": Schema.text("Of `name`: the family name."),
        ])

    private static let address = Schema.object(
        "The postal address of somebody unknown.", required: ["value"],
        ["value": Schema.map("What the carrier said, by the names of OpenID Connect Core §5.1.1.", values: true)])

    private static let registrationAttributes = Schema.object(
        "With `unlinked_user`: what the carrier said, to fill the registration form with.", required: ["sub"],
        [
            "sub": Schema.text("The ticket, where stock apps look for it. Never the carrier's subject."),
            "name": attributeReference, "email": attributeReference, "phone": attributeReference,
            "postal_code": attributeReference, "birthdate": attributeReference,
            "last_4_social": attributeReference,
            "address": Reference.schema("RegistrationAddress"),
            "claims": Schema.map("What the provider's section hands out besides, with its types.", values: true),
        ])
    private static let attributeReference = Reference.schema("RegistrationAttribute")
}

internal import JSON
internal import OpenAPI

/// What the issuer tells of itself and of users to OAuth libraries, and files for tools.
enum IssuerSchemas {
    static var all: [JSONObject.Member] {
        [
            ("Userinfo", userinfo), ("IssuerMetadata", metadata), ("AppleAssociation", appleAssociation),
            ("AndroidAssociation", androidAssociation),
            ("OpenAPIDocument", document),
        ]
    }

    private static let userinfo = Schema.object(
        """
        The claims about the user, by the names of OpenID Connect Core §5.1, as far as the session's scope goes: a provider's \
        word wherever one has given it, and the user's own where none has. What nobody has said is absent.
        """,
        required: ["sub", "idp"],
        [
            "sub": Schema.text("The user's number here, as text."),
            "idp": Schema.text("The name of the provider that the user signed in with."),
            "name": Schema.text("The whole name."),
            "given_name": Schema.text("The given name."), "family_name": Schema.text("The family name."),
            "middle_name": Schema.text("The middle name."), "nickname": Schema.text("What friends call the user."),
            "preferred_username": Schema.text("What the user is called at the provider."),
            "picture": Schema.text("Where a picture is."), "gender": Schema.text("The gender."),
            "birthdate": Schema.text("The day of birth, as `YYYY-MM-DD`."),
            "zoneinfo": Schema.text("The time zone."), "locale": Schema.text("The language."),
            "email": Schema.text("The e-mail address."),
            "email_verified": Schema.boolean(
                "Whether a provider gave it and says that it has verified it, and its word counts for this address."),
            "phone_number": Schema.text("The telephone number."),
            "phone_number_verified": Schema.boolean("Whether a provider gave it and says that it has verified it."),
            "address": Schema.map("The postal address, by the names of OpenID Connect Core §5.1.1.", values: true),
            "postal_code": Schema.text("The postal code."),
            "last_4_social": Schema.text("The last four digits of the social security number."),
            "claims": Schema.map("What the section of that provider hands out besides, with its types.", values: true),
        ])

    private static let metadata = Schema.object(
        "What OAuth clients have to know of this issuer (RFC 8414 §2, OpenID Connect Discovery §3).",
        required: ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"],
        [
            "issuer": Schema.text("The `iss` of all tokens."),
            "authorization_endpoint": address, "token_endpoint": address, "userinfo_endpoint": address,
            "jwks_uri": address, "revocation_endpoint": address, "end_session_endpoint": address,
            "introspection_endpoint": address,
            "response_types_supported": names, "response_modes_supported": names, "grant_types_supported": names,
            "subject_types_supported": names, "id_token_signing_alg_values_supported": names,
            "token_endpoint_auth_methods_supported": names, "revocation_endpoint_auth_methods_supported": names,
            "introspection_endpoint_auth_methods_supported": names, "code_challenge_methods_supported": names,
            "scopes_supported": names, "claims_supported": names, "prompt_values_supported": names,
            "claims_parameter_supported": flag, "request_parameter_supported": flag,
            "request_uri_parameter_supported": flag, "authorization_response_iss_parameter_supported": flag,
        ])

    private static let address = Schema.text("Where it is.")
    private static let names = Schema.array("What there is of it.", of: ["type": "string"])
    private static let flag = Schema.boolean("Whether there is such a thing.")

    /// What phones read of it; some generators can't make an array of objects of which nothing is known.
    private static let appleAssociation = Schema.object(
        "Which apps of Apple's devices belong to this host.",
        ["applinks": part, "webcredentials": part, "appclips": part, "activitycontinuation": part])

    private static let androidAssociation = Schema.object(
        "Which app of Android belongs to this host.",
        ["relation": Schema.array("What it may do.", of: ["type": "string"]), "target": part])

    /// Its parts are the specification's, and no client of this API has to know them.
    private static let document = Schema.object(
        "A document of OpenAPI 3.0.", required: ["openapi", "info", "paths"],
        [
            "openapi": Schema.text("The version of the specification."), "info": part, "servers": parts, "tags": parts,
            "paths": part, "components": part,
        ])

    private static let part = Schema.map("As its specification has it.", values: true)
    private static let parts = Schema.array("As its specification has it.", of: part)
}

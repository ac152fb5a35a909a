package import JSON
internal import OpenAPI
internal import Providers
internal import SignIn

/// The schemas of what apps send.
package enum RequestSchemas {
    /// - Parameter wings: what wings bring, of which some take what these are of.
    static func all(with wings: APIExtensions) -> [(name: String, value: JSONValue)] {
        [
            ("AuthorizedResponse", AuthorizedResponseSchema.value), ("TransactionApproval", transactionApproval),
            ("IdentityProof", identityProof), ("AccountMerge", accountMerge),
            ("TokenRequest", tokenRequest), ("Introspection", introspection), ("Revocation", revocation),
            ("Registration", registration(with: wings)), ("ProfileEdits", profileEdits),
            ("TypedAttributes", typedAttributes),
            ("AuthorizationRequest", BrowserSchemas.authorizationRequest),
            ("ProviderAnswer", BrowserSchemas.providerAnswer),
            ("Confirmation", BrowserSchemas.confirmation), ("LinkRequest", BrowserSchemas.linkRequest),
            ("EndSessionRequest", BrowserSchemas.endSessionRequest),
        ]
    }

    /// Adds under which other names a parameter is understood.
    package static func spelled(_ name: String, _ description: String) -> String {
        let others = (ParameterForm.ofSDKs[name]?.spellings ?? []).map { "`\($0)`" }
        return others.isEmpty ? description : description + " Also spelled \(others.joined(separator: ", "))."
    }

    static var replacesToken: JSONValue {
        Schema.text(
            "Where a session opens: the refresh token or the access token of the app's session before, which ends with that. It "
                + "may have expired, or have been replaced. What is no token of the same client's changes nothing.",
            ["maxLength": 4096, "pattern": "^[!-~]*$"])
    }

    package static func text(
        _ name: String, _ description: String, _ more: KeyValuePairs<String, JSONValue> = [:]
    ) -> JSONValue {
        Schema.text(spelled(name, description), more)
    }

    private static let typedAttributes = Schema.object(
        "What the user has typed; at least one of them.",
        MatchedAttribute.allCases.map { attribute in
            let longest = Int64(ProfileFields.maximumValueBytes)
            let description = "What is to be compared with the provider's `\(attribute.rawValue)`."
            return (
                attribute.rawValue,
                attribute == .birthdate
                    ? Schema.text(description, ["pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"])
                    : Schema.text(description, ["maxLength": .integer(longest)])
            )
        })

    private static var transactionApproval: JSONValue {
        Schema.extending(
            AuthorizedResponseSchema.value,
            with: Schema.object(
                """
                What an app has when its user has approved a text: as in a sign-in, with `nonce` and `context`; `acr_values` is \
                `a3` unless one is given.
                """, required: ["nonce", "context"],
                [
                    "max_age": Schema.textOrNumber(
                        "How long ago the user may have authenticated, in seconds from 1 to 3600; 300 unless given.",
                        ["pattern": "^[0-9]{1,4}$"])
                ]))
    }

    private static var identityProof: JSONValue {
        Schema.extending(
            AuthorizedResponseSchema.value,
            with: Schema.object(
                "What proves an identity: what a sign-in takes, or a ticket and nothing of that.",
                [
                    "link_ticket": text(
                        "link_ticket", "The ticket of the error `unlinked_user`, in the place of all the rest.",
                        ["pattern": ticket])
                ]))
    }

    private static var accountMerge: JSONValue {
        Schema.object(
            "Which account is to become part of the one whose session asks.", required: ["token"],
            ["token": text("token", "An access token of it, of the same client.", ["minLength": 1])])
    }

    private static var tokenRequest: JSONValue {
        Schema.object(
            """
            A refresh token for a new pair (RFC 6749 §6), an app's code for its first one (§4.1.3), or the access token of a \
            provider that the user has signed in with already (RFC 8693 §2.1).
            """,
            required: ["grant_type"],
            [
                "grant_type": Schema.choice(
                    spelled("grant_type", "The kind of grant."),
                    ["refresh_token", "authorization_code", SubjectToken.grantType]),
                "refresh_token": text("refresh_token", "The refresh token of the answer before.", ["minLength": 1]),
                "code": text("code", "The one-time code that came to the app's address.", ["minLength": 1]),
                "redirect_uri": text(
                    "redirect_uri",
                    "The address that the code came to. It may be left out, and must be right where it is there."),
                "code_verifier": text("code_verifier", "What the code challenge was made of (RFC 7636 §4.1)."),
                "client_id": text(
                    "client_id",
                    "The app's; one with a secret may send it by `Authorization: Basic`. Of who is no app of ours: our "
                        + "client identifier at the provider whose access token it hands in."),
                "client_secret": text("client_secret", "The app's secret, where it has one."),
                "subject_token": text(
                    "subject_token", "The provider's access token.",
                    ["minLength": 1, "maxLength": .integer(Int64(SubjectToken.maximumBytes)), "pattern": "^[!-~]+$"]),
                "subject_token_type": Schema.choice(
                    "What it is; a JWT only where the provider's `tokenExchange` is `jwt`.",
                    [SubjectToken.accessTokenType, SubjectToken.jwtType]),
                "provider": text(
                    "provider", "Whose token it is; it may be absent where only one provider's tokens are taken."),
                "requested_token_type": Schema.choice("What is wanted for it.", [SubjectToken.accessTokenType]),
                "scope": text(
                    "scope",
                    "What the access token is to be used for: names with blanks between them. A refresh narrows it for that "
                        + "token alone (RFC 6749 §6)."),
                "resource": text(
                    "resource",
                    "Whom the access token is for: this service, or one of the app's `audiences` (RFC 8707 §2.2)."),
                "audience": text("audience", "The same, in an exchange."),
                "replaces_token": replacesToken,
                "correlation_id": Schema.textOrNumber(
                    spelled("correlation_id", "The app's own name for an exchange, which goes into the logs."),
                    ["pattern": "^[A-Za-z0-9._-]{1,64}$"]),
            ])
    }

    private static var introspection: JSONValue {
        Schema.object(
            "A token to be told of (RFC 7662 §2.1).", required: ["token"],
            ["token": text("token", "An access token or a refresh token.", ["minLength": 1])])
    }

    private static var revocation: JSONValue {
        Schema.object(
            "A token that is of no use any more (RFC 7009 §2.1).", required: ["token"],
            [
                "token": text("token", "An access token or a refresh token.", ["minLength": 1]),
                "token_type_hint": Schema.text("Which of them it is; that shows anyway, so it is ignored."),
            ])
    }

    package static let noControls: JSONValue = #"^[^\u0000-\u001F\u007F]*$"#

    /// The provider's name, and 256 bits.
    private static let ticket: JSONValue = "^.+[.][A-Za-z0-9_-]{43}$"

    private static func registration(with wings: APIExtensions) -> JSONValue {
        var properties: [JSONObject.Member] = [
            ("link_ticket", text("link_ticket", "The ticket of the error `unlinked_user`.", ["pattern": ticket])),
            (
                "zenkey_sub",
                text(
                    "zenkey_sub",
                    "The same ticket, under the name by which stock apps return it. A carrier's subject is refused.",
                    ["pattern": ticket])
            ),
            ("client_id", text("client_id", "The client of the sign-in; when given, it must be the ticket's.")),
            ("replaces_token", replacesToken),
        ]
        properties += ProfileFields.names.map { ($0, field("What the user says of this.", named: $0)) }
        for member in wings.all.compactMap(\.registration).flatMap(\.members)
        where !properties.contains(where: { $0.name == member.name }) {
            properties.append(member)
        }
        return Schema.object(
            """
            The ticket, with what the app has asked its user; or, without one, what `POST /users/signup` takes. Other members \
            are ignored.
            """, properties)
    }

    private static var profileEdits: JSONValue {
        Schema.object(
            """
            What is there is set, and the rest stays. An empty text takes the user's own value away, so that the carrier's \
            shows again; in JSON null does the same (RFC 7396). Unknown members are ignored; one known member must be there.
            """, ProfileFields.names.map { ($0, field("The user's own word.", named: $0)) })
    }

    private static func field(_ description: String, named name: String) -> JSONValue {
        text(name, description, ["maxLength": .integer(Int64(ProfileFields.maximumValueBytes)), "pattern": noControls])
    }
}

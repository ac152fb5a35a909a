internal import Accounts
package import JSON
internal import OpenAPI
internal import SignIn

/// The schemas of successes.
package enum AnswerSchemas {
    static var all: [(name: String, value: JSONValue)] {
        [
            ("Tokens", tokens), ("TokenAnswer", tokenAnswer), ("SignedIn", signedIn), ("SignedInUser", signedInUser),
            ("Challenge", challenge),
            ("Receipt", receipt), ("LinkAddress", linkAddress),
            ("CurrentUser", currentUser), ("GivenAttribute", givenAttribute),
            ("AttributeMatches", attributeMatches),
            ("Identity", identity), ("Session", session), ("Revoked", revoked),
            ("MergedAccount", mergedAccount),
            ("Empty", empty), ("KeySet", keySet), ("PublicKey", publicKey), ("Health", health),
            ("Introspected", introspected),
        ]
    }

    package static let tokens = Schema.extending(
        tokensOfAnApp, with: Schema.object("A session.", required: ["refresh_token"], []))

    package static let receiptOfSignIn = Schema.text(
        """
        What the user has approved with the sign-in, where the app may have `transactions` and asked for it by `context` and \
        `acr_values`: a receipt as of `POST /auth/transaction`. An answer without one approves nothing.
        """)

    /// An app of ours gets a refresh token where it may have one.
    private static let tokensOfAnApp = Schema.object(
        "A session.",
        required: ["access_token", "token", "token_type", "expires_in", "expires"],
        [
            "access_token": Schema.text(
                """
                The access token, a JWT (ES256, type `at+jwt`) with `iss`, `sub` (who it is), `aud`, `client_id`, `sid`, \
                `iat`, `exp`, `jti`, and `acr`, `amr`, `auth_time` where known; nothing personal.
                """),
            "refresh_token": Schema.text(
                "Good for one new pair at `POST /auth/token`. Opaque to apps; at most 512 characters. An app of ours gets one "
                    + "where it asks for `offline_access` and may have that, or where its section has it always."),
            "token": Schema.text("The access token, under the name that stock ZenKey apps know."),
            "token_type": Schema.choice("How the token is sent.", ["Bearer"]),
            "expires_in": Schema.integer("How long the access token is good for, in seconds.", ["minimum": 1]),
            "expires": Schema.integer("The same, under the name that stock ZenKey apps know.", ["minimum": 1]),
            "scope": Schema.text(
                "What the access token can be used for, of an app of ours: what of the scope was granted."),
            "receipt": receiptOfSignIn,
            "merge_offered": mergeOffered,
            "declined_scopes": declinedScopes,
            "id_token": Schema.text(
                """
                Who signed in, for an app that asked for `openid`: a JWT (ES256) with `iss`, `sub`, `aud` (the app's \
                `client_id`), `exp`, `iat`, `nonce`, `at_hash`, `sid`, `acr`, `amr`, `auth_time`, `idp` (the \
                provider's name), and the claims of its scope.
                """),
        ])

    private static let signedIn = Schema.extending(
        tokens,
        with: Schema.object(
            "A session, and who signed in.", required: ["user", "new_user", "migrated"],
            [
                "user": Reference.schema("SignedInUser"),
                "new_user": Schema.boolean("Whether the user was made by this sign-in."),
                "migrated": Schema.boolean("Whether the user has changed carriers, and was recognised."),
                "merge_offered": mergeOffered,
                "declined_scopes": declinedScopes,
                "acr": acr,
                "auth_time": Schema.time("When the user authenticated at the provider"),
            ]))

    private static let mergedAccount = Schema.object(
        "The account that is left of two.", required: ["user_id", "merged_user_id", "identities"],
        [
            "user_id": userID, "merged_user_id": Schema.integer("The number that nobody has any more.", ["minimum": 1]),
            "identities": Schema.array(of: Reference.schema("Identity")),
        ])
    package static let mergeOffered = Schema.boolean(
        "`true` where the carrier says that the user had a number elsewhere by which another user is known here: the two "
            + "may be one person's accounts (`POST /users/me/merge`). Absent else, and in whatever is not the answer to a "
            + "sign-in.")
    private static let declinedScopes = Schema.array(
        "What the user has declined at the provider of the scopes that were asked for; missing where that is nothing.",
        of: Schema.text("A scope, as the app has asked for it."))

    private static let signedInUser = Schema.object(
        "The user, with what the carrier or the user said.", required: ["user_id"],
        [
            "user_id": userID, "name": Schema.text("The whole name."), "given_name": Schema.text("The given name."),
            "family_name": Schema.text("The family name."),
            "email": Schema.text("The provider's, wherever it gave one; else the user's own."),
            "phone_number": Schema.text("The provider's, wherever it gave one; else the user's own."),
            "postal_code": Schema.text("The postal code."),
            "birthdate": Schema.text("The day of birth; the provider's, wherever it gave one."),
            "last_4_social": Schema.text("The last four digits of the social security number."),
            "address": Schema.map("The postal address, by the names of OpenID Connect Core §5.1.1.", values: true),
            "email_verified": Schema.boolean(
                "Beside `email`: whether a provider gave it and says that it has verified it, and its word counts for it."
            ),
            "phone_number_verified": Schema.boolean("Beside `phone_number`, likewise."),
            "own": own, "claims": claims,
        ])

    private static let tokenAnswer = Schema.extending(
        tokensOfAnApp,
        with: Schema.object(
            "A session. The members below are of an exchange of tokens, and most of them for who is no app of ours.",
            [
                "issued_token_type": Schema.choice(
                    "What the access token is (RFC 8693 §2.2.1).", [SubjectToken.accessTokenType]),
                "user": Reference.schema("SignedInUser"),
                "new_user": Schema.boolean("Whether the user was made by this."),
                "migrated": Schema.boolean("`false`: no access token tells of another carrier."),
                "acr": acr,
                "auth_time": Schema.time("When the user authenticated at the provider, where it tells that"),
            ]))

    private static let challenge = Schema.object(
        "A nonce of ours.", required: ["nonce", "expires"],
        [
            "nonce": Schema.text("For the authorization request."),
            "expires": Schema.integer("How long it is good for, in seconds.", ["minimum": 1]),
        ])

    private static let linkAddress = Schema.object(
        "Where a browser goes to add an identity.", required: ["url", "expires_in"],
        [
            "url": Schema.text("Good once, for the browser that opens it first."),
            "expires_in": Schema.integer("For how long, in seconds.", ["minimum": 1]),
        ])

    private static let receipt = Schema.object(
        "Proof of an approval.", required: ["receipt"],
        [
            "receipt": Schema.text(
                """
                A JWT (ES256, type `transaction-receipt+jwt`) under the keys of `/.well-known/jwks.json`, with `iss`, \
                `sub`, `aud` (the issuer and `/receipts`), `sid`, `iat`, `jti`, `nonce`, `context_hash` (base64url of \
                the SHA-256 of the text), `context_hash_alg`, `client_id`, and `acr`, `amr`, `auth_time` where known. \
                Its key signs receipts only, and is kept for as long as they may be looked at.
                """)
        ])

    /// Those of OpenID Connect Core §5.1 that users have or that providers tell, and those of the carriers.
    static let attributes = [
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
        "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at", "postal_code", "phone", "last_4_social",
        "proofing", "isAdult18", "isAdult21", "isOver13",
    ]

    private static let currentUser = Schema.extending(
        // Every attribute by its name, and over it those of which there is more to say.
        Schema.object(
            "",
            attributes.map { ($0, Schema.text("What the provider, or the user, says of this.")) }),
        with: Schema.object(
            """
            The user as flat texts, but for `address`, `own` and `claims`. What nobody has said is absent. The names are those \
            of OpenID Connect and of the carriers' guides.
            """,
            required: ["user_id", "username", "zenkey_sub"],
            [
                "user_id": userID,
                "username": Schema.text("The user's own, or the best there is."),
                "zenkey_sub": Schema.text("An opaque reference. Never the carrier's subject."),
                "email": Schema.text("The provider's, wherever one gave it; else the user's own."),
                "email_verified": Schema.choice(
                    "Beside `email`: whether the provider gave it and says that it has verified it.",
                    ["true", "false"]),
                "phone_number": Schema.text("The provider's, wherever one gave it; else the user's own."),
                "phone_number_verified": Schema.choice("Beside `phone_number`, likewise.", ["true", "false"]),
                // Most providers give an object, some a text, so that it has no type.
                "address": [
                    "description":
                        "As the provider gave it: an object of texts (OpenID Connect Core §5.1.1), or one text."
                ],
                "own": own, "claims": claims, "attributes": given,
            ]))

    private static let given = Schema.map(
        "With `?attributes=true`: what providers have given, by attribute, with whose word it is.",
        values: Reference.schema("GivenAttribute"))

    private static let givenAttribute = Schema.object(
        "What one provider says, which users' own words never change.", required: ["value", "verified"],
        [
            "value": ["description": "As the provider gave it: a text, or an object of an attribute with parts."],
            "verified": Schema.boolean(
                "Whether the provider says that it has verified it, and its word counts about this address."),
            "level": Schema.integer(
                "How well it was verified, of carriers that tell that by a number: 0 for not at all.",
                ["minimum": 0, "maximum": .integer(Int64(Assurance.maximumLevel))]),
            "provider": Schema.text(
                "The provider's name in the configuration; absent where an earlier version has not kept it."),
            "at": Schema.time(
                "Since when it says this value, so well known; absent where an earlier version has not kept it"),
        ])

    private static let attributeMatches = Schema.object(
        "What came of comparing, of each attribute that was sent.",
        MatchedAttribute.allCases.map {
            (
                $0.rawValue,
                Schema.choice(
                    "`unknown` where no provider has said it, or not enough of it.",
                    MatchedAttribute.Outcome.allCases.map(\.rawValue))
            )
        })

    private static let identity = Schema.object(
        "One way in which the user signs in.",
        required: ["identity_id", "provider", "issuer", "origin", "linked_at", "last_sign_in_at"],
        [
            "identity_id": Schema.integer("The identity's number.", ["minimum": 1]),
            "provider": Schema.text("The provider's name in the configuration."),
            "issuer": Schema.text("Who vouches for it."),
            "origin": Schema.choice("How it came to the user.", Identity.Origin.allCases.map(\.rawValue)),
            "linked_at": Schema.time("When it came to the user"),
            "last_sign_in_at": Schema.time("When the user last signed in by it, 0 for never"),
            "email_stopped_at": Schema.time(
                "Only where the provider passes no mail on to the address that it gives: since when"),
        ])

    private static let session = Schema.object(
        "One place where the user is signed in.",
        required: ["session_id", "created_at", "expires_at", "provider", "client_id", "current"],
        [
            "session_id": Schema.text("The session's name.", ["pattern": "^[0-9a-f]{32}$"]),
            "created_at": Schema.time("When the user signed in"),
            "expires_at": Schema.time("When its refresh token ends"),
            "provider": Schema.text("The provider's name in the configuration."),
            "client_id": Schema.text("The client that the app signed in with."),
            "user_agent": Schema.text("What the app said it is, in `User-Agent`.", ["maxLength": 200]),
            "acr": acr,
            "auth_time": Schema.time("When the user authenticated at the provider"),
            "current": Schema.boolean("Whether the request was made under this session."),
        ])

    private static let revoked = Schema.object(
        "How many sessions were ended.", required: ["revoked"],
        ["revoked": Schema.integer("How many there were.", ["minimum": 0])])

    /// Nothing to tell; 200 because stock iOS apps take nothing else.
    private static let empty: JSONValue = [
        "type": "object", "description": "Done. There is nothing to tell.", "properties": [:],
    ]

    private static let keySet = Schema.object(
        "A JWK set (RFC 7517 §5).", required: ["keys"],
        [
            "keys": Schema.array(of: Reference.schema("PublicKey"))
        ])

    private static let publicKey = Schema.object(
        "A public key (RFC 7517 §4): on a curve with `crv`, `x` and `y`, or of RSA with `n` and `e`.",
        required: ["kty", "kid", "alg", "use"],
        [
            "kty": Schema.choice("The kind of key.", ["EC", "RSA"]), "kid": Schema.text("The key's name."),
            "alg": Schema.choice("What it signs by.", ["ES256", "RS256"]),
            "use": Schema.choice("What it is for.", ["sig"]),
            "crv": Schema.choice("The curve.", ["P-256"]), "x": Schema.text("A coordinate, as base64url."),
            "y": Schema.text("The other one."), "n": Schema.text("The modulus, as base64url."),
            "e": Schema.text("The exponent, likewise."),
        ])

    private static let introspected = Schema.object(
        "What a token is good for.", required: ["active"],
        [
            "active": Schema.boolean("Whether it is good at this moment; where it is not, nothing else is told."),
            "sub": Schema.text("The user: the reference, or the number as text (`session.subject`)."),
            "client_id": Schema.text("The client it was given to."),
            "scope": Schema.text("What it can be used for at this moment."),
            "exp": Schema.time("When it ends"), "iat": Schema.time("When it was made"),
            "iss": Schema.text("This service."), "aud": Schema.text("Whom it is for."),
            "sid": Schema.text("Its session."), "acr": acr,
            "auth_time": Schema.time("When the user authenticated at the provider"),
            "token_type": Schema.text("`Bearer`, of an access token."),
        ])

    private static let health = Schema.object(
        "The server answers.", required: ["status"], ["status": Schema.choice("How it is.", ["ok"])])

    static let own = Schema.map(
        """
        What the user says and no provider does, where there is any: nobody but the user vouches for these values, \
        wherever else they are shown.
        """,
        values: ["type": "string"])
    static let claims = Schema.map(
        """
        What the provider of this session says besides, by the names of its `claims` setting and with its types, as of the \
        last sign-in there.
        """,
        values: true)
    static let userID = Schema.integer("The user's number here.", ["minimum": 1])
    static let acr = Schema.text("The level of the authentication, such as `a1` or `a3`.")
}

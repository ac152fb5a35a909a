internal import JSON
internal import OpenAPI

/// What an export of a user has.
enum AdminExportSchemas {
    static var all: [JSONObject.Member] {
        [
            ("UserExport", export), ("ExportedContact", contact), ("ExportedAttribute", attribute),
            ("ExportedIdentity", identity),
            ("ExportedSession", session), ("ExportedConsent", consent), ("ExportedReceipt", receipt),
            ("ExportedGrant", grant),
        ]
    }

    private static let export = Schema.object(
        "Everything that is kept about a user, but the subjects and the providers' tokens.",
        required: [
            "user_id", "reference", "created_at", "updated_at", "profile", "own", "contacts", "attributes",
            "claims", "identities", "sessions", "consents", "receipts", "grants", "audit",
        ],
        [
            "user_id": AnswerSchemas.userID,
            "reference": Schema.text(
                "The opaque reference that apps know as `zenkey_sub` and, by `session.subject`, as `sub`."),
            "created_at": Schema.time("When the user was made"),
            "updated_at": Schema.time("When the user was changed"),
            "lock": Reference.schema("KeptLock"),
            "profile": Schema.map("What the providers say, by the names of their attributes.", values: true),
            "own": Schema.map("What the user says, likewise.", values: true),
            "contacts": Schema.array(of: Reference.schema("ExportedContact")),
            "attributes": Schema.array(of: Reference.schema("ExportedAttribute")),
            "claims": Schema.map("What each provider says besides, by its name.", values: true),
            "identities": Schema.array(of: Reference.schema("ExportedIdentity")),
            "sessions": Schema.array(of: Reference.schema("ExportedSession")),
            "consents": Schema.array(of: Reference.schema("ExportedConsent")),
            "receipts": Schema.array(of: Reference.schema("ExportedReceipt")),
            "grants": Schema.array(of: Reference.schema("ExportedGrant")),
            "audit": Schema.array(of: Reference.schema("AuditEvent")),
            "tables": Schema.map(
                "What further capabilities keep of the user: of each table its rows, with bytes as base64url.",
                values: true),
        ])

    private static let contact = Schema.object(
        "An address or a number, and whose word it is.", required: ["attribute", "value", "verified", "own"],
        [
            "attribute": Schema.choice("What it is.", ["email", "phone_number"]), "value": Schema.text("The value."),
            "provider": Schema.text("The provider's name, where it is known."),
            "verified": Schema.boolean("Whether the provider says that it has verified it."),
            "counts": Schema.boolean(
                "Whether apps are told so: whether the provider's word counts for this value, by `trustEmails`; absent in a search "
                    + "where that depends on more than the address."),
            "own": Schema.boolean("Whether it is the user's own word."),
        ])

    private static let attribute = Schema.object(
        "Whose word an attribute of `profile` is.", required: ["attribute", "verified"],
        [
            "attribute": Schema.text("Its name."),
            "provider": Schema.text("The provider's name, where it is known."),
            "verified": Schema.boolean("Whether the provider says that it has verified it."),
            "level": Schema.integer(
                "How well, of carriers that tell that by a number: 0 for not at all.", ["minimum": 0]),
            "at": Schema.time("Since when it says this value, so well known; absent where that was not kept"),
        ])

    private static let identity = Schema.extending(
        AdminSchemas.identity,
        with: Schema.object(
            "One way in which the user signs in.", required: ["subject_reference"],
            ["subject_reference": Schema.text("An opaque reference in place of the subject.")]))

    private static let authentication = Schema.object(
        "",
        [
            "acr": AnswerSchemas.acr, "amr": Schema.array("How the user authenticated.", of: ["type": "string"]),
            "auth_time": Schema.time("When the user authenticated at the provider"),
        ])

    private static let session = Schema.extending(
        Schema.extending(AdminSchemas.session, with: authentication),
        with: Schema.object(
            "One place where the user is signed in.", ["user_agent": Schema.text("What the app said it is.")]))

    private static let consent = Schema.object(
        "What the user has agreed that an app may do.", required: ["client_id", "scope", "agreed_at"],
        [
            "client_id": Schema.text("The app's."), "scope": Schema.text("All of it, by name, with blanks between."),
            "agreed_at": Schema.time("When they last did"),
        ])

    private static let receipt = Schema.extending(
        authentication,
        with: Schema.object(
            "Proof that the user has approved something.",
            required: ["receipt_id", "session_id", "context_sha256", "provider", "client_id", "created_at"],
            [
                "receipt_id": Schema.text("Its `jti`."), "session_id": Schema.text("The session it was given under."),
                "context_sha256": Schema.text("The SHA-256 of the text, in hexadecimal digits."),
                "nonce": Schema.text("The nonce of the approval."), "provider": Schema.text("The provider's name."),
                "client_id": Schema.text("The client of the approval."), "created_at": Schema.time("When it was"),
            ]))

    private static let grant = Schema.object(
        "That a provider's tokens are kept.", required: ["identity_id", "obtained_at", "has_tokens"],
        [
            "identity_id": Schema.integer("Of which identity.", ["minimum": 1]),
            "obtained_at": Schema.time("When they were got"),
            "has_tokens": Schema.boolean("Whether they are still there."),
            "expires_at": Schema.time("When the access token ends"),
            "scope": Schema.text("What they are good for."),
        ])
}

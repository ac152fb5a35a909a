internal import Accounts
internal import JSON
internal import OpenAPI

/// What operators send and get.
enum AdminSchemas {
    static var all: [JSONObject.Member] {
        [
            ("GivenIdentity", givenIdentity), ("Liveness", liveness), ("Readiness", readiness),
            ("OutcomeHealth", health), ("UserPage", userPage),
            ("UserSummary", userSummary), ("ContactGiver", giver), ("UserOverview", overview),
            ("UserErased", erased), ("SessionsEnded", sessionsEnded), ("IdentityGiven", identityGiven),
            ("UserMerge", merge), ("UsersMerged", merged),
            ("UserLock", lock), ("KeptLock", keptLock), ("UserLocked", locked), ("IdentityTaken", identityTaken),
            ("AllSessionsEnded", allSessionsEnded), ("SessionEnded", sessionEnded),
            ("FailedSignInPage", failedSignInPage), ("FailedSignIns", failedSignIns), ("AuditPage", auditPage),
            ("AuditEvent", auditEvent), ("UserIdentity", identity), ("UserSession", session),
        ] + AdminExportSchemas.all
    }

    private static let givenIdentity = Schema.object(
        "An identity to give.", required: ["issuer", "subject"],
        [
            "issuer": Schema.text("Who vouches for it."), "subject": Schema.text("The subject there."),
            "provider": Schema.text("The provider's name; needed where several take ID tokens of that issuer."),
        ])

    private static let liveness = Schema.object(
        "It is so.", required: ["status"], ["status": Schema.choice("How it is.", ["ok"])])

    private static let readiness = Schema.object(
        "Whether sign-ins can be served; where they can't, with the members of an error.", required: ["status"],
        [
            "status": Schema.choice("How it is.", ["ok", "unavailable", "draining"]),
            "error": Schema.text("The code."), "error_description": Schema.text("One sentence."),
            "error_code": Schema.text("The code."), "request_id": Schema.text("The request's name in the log."),
            "checks": Schema.map(
                "For operators: what was looked at, each `ok` or what is wrong with it.", values: ["type": "string"]),
            "providers": Schema.map(
                "For operators: how sign-ins at each provider have gone. It changes nothing of `status`.",
                values: Reference.schema("OutcomeHealth")),
            "store": Reference.schema("OutcomeHealth"),
        ])

    private static let health = Schema.object(
        "How it has gone in the last five minutes, as outcomes tell.", required: ["state", "failed", "of"],
        [
            "state": Schema.choice(
                "`down`: all have failed; `failing`: half or more. What was so stays so while nothing is done.",
                ["ok", "failing", "down"]),
            "failed": Schema.integer("How many have failed.", ["minimum": 0]),
            "of": Schema.integer("Of so many.", ["minimum": 0]),
            "last_reason": Schema.text("Why the last one failed."),
            "since": Schema.time("Since when the state has been so"),
        ])

    private static let next = Schema.integer("What the next page begins after; absent on the last one.", ["minimum": 0])
    private static let user = AnswerSchemas.userID

    private static let userPage = Schema.object(
        "A page of users.", required: ["users"],
        [
            "users": Schema.array(of: Reference.schema("UserSummary")), "next_after": next,
            "more": Schema.boolean("Of a search by address or number: whether there are more than these."),
            "complete": Schema.boolean(
                "Likewise: whether everybody was looked at; a store of an earlier version is indexed in the background."
            ),
        ])

    private static let userSummary = Schema.object(
        "A line of a list.", required: ["user_id", "created_at", "updated_at", "identities"],
        [
            "user_id": user, "created_at": Schema.time("When the user was made"),
            "updated_at": Schema.time("When the user was changed"),
            "identities": Schema.integer("How many there are.", ["minimum": 0]),
            "last_sign_in_at": Schema.time("When the user last signed in"),
            "matches": Schema.array(
                "Of a search by address or number: whose word it is.", of: Reference.schema("ContactGiver")),
        ])

    private static let giver = Schema.object(
        "Whose word an address or a number is.", required: ["verified", "own"],
        [
            "provider": Schema.text("The provider's name, where it is known."),
            "verified": Schema.boolean("Whether the provider says that it has verified it."),
            "counts": Schema.boolean(
                "Whether apps are told so: whether the provider's word counts for this value, by `trustEmails`; absent in a search "
                    + "where that depends on more than the address."),
            "own": Schema.boolean("Whether it is the user's own word."),
        ])

    private static let overview = Schema.object(
        "A user without anything personal.",
        required: ["user_id", "reference", "created_at", "updated_at", "identities", "sessions"],
        [
            "user_id": user,
            "reference": Schema.text(
                "The opaque reference that apps know as `zenkey_sub` and, by `session.subject`, as `sub`."),
            "created_at": Schema.time("When the user was made"),
            "updated_at": Schema.time("When the user was changed"), "lock": Reference.schema("KeptLock"),
            "identities": Schema.array(of: Reference.schema("UserIdentity")),
            "sessions": Schema.array(of: Reference.schema("UserSession")),
        ])

    private static let erased = Schema.object(
        "That a user is gone.", required: ["user_id", "erased"],
        ["user_id": user, "erased": Schema.boolean("`true`.")])

    private static let sessionsEnded = Schema.object(
        "How many sessions were ended.", required: ["user_id", "sessions_ended"],
        ["user_id": user, "sessions_ended": Schema.integer("How many there were.", ["minimum": 0])])

    private static let merge = Schema.object(
        "Whom to merge into a user.", required: ["user_id"],
        ["user_id": Schema.integer("The number of the user who goes.", ["minimum": 1])])

    private static let merged = Schema.object(
        "That two users are one.", required: ["user_id", "merged_user_id", "identity_ids"],
        [
            "user_id": user, "merged_user_id": Schema.integer("The number that nobody has any more.", ["minimum": 1]),
            "identity_ids": Schema.array(
                "The numbers of the identities that have come with it.",
                of: Schema.integer("An identity's number.", ["minimum": 1])),
        ])

    private static let lock = Schema.object(
        "A lock.", required: [],
        [
            "reason": Schema.text("For operators, at most \(AuditReason.mostCharacters) characters."),
            "until": Schema.time("When it ends by itself; for good without it"),
        ])

    static let keptLock = Schema.object(
        "That nobody signs in as the user.", required: ["cause", "since"],
        [
            "cause": Schema.choice("Whose word it is.", Lock.Cause.allCases.map(\.rawValue)),
            "reason": Schema.text("The operator's own words."), "since": Schema.time("Since when"),
            "until": Schema.time("When it ends by itself"),
        ])

    private static let locked = Schema.object(
        "Whether a user is locked.", required: ["user_id", "locked"],
        [
            "user_id": user, "locked": Schema.boolean("Whether nobody may sign in as the user."),
            "until": Schema.time("When the lock ends by itself"),
        ])

    private static let identityTaken = Schema.object(
        "That an identity is nobody's.", required: ["user_id", "identity_id", "unlinked"],
        [
            "user_id": user, "identity_id": Schema.integer("The identity's number.", ["minimum": 1]),
            "unlinked": Schema.boolean("`true`."),
        ])

    private static let allSessionsEnded = Schema.object(
        "How many sessions were ended.", required: ["sessions_ended"],
        ["sessions_ended": Schema.integer("How many there were.", ["minimum": 0])])

    private static let sessionEnded = Schema.object(
        "That a session was ended.", required: ["session_id", "sessions_ended"],
        [
            "session_id": Schema.text("The session's name."),
            "sessions_ended": Schema.integer("1.", ["minimum": 1]),
        ])

    private static let identityGiven = Schema.object(
        "What became of an identity.", required: ["user_id", "outcome"],
        [
            "user_id": user, "outcome": Schema.choice("What was done.", ["already_there", "linked", "moved"]),
            "identity": Reference.schema("UserIdentity"),
            "from_user_id": Schema.integer("Of `moved`: whose it was.", ["minimum": 1]),
            "from_user_identities_left": Schema.integer(
                "Of `moved`: how many that user still has; with none, nobody can sign in as that user.", ["minimum": 0]),
        ])

    private static let failedSignInPage = Schema.object(
        "A page of counts.", required: ["failed_sign_ins"],
        ["failed_sign_ins": Schema.array(of: Reference.schema("FailedSignIns")), "next_after": next])

    private static let failedSignIns = Schema.object(
        "How often sign-ins failed in one way within a minute.", required: ["id", "at", "reason", "sentence", "count"],
        [
            "id": Schema.integer("The count's number.", ["minimum": 0]), "at": Schema.time("When it was"),
            "provider": Schema.text("The provider's name, where it was known."),
            "reason": Schema.text("The code of the error, or of the rule that was broken."),
            "sentence": Schema.text("The same in words."),
            "network": Schema.text("Where they came from, where that is told."),
            "count": Schema.integer("How often.", ["minimum": 1]),
        ])

    private static let auditPage = Schema.object(
        "A page of events.", required: ["events"],
        [
            "events": Schema.array(of: Reference.schema("AuditEvent")),
            "next_cursor": Schema.text(
                "For `cursor`. Of the newest first it is absent on the last page; of the oldest first it is there as long as "
                    + "there has been an event, for who follows the trail asks again behind it."),
            "next_after": Schema.integer("Of the oldest first: for `after`, where there is more.", ["minimum": 0]),
        ])

    private static let auditEvent = Schema.object(
        "Something that has happened, or was looked at.", required: ["id", "at", "event"],
        [
            "id": Schema.integer("The event's number.", ["minimum": 0]), "at": Schema.time("When it was"),
            "event": Schema.text("What it was, such as `user_erased`."),
            // An operator may have looked for a number that nobody has.
            "user_id": Schema.integer("The user's number here.", ["minimum": 0]),
            "old_identity_id": Schema.integer("The identity before.", ["minimum": 1]),
            "new_identity_id": Schema.integer("The identity after.", ["minimum": 1]),
            "fields": Schema.array(
                "What it is about, by name and never by value: of `profile_edited` the attributes, of keys their purpose.",
                of: ["type": "string"]),
            "actor": Schema.text(
                "Who did it: `user`, `operator:NAME`, `cli:NAME`, `provider:NAME` or `system`; absent in events of earlier versions."
            ),
            "app": Schema.text("The client id of the app."),
            "session_id": Schema.text("The session that was used, or that it is about."),
            "request_id": Schema.text("The request's name in the log."),
            "reason": Schema.text("Why an operator did it."),
            "count": Schema.integer(
                "How often it has happened again since it was last told of; absent in what happened once.",
                ["minimum": 1]),
        ])

    static let identity = Schema.object(
        "One way in which the user signs in, without its subject.",
        required: ["identity_id", "provider", "issuer", "origin", "linked_at"],
        [
            "identity_id": Schema.integer("The identity's number.", ["minimum": 1]),
            "provider": Schema.text("The provider's name in the configuration."),
            "issuer": Schema.text("Who vouches for it."),
            "origin": Schema.choice("How it came to the user.", Identity.Origin.allCases.map(\.rawValue)),
            "linked_at": Schema.time("When it came to the user"),
            "last_sign_in_at": Schema.time("When the user last signed in by it"),
            "email_stopped_at": Schema.time("Since when the provider passes no mail on"),
            "locked": Schema.boolean("`true` where nobody signs in by it; absent else."),
            "locked_until": Schema.time("When that ends by itself"),
        ])

    static let session = Schema.object(
        "One place where the user is signed in.",
        required: ["session_id", "provider", "client_id", "created_at", "expires_at"],
        [
            "session_id": Schema.text("The session's name."),
            "provider": Schema.text("The provider's name in the configuration."),
            "client_id": Schema.text("The client that the app signed in with."),
            "created_at": Schema.time("When the user signed in"),
            "expires_at": Schema.time("When its refresh token ends"),
        ])
}

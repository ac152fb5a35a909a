internal import JSON
internal import OpenAPI
internal import Telemetry

/// The operations of the admin listener, as its document describes them.
enum AdminDescriptions {
    static let liveness = OperationDescription(
        id: "liveness", tag: .probes, summary: "Ask whether the process has to be started anew",
        description: "Whether every event loop takes up work within a second. Neither the store nor a provider counts.",
        successes: [answer("It need not.", "Liveness", ["status": "ok"])],
        errors: [.overloaded])

    static let startup = OperationDescription(
        id: "startup", tag: .probes, summary: "Ask whether the start is over",
        description: "Whether the store is open, its schema is this version's, and the keys are loaded.",
        successes: [answer("It is.", "Liveness", ["status": "ok"])],
        errors: [.storageUnavailable])

    static let readiness = OperationDescription(
        id: "readiness", tag: .probes, summary: "Ask whether sign-ins can be served",
        description:
            "Whether more than that is said, the operators' token decides. That a provider is down changes nothing.",
        successes: [
            answer("They can.", "Readiness", ["status": "ok"]),
            .init(
                status: 503,
                description:
                    "They can't: `storage_unavailable`, see `checks` and the log; `overloaded`, the server is stopping.",
                schema: Reference.schema("Readiness"), headers: [.cacheControl]),
        ])

    static let metrics = OperationDescription(
        id: "metrics", tag: .probes, summary: "Read what is counted and measured",
        description:
            "As Prometheus takes it, or as OpenMetrics where `Accept` names that. Labels are names of ours: nothing that was sent.",
        successes: [
            .init(
                description: "The metrics.", schema: ["type": "string"],
                type: Exposition.prometheus.contentType, headers: [.cacheControl])
        ])

    static let listUsers = OperationDescription(
        id: "listUsers", tag: .users, summary: "List users, or find some",
        description: """
            Users by number, a page at a time; or the one who has a subject at an issuer, or the reference that apps know as \
            `sub`; or those who have an e-mail address or a telephone number, each with whose word that is. `reference`, \
            `email` and `phone_number` go with `limit` alone.
            """,
        parameters: page + [
            query("provider", "Those with an identity at this provider."),
            query("issuer", "With `subject`: who vouches for it."),
            query("subject", "With `issuer`: the subject there."),
            query("reference", "What apps know the user as: `zenkey_sub` and, by `session.subject`, `sub`."),
            query("email", "An e-mail address."), query("phone_number", "A telephone number."),
        ],
        successes: [answer("The users.", "UserPage", ["users": [Examples.userSummary], "next_after": 7])],
        errors: lists)

    static let showUser = OperationDescription(
        id: "showUser", tag: .users, summary: "Show a user",
        description: "The user's identities and sessions, and nothing personal.", parameters: [user],
        successes: [answer("The user.", "UserOverview")], errors: one)

    static let eraseUser = OperationDescription(
        id: "eraseUser", tag: .users, summary: "Erase a user",
        description: "With all identities and sessions, for good.", parameters: [user],
        successes: [answer("The user is gone.", "UserErased", ["user_id": 7, "erased": true])], errors: one)

    static let exportUser = OperationDescription(
        id: "exportUser", tag: .users, summary: "Export what is kept about a user",
        description: "Everything but the subjects, in whose place there are opaque references.", parameters: [user],
        successes: [answer("What is kept.", "UserExport")], errors: one)

    static let repoint = OperationDescription(
        id: "giveIdentity", tag: .users, summary: "Give a user an identity",
        description: "By an operator's word. A user who has it loses it, with the sessions opened by it.",
        parameters: [user],
        body: .init(
            schema: "GivenIdentity",
            example: ["provider": "plain", "issuer": "https://id.example.com", "subject": "248289761001"]),
        successes: [answer("It is the user's.", "IdentityGiven", ["user_id": 7, "outcome": "already_there"])],
        errors: one + [.unknownProvider])

    static let merge = OperationDescription(
        id: "mergeUsers", tag: .users, summary: "Make one user of two",
        description: """
            The identities of the other user become this one's, on probation, with what belongs to them. The sessions of \
            the other one end, and what is under way to become one; nobody has that number any more. Refused while \
            either is locked. `409` where a provider's directory has an account for each.
            """,
        parameters: [user], body: .init(schema: "UserMerge", example: ["user_id": 9]),
        successes: [
            answer(
                "There is one user.", "UsersMerged", ["user_id": 7, "merged_user_id": 9, "identity_ids": [12, 13]])
        ],
        errors: one + [.locked, .mergeConflict])

    static let endSessions = OperationDescription(
        id: "endSessions", tag: .users, summary: "End a user's sessions",
        description: "All of them, at once, and what is under way to become one.",
        parameters: [user, reauthenticate],
        successes: [answer("They have ended.", "SessionsEnded", ["user_id": 7, "sessions_ended": 2])], errors: one)

    static let unlink = OperationDescription(
        id: "takeIdentity", tag: .users, summary: "Take an identity from a user",
        description: "With the sessions that it has opened. The last one stays.",
        parameters: [
            user,
            [
                "name": "identity_id", "in": "path", "required": true, "description": "The identity's number.",
                "schema": ["type": "integer", "format": "int64", "minimum": 1], "example": 9,
            ],
        ],
        successes: [
            answer(
                "It is nobody's.", "IdentityTaken", ["user_id": 7, "identity_id": 9, "unlinked": true])
        ], errors: one + [.lastIdentity])

    static let lock = OperationDescription(
        id: "lockUser", tag: .users, summary: "Lock a user",
        description: """
            Nobody signs in as the user any more, by whatever way, and all sessions end at once, also what is under way to             become one. Another lock takes the place of the first. The reason is for operators, and names nobody.
            """,
        parameters: [user],
        body: .init(schema: "UserLock", example: ["reason": "reported stolen", "until": 1_790_086_400]),
        successes: [
            answer("The user is locked.", "UserLocked", ["user_id": 7, "locked": true, "until": 1_790_086_400])
        ],
        errors: one)

    static let unlock = OperationDescription(
        id: "unlockUser", tag: .users, summary: "Unlock a user",
        description: "By every identity, also after a provider's lock. The user must sign in anew at the provider.",
        parameters: [user],
        successes: [answer("The user may sign in.", "UserLocked", ["user_id": 7, "locked": false])], errors: one)

    static let endAllSessions = OperationDescription(
        id: "endAllSessions", tag: .users, summary: "End all sessions of an app, of a provider, or of everybody",
        description: """
            Give one of `app`, `provider` and `all`. They are over at every instance before their rows are removed; the             answer comes after that, which takes some seconds for a million.
            """,
        parameters: [
            query("app", "The app's name, or its `client_id`."), query("provider", "The provider's name."),
            flag("all", "`true`: everybody's."), reauthenticate,
        ],
        successes: [answer("They have ended.", "AllSessionsEnded", ["sessions_ended": 2])],
        errors: lists + [.unknownClient, .unknownProvider])

    static let endSession = OperationDescription(
        id: "endSessionOfUser", tag: .users, summary: "End one session", description: "At once.",
        parameters: [
            [
                "name": "session_id", "in": "path", "required": true, "description": "The session's name.",
                "schema": ["type": "string"], "example": "0000006ab3f58a17c2f1d0e94b3a5c77",
            ]
        ],
        successes: [
            answer(
                "It has ended.", "SessionEnded",
                ["session_id": "0000006ab3f58a17c2f1d0e94b3a5c77", "sessions_ended": 1])
        ], errors: one)

    private static let reauthenticate = flag(
        "reauthenticate", "`true`: the users must authenticate anew at their provider, whenever they come back.")

    private static func flag(_ name: String, _ description: String) -> JSONValue {
        [
            "name": .string(name), "in": "query", "required": false, "description": .string(description),
            "schema": ["type": "boolean", "default": false],
        ]
    }

    static let signIns = OperationDescription(
        id: "listSignIns", tag: .records, summary: "Find why a sign-in failed, and see how often they do",
        description: """
            By minute, provider, reason and network, the oldest first, each with a sentence for the user. By `request_id`, which \
            the error has that an app shows, or by `correlation_id` those are found among which that sign-in is: the first \
            sixteen names of a count, and 128 of a minute. Nobody can list the names.
            """,
        parameters: failedSignInParameters,
        successes: [answer("The counts.", "FailedSignInPage", ["failed_sign_ins": []])], errors: lists)

    static let failedSignIns = OperationDescription(
        id: "listFailedSignIns", tag: .records, summary: "See how often sign-ins failed",
        description: "The former name of `GET /admin/sign-ins`.",
        parameters: failedSignInParameters,
        successes: [answer("The counts.", "FailedSignInPage", ["failed_sign_ins": []])], errors: lists)

    private static let failedSignInParameters: [JSONValue] =
        [
            query("request_id", "What the answer to it has in `request_id`, as its app may show it."),
            [
                "name": "correlation_id", "in": "query", "required": false,
                "description": "What a sign-in is called in the log, as its app may show it.",
                "schema": ["type": "string", "maxLength": 64],
            ],
            query("provider", "Of this provider only."),
            number("since", "Counts that ended at this second or later, since 1970."),
            number("until", "Counts that ended before this second, since 1970."),
        ] + page

    static let audit = OperationDescription(
        id: "listAuditEvents", tag: .records, summary: "Read the audit trail",
        description: """
            The newest events first, unless `order=asc`. Who goes on by `cursor` misses none, whatever is written meanwhile, and             can follow the trail with `order=asc`. `after` does the same by the number of an event, the oldest first.
            """,
        parameters: page + [
            number("user", "Events of this user only."), query("event", "Events of this kind only."),
            query("actor", "Events by this actor only, such as `operator:anna`."),
            number("since", "Events from this second on, since 1970."),
            number("until", "Events before this second, since 1970."),
            query("order", "`desc` for the newest first, `asc` for the oldest first."),
            query("cursor", "The `next_cursor` of the page before, with the same `order`."),
        ],
        successes: [answer("The events.", "AuditPage", ["events": []])], errors: lists)

    private static let lists: [ErrorCode] = [.invalidRequest, .storageUnavailable]
    private static let one: [ErrorCode] = [.invalidRequest, .notFound, .storageUnavailable]

    private static func answer(
        _ description: String, _ schema: String, _ example: JSONValue? = nil
    ) -> OperationDescription.Success {
        .init(
            description: description, schema: Reference.schema(schema), example: example, headers: [.cacheControl])
    }

    private static let user: JSONValue = [
        "name": "user_id", "in": "path", "required": true, "description": "The user's number here.",
        "schema": ["type": "integer", "format": "int64", "minimum": 1], "example": 7,
    ]

    private static let page: [JSONValue] = [
        number("after", "The `next_after` of the page before."),
        [
            "name": "limit", "in": "query", "required": false,
            "description": "How many entries a page has; 100 unless given.",
            "schema": [
                "type": "integer", "format": "int64", "minimum": 1,
                "maximum": .integer(Int64(QueryParameters.maximumLimit)),
            ],
        ],
    ]

    private static func number(_ name: String, _ description: String) -> JSONValue {
        [
            "name": .string(name), "in": "query", "required": false, "description": .string(description),
            "schema": ["type": "integer", "format": "int64", "minimum": 0],
        ]
    }

    private static func query(_ name: String, _ description: String) -> JSONValue {
        [
            "name": .string(name), "in": "query", "required": false, "description": .string(description),
            "schema": ["type": "string"],
        ]
    }
}

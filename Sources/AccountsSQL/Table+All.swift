package import Accounts

extension Table {
    /// Every table but `meta` and `reseal` (``CopiedHead``), each after those that its rows refer to.
    package static let all = keys + accounts + used + browser + records

    // In the order of the walks the sealed columns have the numbers 0 to 8 (``SealedColumn``).
    private static let keys = [
        Table("key_ring", key: [.integer("number")], [.bytes("sealed_key"), .integer("created")]),
        Table(
            "secret_keys", key: [.integer("number")],
            [.text("purpose"), .sealed("sealed_key", Seal(number: 4, label: "purpose")), .integer("created")],
            isNumbered: true),
        Table(
            "signing_keys", key: [.text("kid")],
            [
                .sealed(
                    "private_key",
                    Seal(
                        number: 2, label: "purpose", unwritten: SigningKeyEntry.Purpose.session.rawValue,
                        unless: "retired")),
                .integer("created"), .integer("signs_from"), .text("purpose"), .integer("lasting"),
                .integer("retired").optional,
            ]),
    ]

    /// The numbers of users tell how many there have been.
    static let users = Table(
        "users", key: [.integer("id")],
        [.text("reference"), .sealed("profile", Seal(number: 0)), .integer("created"), .integer("updated")],
        isNumbered: true)

    private static let accounts = [
        users,
        Table(
            "identities", key: [.integer("id")],
            [
                .integer("user_id"), .text("provider"), .text("issuer"), .text("subject"), .text("origin"),
                .integer("linked"), .integer("last_sign_in"), .integer("room"), .integer("room_of"),
                .integer("exchange_room"), .integer("exchange_room_of"),
                .integer("email_stopped"), .integer("email_said").optional, .integer("not_before"),
                .integer("authenticated_after").optional, .integer("locked_until"),
            ], owner: .user("user_id", merged: .decided), isNumbered: true),
        Table(
            "locks", key: [.integer("user_id"), .integer("identity_id")],
            [.text("cause"), .text("reason").optional, .integer("since"), .integer("until").optional],
            owner: .user("user_id", merged: .decided)),
        Table(
            "consents", key: [.integer("user_id"), .text("client")], [.text("scope"), .integer("agreed")],
            owner: .user("user_id", merged: .goes)),
        Table(
            "sessions", key: [SessionColumn.id.column],
            SessionColumn.stored.filter { $0 != .id }.map(\.column), bond: .user(SessionColumn.user.name)),
        // Those of sessions that were revoked before name no session any more; their expiry removes them.
        Table(
            "retired_refresh_tokens", key: [.bytes("session_id"), .bytes("hash")], [.integer("expires")],
            bond: .session("session_id"), expiry: "expires"),
        Table(
            "grants", key: [.integer("identity_id")],
            [
                .integer("version"), .sealed("tokens", Seal(number: 5)).optional, .integer("expires").optional,
                .integer("obtained"), .bytes("leased_by").optional, .integer("leased_until").optional,
                .integer("ended").optional, .integer("asked"),
            ], owner: .identity("identity_id")),
        Table(
            "kept_id_tokens", key: [.bytes("session_id")], [.sealed("token", Seal(number: 6))],
            owner: .session("session_id")),
        Table(
            "cross_client_keys", key: [.text("issuer"), .bytes("hash"), .integer("identity_id")], [],
            owner: .identity("identity_id")),
        Table(
            "transfer_subjects", key: [.bytes("hash")], [.integer("identity_id"), .text("team")],
            owner: .identity("identity_id")),
        Table(
            "contacts", key: [.integer("user_id"), .bytes("hash"), .integer("standing"), .text("provider")], [],
            owner: .user("user_id", merged: .decided)),
        Table("contact_walk", key: [.integer("key_number")], [.integer("position")]),
        Table(
            "directory_users", key: [.integer("user_id"), .text("provider")],
            [
                .bytes("name_hash").optional, .bytes("email_hash").optional, .text("external_id"),
                .bytes("external_hash"), .text("directory_id").optional, .bytes("directory_hash").optional,
                .integer("created"), .integer("joined").optional, .integer("mails"), .integer("mailed_since"),
                .bytes("recipient_hash").optional, .bytes("wanted_hash").optional,
            ], owner: .user("user_id", merged: .decided)),
    ]

    static let usedCodes = Table(
        "used_codes", key: [.integer("expires"), .bytes("hash")], [.bytes("answer").optional], expiry: "expires",
        lingers: false)

    private static let used = [
        usedCodes,
        Table("used_port_tokens", key: [.bytes("hash")], [.integer("expires")], expiry: "expires"),
        Table("used_challenges", key: [.bytes("hash")], [.integer("expires")], expiry: "expires"),
        Table("seen_tokens", key: [.bytes("hash")], [.integer("expires")], expiry: "expires"),
        // Some stay; the numbers of users are of those who are gone.
        Table(
            "not_before", key: [.text("key")],
            [
                .integer("at"), .integer("authenticated_after").optional, .bytes("sessions_before").optional,
                .integer("user_id").optional,
                .integer("expires").optional,
            ], expiry: "expires"),
    ]

    private static let browser = [
        Table(
            "tickets", key: [.bytes("hash")],
            [
                .text("provider"), .text("issuer"), .text("subject"), .text("client"),
                .sealed("profile", Seal(number: 1)), .sealed("tokens", Seal(number: 7)).optional,
                .text("acr").optional, .text("amr"), .integer("auth_time").optional, .integer("authenticated"),
                .bytes("upstream_sid").optional, .integer("expires"), .integer("challenged").optional,
                .integer("source"), .integer("created"), .bytes("answer").optional,
                .text("scope").optional, .text("audience").optional,
            ], bond: .subject("subject", issuer: "issuer"), expiry: "expires"),
        Table(
            "pending_sign_ins", key: [.integer("number")],
            [
                .bytes("handle"), .bytes("browser"), .bytes("content"), .integer("expires"), .integer("narrow"),
                .integer("wide"), .integer("size"),
            ], expiry: "expires", lingers: false, isNumbered: true),
        // A session that has ended is not found, and nothing else is made of a code, or of a push below.
        Table(
            "app_codes", key: [.bytes("hash")],
            [
                .bytes("session_id"), .text("client"), .text("redirect_uri"), .text("code_challenge"),
                .text("nonce").optional, .integer("redeemed"), .integer("expires"), .bytes("answer").optional,
            ], expiry: "expires"),
        Table(
            "pushes", key: [.integer("number")],
            [
                .bytes("handle"), .bytes("notification"), .bytes("request"), .bytes("expectation"),
                .bytes("carrier_id").optional, .integer("state"), .bytes("session_id").optional,
                .bytes("ticket").optional, .bytes("notified").optional, .integer("fetched").optional,
                .integer("expires"), .integer("forgotten"),
            ], expiry: "forgotten", isNumbered: true),
    ]

    private static let records = [
        Table("budgets", key: [.bytes("hash")], [.integer("taken"), .integer("expires")], expiry: "expires"),
        // In the order of numbers, whatever else an engine goes by.
        Table("audit", key: [.integer("id")], AuditColumn.allCases.map(\.column), isNumbered: true),
        Table(
            "audit_repeats", key: [.text("thing")], [.integer("since"), .integer("row_id"), .integer("count")]),
        Table("ledger", key: [.integer("number")], [.text("line")], isNumbered: true),
        Table(
            "receipts", key: [.text("id")],
            [
                .integer("user_id"), .bytes("session_id"), .bytes("context_hash"), .text("acr").optional, .text("amr"),
                .integer("auth_time").optional, .text("nonce").optional, .text("provider"), .text("client"),
                .integer("created"),
            ], owner: .user("user_id", merged: .moves)),
        Table(
            "failed_sign_ins", key: [.integer("id")],
            [
                .integer("at"), .text("provider").optional, .text("reason"), .text("network").optional,
                .integer("count"), .integer("expires"), .text("correlations").optional,
            ], expiry: "expires", isNumbered: true),
        // It outlives whom it is about.
        Table(
            "outbox", key: [.integer("number")],
            [
                .text("kind"), .text("provider"), .text("issuer"), .sealed("content", Seal(number: 8)),
                .integer("user_id"), .integer("identity_id"), .integer("created"), .integer("due"),
                .integer("attempts"), .integer("network"), .integer("turn"),
            ], isNumbered: true),
    ]
}

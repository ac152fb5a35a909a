extension CopiedTable {
    /// Every table but `meta` and `reseal` (``CopiedHead``), each after those that its rows refer to.
    package static let all = keys + accounts + used + browser + records

    private static let keys = [
        CopiedTable("key_ring", key: [.integer("number")], [.bytes("sealed_key"), .integer("created")]),
        CopiedTable(
            "secret_keys", key: [.integer("number")], isNumbered: true,
            [.text("purpose"), .bytes("sealed_key"), .integer("created")]),
        CopiedTable(
            "signing_keys", key: [.text("kid")],
            [
                .bytes("private_key"), .integer("created"), .integer("signs_from"), .text("purpose"),
                .integer("lasting"), .integer("retired"),
            ]),
        CopiedTable(
            "unlock_keys", key: [.bytes("id")],
            [.bytes("content"), .integer("failures"), .integer("created"), .integer("used")]),
    ]

    /// The numbers of users tell how many there have been.
    static let users = CopiedTable(
        "users", key: [.integer("id")], isNumbered: true,
        [.text("reference"), .bytes("profile"), .integer("created"), .integer("updated")])

    private static let accounts = [
        users,
        CopiedTable(
            "identities", key: [.integer("id")], isNumbered: true,
            [
                .integer("user_id"), .text("provider"), .text("issuer"), .text("subject"), .text("origin"),
                .integer("linked"), .integer("last_sign_in"), .integer("room"), .integer("room_of"),
                .integer("email_stopped"), .integer("email_said"),
            ]),
        CopiedTable(
            "sessions", key: [SessionColumn.id.column], SessionColumn.allCases.filter { $0 != .id }.map(\.column)),
        CopiedTable("retired_refresh_tokens", key: [.bytes("session_id"), .bytes("hash")], [.integer("expires")]),
        CopiedTable(
            "grants", key: [.integer("identity_id")],
            [
                .integer("version"), .bytes("tokens"), .integer("expires"), .integer("obtained"), .bytes("leased_by"),
                .integer("leased_until"), .integer("ended"),
            ]),
        CopiedTable("kept_id_tokens", key: [.bytes("session_id")], [.bytes("token")]),
        CopiedTable("cross_client_keys", key: [.text("issuer"), .bytes("hash"), .integer("identity_id")], []),
        CopiedTable("transfer_subjects", key: [.bytes("hash")], [.integer("identity_id"), .text("team")]),
        CopiedTable(
            "contacts", key: [.integer("user_id"), .bytes("hash"), .integer("standing"), .text("provider")], []),
        CopiedTable("contact_walk", key: [.integer("key_number")], [.integer("position")]),
        CopiedTable(
            "directory_users", key: [.integer("user_id"), .text("provider")],
            [
                .bytes("name_hash"), .bytes("email_hash"), .text("external_id"), .bytes("external_hash"),
                .text("directory_id"), .bytes("directory_hash"), .integer("created"), .integer("joined"),
                .integer("mails"), .integer("mailed_since"),
            ]),
    ]

    // One that its issuer has not taken (state 2) is nobody's, and one that was claimed may have been sent.
    static let usedCodes = CopiedTable(
        "used_codes", key: [.integer("expires"), .bytes("hash")], [],
        inPostgres: Addition(values: [("owner", "0"), ("state", "1")], condition: "state <> 2 AND "))

    private static let used = [
        usedCodes,
        CopiedTable("used_port_tokens", key: [.bytes("hash")], [.integer("expires")]),
        CopiedTable("used_challenges", key: [.bytes("hash")], [.integer("expires")]),
    ]

    private static let browser = [
        CopiedTable(
            "tickets", key: [.bytes("hash")],
            [
                .text("provider"), .text("issuer"), .text("subject"), .text("client"), .bytes("profile"),
                .bytes("tokens"), .text("acr"), .text("amr"), .integer("auth_time"), .integer("authenticated"),
                .bytes("upstream_sid"), .integer("expires"),
            ]),
        CopiedTable(
            "pending_sign_ins", key: [.integer("number")], isNumbered: true,
            [.bytes("handle"), .bytes("browser"), .bytes("content"), .integer("expires")]),
        CopiedTable(
            "app_codes", key: [.bytes("hash")],
            [
                .bytes("session_id"), .text("client"), .text("redirect_uri"), .text("code_challenge"), .text("nonce"),
                .integer("redeemed"), .integer("expires"),
            ]),
        CopiedTable(
            "pushes", key: [.integer("number")], isNumbered: true,
            [
                .bytes("handle"), .bytes("notification"), .bytes("request"), .bytes("expectation"),
                .bytes("carrier_id"), .integer("state"), .bytes("session_id"), .bytes("ticket"), .bytes("notified"),
                .integer("fetched"), .integer("expires"), .integer("forgotten"),
            ]),
    ]

    private static let records = [
        // In the order of numbers, whatever else an engine goes by.
        CopiedTable(
            "audit", key: [.integer("id")], isNumbered: true,
            [
                .integer("at"), .text("event"), .integer("user_id"), .integer("old_identity"),
                .integer("new_identity"),
            ]),
        CopiedTable("ledger", key: [.integer("number")], isNumbered: true, [.text("line")]),
        CopiedTable(
            "receipts", key: [.text("id")],
            [
                .integer("user_id"), .bytes("session_id"), .bytes("context_hash"), .text("acr"), .text("amr"),
                .integer("auth_time"), .text("nonce"), .text("provider"), .text("client"), .integer("created"),
            ]),
        CopiedTable(
            "failed_sign_ins", key: [.integer("id")], isNumbered: true,
            [
                .integer("at"), .text("provider"), .text("reason"), .text("network"), .integer("count"),
                .integer("expires"),
            ]),
        CopiedTable(
            "outbox", key: [.integer("number")], isNumbered: true,
            [
                .text("kind"), .text("provider"), .text("issuer"), .bytes("content"), .integer("user_id"),
                .integer("identity_id"), .integer("created"), .integer("due"), .integer("attempts"),
            ]),
    ]
}

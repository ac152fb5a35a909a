package import Accounts

/// The columns of the table `sessions`, each once: SELECT and INSERT lists of both engines, what is bound and read, and
/// the copy of the table are made of this list.
///
/// A column that comes later is a case here and a step of each engine's schema. It does not compile before it is said
/// what it is (``column``) and what a session that is opened has in it (``opening``); what a ``Session`` tells of it is
/// demanded by that one's initialiser.
package enum SessionColumn: Int, CaseIterable, Sendable {
    // What a `Session` is read from, in the order of its places in a row.
    case id, user, family, generation, rotated, expires, created, userAgent, acr, methods, authTime, provider, client
    case identity, authenticated, scope, audience, challenged, source, declined, mergeOffered
    // Of the user's row, with which it is read; no column of the table.
    case userReference
    // What is left of refresh tokens of the earlier form, in the order of `EarlierTokenColumns`.
    case refreshHash, previousHash, nextWrapped
    // How often the current refresh token was given again late, in the order of `LateRepeatColumns`.
    case lateRepeats, lateGenerations
    // What a session is found by, and not asked for.
    case upstreamSession

    /// Its name, and what it holds.
    package var column: Table.Column {
        switch self {
        case .id: .bytes("id")
        case .user: .integer("user_id")
        case .family: .bytes("family")
        case .generation: .integer("generation")
        case .rotated: .integer("rotated").optional
        case .expires: .integer("expires")
        case .created: .integer("created")
        case .userAgent: .text("user_agent").optional
        case .acr: .text("acr").optional
        case .methods: .text("amr")
        case .authTime: .integer("auth_time").optional
        case .provider: .text("provider")
        case .client: .text("client")
        case .identity: .integer("identity_id").optional
        case .authenticated: .integer("authenticated")
        case .scope: .text("scope").optional
        case .audience: .text("audience").optional
        case .challenged: .integer("challenged").optional
        case .source: .integer("source")
        case .declined: .text("declined").optional
        case .mergeOffered: .integer("merge_offered").optional
        case .userReference: .text("reference")
        case .refreshHash: .bytes("refresh_hash").noneOrEmpty
        case .previousHash: .bytes("previous_hash").optional
        case .nextWrapped: .bytes("next_wrapped").optional
        case .lateRepeats: .integer("late_repeats")
        case .lateGenerations: .integer("late_generations")
        case .upstreamSession: .bytes("upstream_sid").optional
        }
    }

    /// Where a session that is opened has its value from.
    package enum Opening: Sendable {
        case session(@Sendable (NewSession) -> ColumnValue)
        // What the transaction that opens it knows, be it from a row that it has just made.
        case user, identity, provider, now
        /// Bytes where an engine demands some; there are none.
        case noBytes
        case nothing
    }

    package var opening: Opening {
        switch self {
        case .id: .session { .session($0.id) }
        case .user: .user
        case .family: .session { .session($0.family) }
        case .generation: .session { _ in .integer(Session.firstGeneration) }
        case .rotated: .nothing
        case .expires: .session { .integer($0.expiresAt) }
        case .created: .now
        case .userAgent: .session { .optional($0.userAgent) }
        case .acr: .session { .optional($0.authentication.acr) }
        case .methods: .session { .text($0.authentication.methods) }
        case .authTime: .session { .optional($0.authentication.time) }
        case .provider: .provider
        case .client: .session { .text($0.client) }
        case .identity: .identity
        case .authenticated: .session { .integer($0.authenticatedAt) }
        case .scope: .session { .optional($0.scope) }
        case .audience: .session { .optional($0.audience) }
        case .challenged: .session { .optional($0.challengedAt) }
        case .source: .session { .integer($0.source.rawValue) }
        case .declined: .session { .optional($0.declined) }
        case .mergeOffered: .session { $0.isMergeOffered ? .integer(1) : .null }
        case .refreshHash: .noBytes
        case .userReference, .previousHash, .nextWrapped, .lateRepeats, .lateGenerations: .nothing
        case .upstreamSession: .session { .optional($0.upstreamSession) }
        }
    }
}

extension SessionColumn {
    package var name: String { column.name }

    /// The SELECT list of what a session is read from.
    package static let readNames = names(allCases.prefix { $0 != .refreshHash })
    /// How many they are, and what they are called where they stand beside a user's.
    package static let readCount = allCases.prefix { $0 != .refreshHash }.count
    package static let readNamesOfHolder = allCases.prefix { $0 != .refreshHash }
        .map { $0 == .user ? "holder_user" : "holder_" + $0.name }.joined(separator: ", ")
    /// The same with what is left of refresh tokens of the earlier form.
    static let readNamesWithTokens = names(allCases.prefix { $0 != .upstreamSession })

    /// Those that are in the table.
    static let stored = allCases.filter { $0 != .userReference }

    private static func names(_ columns: some Sequence<SessionColumn>) -> String {
        columns.map { $0 == .userReference ? "(SELECT reference FROM users WHERE users.id = user_id)" : $0.name }
            .joined(separator: ", ")
    }
}

extension Session {
    /// Reads a row of ``SessionColumn/readNames``.
    package init(_ row: some ReadableRow) throws(RepositoryError) {
        let authentication = Authentication(
            acr: try row.optionalText(.acr), methods: try row.text(.methods), time: try row.optionalInteger(.authTime))
        self.init(
            id: try row.sessionID(.id), user: UserID(rawValue: try row.integer(.user)),
            userReference: try row.text(.userReference), family: try row.sessionID(.family),
            generation: try row.integer(.generation),
            rotatedAt: try row.optionalInteger(.rotated), expiresAt: try row.integer(.expires),
            createdAt: try row.integer(.created), userAgent: try row.optionalText(.userAgent),
            authentication: authentication,
            authenticatedAt: authentication.authenticatedAt(stored: try row.integer(.authenticated)),
            challengedAt: try row.optionalInteger(.challenged), provider: try row.text(.provider),
            client: try row.text(.client), identity: try row.optionalInteger(.identity).map(IdentityID.init(rawValue:)),
            scope: try row.optionalText(.scope), audience: try row.optionalText(.audience),
            // One that a later version knows is bounded there.
            source: SessionSource(rawValue: try row.integer(.source)) ?? .signIn,
            declined: try row.optionalText(.declined),
            isMergeOffered: try row.optionalInteger(.mergeOffered) != nil)
    }
}

extension ReadableRow {
    fileprivate func integer(_ column: SessionColumn) throws(RepositoryError) -> Int64 {
        try integer(column.rawValue)
    }

    fileprivate func optionalInteger(_ column: SessionColumn) throws(RepositoryError) -> Int64? {
        try optionalInteger(column.rawValue)
    }

    fileprivate func text(_ column: SessionColumn) throws(RepositoryError) -> String { try text(column.rawValue) }

    fileprivate func optionalText(_ column: SessionColumn) throws(RepositoryError) -> String? {
        try optionalText(column.rawValue)
    }

    fileprivate func sessionID(_ column: SessionColumn) throws(RepositoryError) -> SessionID {
        try sessionID(column.rawValue)
    }
}

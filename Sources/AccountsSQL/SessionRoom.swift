import Accounts

/// Room for one more session of a user, among those of one source and of one app. The other sources' neither count nor
/// end for it.
///
/// Counting a user's sessions at each sign-in would cost it up to two percent. So an identity knows how many sessions
/// may be opened by it before they are counted again, in the row that a sign-in writes anyway. What all identities of a
/// user know together is never more than there is room for: counting gives all of it to the one that is signed in by,
/// and every sign-in takes one away. Sessions that end meanwhile make more room than is known, which the next count
/// finds. Room that was known under other limits counts for nothing. Each source has columns of its own.
struct SessionRoom {
    struct Queries {
        let counts: Query
        let surplus: Query
        let end: Query
        let give: Query

        init(_ source: SessionSource) {
            let app = "CASE WHEN scope IS NOT NULL THEN client ELSE '' END"
            let ofUser = "FROM sessions WHERE user_id = ?1 AND source = \(source.rawValue)"
            counts = Query("SELECT \(app), count(*) \(ofUser) GROUP BY 1")
            // The entries of an index on the user are in the order of session names, which is that of time.
            surplus = Query(
                "SELECT id \(ofUser) AND \(app) = ?2 ORDER BY user_id DESC, id DESC LIMIT 1 OFFSET CAST(?3 AS BIGINT)")
            end = Query("DELETE \(ofUser) AND \(app) = ?2 AND id <= ?3")
            give = Query(
                """
                UPDATE identities SET \(source.roomOf) = ?3, \(source.room) = CASE id WHEN ?2 THEN ?4 ELSE 0 END
                WHERE user_id = ?1
                """)
        }

        static let ofSignIns = Queries(.signIn)
        static let ofExchanges = Queries(.tokenExchange)
    }

    let connection: any StoreConnection
    let source: SessionSource
    let limits: SessionLimits

    private var queries: Queries {
        switch source {
        case .signIn: .ofSignIns
        case .tokenExchange: .ofExchanges
        }
    }

    /// Ends sessions where there is no room, the oldest of an app first, and counts what is left.
    ///
    /// - Parameters:
    ///   - identity: by which the next session is opened.
    ///   - app: of ours, whose it is; nil for none.
    func make(for user: UserID, _ identity: IdentityID, opening app: String?) throws(RepositoryError) {
        let app = app ?? ""
        var counts: [String: Int64] = [:]
        try connection.forEach(queries.counts, user) { row in counts[row.text(0)] = row.integer(1) }
        let kept = limits.kept(of: counts, opening: app)
        for (app, count) in kept where count < counts[app, default: 0] {
            let surplus = try connection.first(queries.surplus, user, app, count) { row throws(RepositoryError) in
                try row.sessionID(0)
            }
            if let surplus { try connection.run(queries.end, user, app, surplus) }
        }
        try connection.run(
            queries.give, user, identity, limits.number, limits.room(beside: kept, opening: app))
    }
}

import Accounts

/// Room for one more session of a user, among those of one source. The other sources' neither count nor end for it.
///
/// Counting a user's sessions at each sign-in would cost it up to two percent. So an identity knows how many sessions
/// may be opened by it before they are counted again, in the row that a sign-in writes anyway. What all identities of a
/// user know together is never more than there is room for: counting gives all of it to the one that is signed in by,
/// and every sign-in takes one away. Sessions that end meanwhile make more room than is known, which the next count
/// finds. Room that was known under another maximum counts for nothing. Each source has columns of its own.
struct SessionRoom {
    struct Queries {
        let surplus: Query
        let end: Query
        let count: Query
        let give: Query

        init(_ source: SessionSource) {
            // The entries of an index on the user are in the order of session names, which is that of time.
            surplus = Query(
                """
                SELECT id FROM sessions WHERE user_id = ?1 AND source = \(source.rawValue)
                ORDER BY user_id DESC, id DESC LIMIT 1 OFFSET ?2 - 1
                """)
            end = Query("DELETE FROM sessions WHERE user_id = ? AND id <= ? AND source = \(source.rawValue)")
            count = Query("SELECT count(*) FROM sessions WHERE user_id = ? AND source = \(source.rawValue)")
            give = Query(
                """
                UPDATE identities SET \(source.roomOf) = ?3, \(source.room) = CASE id WHEN ?2 THEN ?4 ELSE 0 END
                WHERE user_id = ?1
                """)
        }

        static let ofSignIns = Queries(.signIn)
        static let ofExchanges = Queries(.tokenExchange)
    }

    let connection: any Connection
    let source: SessionSource
    /// How many sessions of that source a user may have.
    let maximum: Int64

    private var queries: Queries {
        switch source {
        case .signIn: .ofSignIns
        case .tokenExchange: .ofExchanges
        }
    }

    /// Ends the oldest sessions where there is no room, and counts what is left.
    ///
    /// - Parameter identity: by which the next session is opened.
    func make(for user: UserID, _ identity: IdentityID) throws(RepositoryError) {
        let surplus = try connection.first(queries.surplus, user, maximum) { row throws(RepositoryError) in
            try row.sessionID(0)
        }
        let left: Int64
        if let surplus {
            try connection.run(queries.end, user, surplus)
            left = maximum - 1
        } else {
            left = try connection.first(queries.count, user) { $0.integer(0) } ?? 0
        }
        try connection.run(queries.give, user, identity, maximum, maximum - left - 1)
    }
}

public import Accounts

/// What a list of users tells of each.
struct Summaries {
    private static let summary = """
        SELECT id, created, updated, (SELECT count(*) FROM identities WHERE user_id = users.id),
            (SELECT nullif(max(last_sign_in), 0) FROM identities WHERE user_id = users.id)
        FROM users
        """
    static let page = Query("\(summary) WHERE id > ? ORDER BY id LIMIT ?")
    static let pageOfProvider = Query(
        """
        \(summary) WHERE id IN (
            SELECT user_id FROM identities WHERE provider = ?2 AND user_id > ?1 GROUP BY user_id ORDER BY user_id LIMIT ?3
        ) ORDER BY id
        """)
    private static let ofUser = Query("\(summary) WHERE id = ?")
    static let ownerOfReference = Query("SELECT id FROM users WHERE reference = ?")
    static let ownerOfSubject = Query("SELECT user_id FROM identities WHERE subject = ? AND issuer = ?")

    static let sessions = Query(
        """
        SELECT provider, CASE WHEN scope IS NOT NULL THEN client END AS app, acr, count(*)
        FROM sessions WHERE expires > ? GROUP BY 1, 2, 3
        """)

    static func find(_ user: UserID, _ connection: any StoreConnection) throws(RepositoryError) -> UserSummary? {
        try connection.first(ofUser, user) { read($0) }
    }

    static func read(_ row: any Statement) -> UserSummary {
        UserSummary(
            id: UserID(rawValue: row.integer(0)), createdAt: row.integer(1), updatedAt: row.integer(2),
            identities: Int(row.integer(3)), lastSignInAt: row.optionalInteger(4))
    }
}

/// What operators ask. It may take its time, so it keeps no sign-in waiting.
extension SQLStore {
    public func users(
        after: UserID?, limit: Int, provider: String?
    ) async throws(RepositoryError) -> [UserSummary] {
        try await readAside { connection throws(RepositoryError) in
            let first = after?.rawValue ?? 0
            guard let provider else {
                return try connection.all(Summaries.page, first, Int64(limit)) { Summaries.read($0) }
            }
            return try connection.all(Summaries.pageOfProvider, first, provider, Int64(limit)) { Summaries.read($0) }
        }
    }

    public func user(with subject: Subject) async throws(RepositoryError) -> UserID? {
        try await readAside { connection throws(RepositoryError) in
            for subject in [subject] + connection.formerIssuers.subjects(subject) {
                let owner = try connection.first(Summaries.ownerOfSubject, subject.value, subject.issuer) {
                    UserID(rawValue: $0.integer(0))
                }
                if let owner { return owner }
            }
            return nil
        }
    }

    public func user(reference: String) async throws(RepositoryError) -> UserID? {
        try await readAside { connection throws(RepositoryError) in
            try connection.first(Summaries.ownerOfReference, reference) { UserID(rawValue: $0.integer(0)) }
        }
    }

    public func sessionCounts(now: Int64) async throws(RepositoryError) -> [SessionCount] {
        try await readAside { connection throws(RepositoryError) in
            try connection.all(Summaries.sessions, now) { row in
                SessionCount(
                    provider: row.text(0), app: row.optionalText(1), acr: row.optionalText(2),
                    count: Int(row.integer(3)))
            }
        }
    }

    public func userCount() async throws(RepositoryError) -> Int {
        try await readAside { connection throws(RepositoryError) in try connection.userCount() }
    }

    public func record(of user: UserID, now: Int64) async throws(RepositoryError) -> UserRecord? {
        try await readAside { [sealer, tables] connection throws(RepositoryError) in
            try connection.snapshot { () throws(RepositoryError) -> UserRecord? in
                guard let found = try UserRows(connection: connection, sealer: sealer).find(user) else { return nil }
                let lock = try LockRows(connection: connection, now: now).find(user)
                return UserRecord(
                    user: found, lock: lock?.holds(now: now) == true ? lock : nil,
                    identities: try IdentityRows(connection: connection).all(of: user),
                    sessions: try SessionRows(connection: connection).live(of: user, now: now),
                    consents: try ConsentRows(connection: connection, now: now).all(of: user),
                    receipts: try ReceiptRows(connection: connection).all(of: user),
                    grants: try GrantRows(connection: connection, sealer: sealer, now: now).all(of: user),
                    auditEvents: try AuditTrail.events(of: user, connection),
                    tables: try AddedRows(connection: connection, sealer: sealer, tables: tables, now: nil)
                        .all(of: user))
            }
        }
    }

    public func auditPage(_ query: AuditQuery) async throws(RepositoryError) -> AuditPage? {
        guard let select = AuditSelect(query, by: .number) else { return nil }
        return try await readAside { connection throws(RepositoryError) in
            let statement = try connection.statement(select.prepared)
            defer { statement.reset() }
            for (index, value) in select.values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
            var events: [AuditEvent] = []
            while try statement.step() { events.append(try AuditColumn.event(StatementRow(statement))) }
            return AuditPage(events, ranks: events.map { _ in 0 }, .number, query)
        }
    }
}

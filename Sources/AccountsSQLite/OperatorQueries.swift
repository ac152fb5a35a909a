public import Accounts

/// What operators ask. It may take its time, so it runs on a connection of its own and keeps no sign-in waiting.
extension SQLiteAccounts {
    private static let summary = """
        SELECT id, created, updated, (SELECT count(*) FROM identities WHERE user_id = users.id),
            (SELECT nullif(max(last_sign_in), 0) FROM identities WHERE user_id = users.id)
        FROM users
        """
    private static let page = Query("\(summary) WHERE id > ? ORDER BY id LIMIT ?")
    private static let pageOfProvider = Query(
        """
        \(summary) WHERE id > ?
            AND EXISTS (SELECT 1 FROM identities WHERE user_id = users.id AND provider = ?) ORDER BY id LIMIT ?
        """)
    private static let ofUser = Query("\(summary) WHERE id = ?")
    private static let ownerOfSubject = Query("SELECT user_id FROM identities WHERE subject = ? AND issuer = ?")
    // User numbers have no gaps but the erased ones, so nobody needs to be counted.
    private static let count = Query(
        """
        SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'users'), 0)
            - (SELECT value FROM meta WHERE name = 'erased_users')
        """)

    public func users(
        after: UserID?, limit: Int, provider: String?
    ) async throws(RepositoryError) -> [UserSummary] {
        try await operatorReader.read { connection throws(RepositoryError) in
            let first = after?.rawValue ?? 0
            guard let provider else {
                return try connection.all(Self.page, first, Int64(limit)) { Self.summary($0) }
            }
            return try connection.all(Self.pageOfProvider, first, provider, Int64(limit)) { Self.summary($0) }
        }
    }

    public func user(with subject: Subject) async throws(RepositoryError) -> UserID? {
        try await operatorReader.read { connection throws(RepositoryError) in
            try connection.first(Self.ownerOfSubject, subject.value, subject.issuer) { UserID(rawValue: $0.integer(0)) }
        }
    }

    public func record(of user: UserID, now: Int64) async throws(RepositoryError) -> UserRecord? {
        try await operatorReader.read { [sealer] connection throws(RepositoryError) in
            try connection.snapshot { () throws(RepositoryError) -> UserRecord? in
                guard let found = try UserRows(connection: connection, sealer: sealer).find(user) else { return nil }
                return UserRecord(
                    user: found, identities: try IdentityRows(connection: connection).all(of: user),
                    sessions: try SessionRows(connection: connection).live(of: user, now: now),
                    receipts: try ReceiptRows(connection: connection).all(of: user),
                    grants: try GrantRows(connection: connection, sealer: sealer, now: now).all(of: user),
                    auditEvents: try AuditTrail.events(connection, after: 0, limit: .max, user: user))
            }
        }
    }

    public func userCount() async throws(RepositoryError) -> Int {
        try await operatorReader.read { connection throws(RepositoryError) in try Self.userCount(connection) }
    }

    public func auditEvents(
        after id: Int64, limit: Int, user: UserID?
    ) async throws(RepositoryError) -> [AuditEvent] {
        try await operatorReader.read { connection throws(RepositoryError) in
            try AuditTrail.events(connection, after: id, limit: Int64(limit), user: user)
        }
    }

    static func userCount(_ connection: Connection) throws(RepositoryError) -> Int {
        Int(try connection.first(count) { $0.integer(0) } ?? 0)
    }

    static func summary(of user: UserID, _ connection: Connection) throws(RepositoryError) -> UserSummary? {
        try connection.first(ofUser, user) { summary($0) }
    }

    private static func summary(_ row: Statement) -> UserSummary {
        UserSummary(
            id: UserID(rawValue: row.integer(0)), createdAt: row.integer(1), updatedAt: row.integer(2),
            identities: Int(row.integer(3)), lastSignInAt: row.optionalInteger(4))
    }
}

extension Connection {
    private static let begin = Query("BEGIN")
    private static let commit = Query("COMMIT")
    private static let rollback = Query("ROLLBACK")

    /// Reads several things as of one moment.
    func snapshot<Value>(_ body: () throws(RepositoryError) -> Value) throws(RepositoryError) -> Value {
        try run(Self.begin)
        do throws(RepositoryError) {
            let value = try body()
            try run(Self.commit)
            return value
        } catch {
            // Rolling back can fail only when there is nothing left to roll back.
            if isInTransaction { try? run(Self.rollback) }
            throw error
        }
    }
}

/// How often sign-ins failed: counts, of which a minute has a bounded number.
extension SQLiteAccounts {
    private static let addFailed = Query(
        """
        INSERT INTO failed_sign_ins (at, provider, reason, network, count, expires) VALUES (?, ?, ?, ?, ?, ?)
        """)
    private static let failedAfter = Query(
        "SELECT id, at, provider, reason, network, count FROM failed_sign_ins WHERE id > ? ORDER BY id LIMIT ?")

    public func addFailedSignIns(
        _ counts: [FailedSignInCount], at: Int64, expiresAt: Int64
    ) async throws(RepositoryError) {
        try await writer.write { connection throws(RepositoryError) in
            for count in counts {
                try connection.run(
                    Self.addFailed, at, count.provider, count.reason, count.network, Int64(count.count), expiresAt)
            }
        }
    }

    public func failedSignIns(after id: Int64, limit: Int) async throws(RepositoryError) -> [FailedSignIns] {
        try await operatorReader.read { connection throws(RepositoryError) in
            try connection.all(Self.failedAfter, id, Int64(limit)) { row in
                FailedSignIns(
                    id: row.integer(0), at: row.integer(1),
                    count: FailedSignInCount(
                        provider: row.optionalText(2), reason: row.text(3), network: row.optionalText(4),
                        count: Int(row.integer(5))))
            }
        }
    }
}

public import Accounts

/// The receipts table.
struct ReceiptRows {
    private static let insert = Query(
        """
        INSERT INTO receipts
            (id, user_id, session_id, context_hash, acr, auth_time, provider, client, created, nonce, amr)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    private static let ofUser = Query(
        """
        SELECT id, session_id, context_hash, acr, auth_time, provider, client, created, nonce, amr FROM receipts
        WHERE user_id = ? ORDER BY created, id
        """)

    let connection: any StoreConnection

    /// After the code and the challenge were used up.
    func store(_ record: TransactionRecord) throws(RepositoryError) -> ReceiptOutcome {
        guard let user = try SessionRows(connection: connection).find(record.session, now: record.now)?.user
        else { return .refused(.sessionGone) }
        guard let approver = try IdentityRows(connection: connection).find(record.subject)?.known,
            approver.user == user,
            let history = try SensitiveSession(connection: connection, now: record.now)
                .history(of: approver.identity, user)
        else { return .notThisUser }
        let wait = history.waitSeconds(minimumAgeSeconds: record.minimumIdentityAgeSeconds, now: record.now)
        if wait > 0 { return .refused(.identityTooNew(waitSeconds: wait)) }
        try connection.run(
            Self.insert, record.receipt, user, record.session, record.contextHash, record.authentication.acr,
            record.authentication.time,
            record.provider, record.client, record.now, record.nonce,
            record.authentication.methods)
        return .stored(
            Receipt(
                id: record.receipt, user: user, session: record.session, contextHash: record.contextHash,
                nonce: record.nonce, authentication: record.authentication, provider: record.provider,
                client: record.client, createdAt: record.now))
    }

    func all(of user: UserID) throws(RepositoryError) -> [Receipt] {
        try connection.all(Self.ofUser, user) { row throws(RepositoryError) in
            Receipt(
                id: row.text(0), user: user, session: try row.sessionID(1), contextHash: try row.hash(2),
                nonce: row.optionalText(8), authentication: row.authentication(acr: 3, methods: 9, time: 4),
                provider: row.text(5), client: row.text(6), createdAt: row.integer(7))
        }
    }
}

extension SQLStore {
    public func storeReceipt(_ record: TransactionRecord) async throws(RepositoryError) -> ReceiptOutcome {
        let answer = record.evidence.oneTimeUse?.answer(.receipt(record.receipt), at: record.now)
        return try await write(of: nil, consuming: record.evidence, record.challenge, answer: answer, now: record.now) {
            connection throws(RepositoryError) in try ReceiptRows(connection: connection).store(record)
        }
    }

    public func receipts(of user: UserID) async throws(RepositoryError) -> [Receipt] {
        try await read { connection throws(RepositoryError) in
            try ReceiptRows(connection: connection).all(of: user)
        }
    }
}

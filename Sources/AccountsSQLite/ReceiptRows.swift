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

    let connection: Connection

    /// - Returns: a failure where something of it must be kept, such as the used code.
    func store(_ record: TransactionRecord) throws(RepositoryError) -> Result<ReceiptOutcome, RepositoryError> {
        guard let user = try SessionRows(connection: connection).find(record.session, now: record.now)?.user
        else { return .failure(.sessionGone) }
        guard let approver = try IdentityRows(connection: connection).find(record.subject)?.known,
            approver.user == user,
            let history = try SensitiveSession(connection: connection, now: record.now)
                .history(of: approver.identity, user)
        else { return .success(.notThisUser) }
        let wait = history.waitSeconds(minimumAgeSeconds: record.minimumIdentityAgeSeconds, now: record.now)
        if wait > 0 { return .failure(.identityTooNew(waitSeconds: wait)) }
        try connection.run(
            Self.insert, record.receipt, user, record.session, record.contextHash, record.acr, record.authTime,
            record.provider, record.client, record.now, record.nonce, record.amr.joined(separator: " "))
        return .success(
            .stored(
                Receipt(
                    id: record.receipt, user: user, session: record.session, contextHash: record.contextHash,
                    nonce: record.nonce, acr: record.acr, amr: record.amr, authTime: record.authTime,
                    provider: record.provider, client: record.client, createdAt: record.now)))
    }

    func all(of user: UserID) throws(RepositoryError) -> [Receipt] {
        try connection.all(Self.ofUser, user) { row throws(RepositoryError) in
            Receipt(
                id: row.text(0), user: user, session: try row.sessionID(1), contextHash: try row.hash(2),
                nonce: row.optionalText(8), acr: row.optionalText(3),
                amr: row.text(9).split(separator: " ").map(String.init), authTime: row.optionalInteger(4),
                provider: row.text(5), client: row.text(6), createdAt: row.integer(7))
        }
    }
}

extension SQLiteAccounts {
    public func storeReceipt(_ record: TransactionRecord) async throws(RepositoryError) -> ReceiptOutcome {
        try await write(consuming: record.code, record.challenge, now: record.now) {
            connection throws(RepositoryError) in try ReceiptRows(connection: connection).store(record)
        }
    }

    public func receipts(of user: UserID) async throws(RepositoryError) -> [Receipt] {
        try await readers.read { connection throws(RepositoryError) in
            try ReceiptRows(connection: connection).all(of: user)
        }
    }
}

public import Accounts

/// What providers are yet to be told, sealed, the oldest with the lowest number. It outlives whom it is about.
struct OutboxRows {
    private static let insert = Query(
        """
        INSERT INTO outbox (kind, provider, issuer, content, user_id, identity_id, created, due, network, turn)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9)
        RETURNING number
        """)
    private static let setContent = Query("UPDATE outbox SET content = ? WHERE number = ?")
    private static let waiting = Query("SELECT count(*) FROM outbox WHERE kind IN (?, ?)")
    private static let waitingOf = Query("SELECT count(*) FROM outbox WHERE network = ? AND network <> 0")
    private static let setUser = Query("UPDATE outbox SET user_id = ? WHERE number = ?")
    private static let isDue = Query("SELECT 1 FROM outbox WHERE due <= ? LIMIT 1")
    private static let take = Query(
        """
        UPDATE outbox SET due = ?1, attempts = attempts + 1
        WHERE number IN (SELECT number FROM outbox WHERE due <= ?2 ORDER BY turn, due LIMIT ?3)
        RETURNING number, provider, issuer, content, attempts, created
        """)
    private static let postpone = Query("UPDATE outbox SET due = ? WHERE number = ?")
    private static let delete = Query("DELETE FROM outbox WHERE number = ? RETURNING kind, user_id, identity_id")
    private static let status = Query("SELECT count(*), min(created) FROM outbox")

    let connection: any StoreConnection
    let sealer: StoreSealer
    let now: Int64

    /// Has a provider told that tokens of a grant are good for nothing any more.
    func add(revoking tokens: ProviderTokens, of grant: ProviderGrant) throws(RepositoryError) {
        guard let content = OutboxMessage.Content(revoking: tokens, now: now) else { return }
        try add(
            content, provider: grant.provider, issuer: grant.subject.issuer, user: grant.user,
            identity: grant.identity)
    }

    func add(
        _ content: OutboxMessage.Content, provider: String, issuer: String, user: UserID, identity: IdentityID,
        network: NetworkHash = .none, turn: Int64 = 0
    ) throws(RepositoryError) {
        let number = try connection.first(
            Self.insert, content.kind, provider, issuer, [UInt8](), user, identity, now, network.wide, turn
        ) { $0.integer(0) }
        guard let number else { throw .unavailable(.corrupt) }
        // In a second statement: the seal binds the number of the row, which there has to be first.
        try connection.run(Self.setContent, try sealer.sealing(content.encoded, .outbox(number)), number)
    }

    /// How many requests wait to be passed on to directories.
    func waitingRequests() throws(RepositoryError) -> Int64 {
        try connection.first(
            Self.waiting, ProvisioningRequest.Kind.signUp.rawValue, ProvisioningRequest.Kind.recovery.rawValue
        ) { $0.integer(0) } ?? 0
    }

    /// How many of them came from one network.
    func waitingRequests(of network: NetworkHash) throws(RepositoryError) -> Int64 {
        try connection.first(Self.waitingOf, network.wide) { $0.integer(0) } ?? 0
    }

    /// Notes whom a request turned out to be about.
    func setUser(of number: Int64, _ user: UserID) throws(RepositoryError) {
        try connection.run(Self.setUser, user, number)
    }

    func isDue() throws(RepositoryError) -> Bool { try connection.first(Self.isDue, now) { _ in true } ?? false }

    func take(limit: Int, leaseSeconds: Int64) throws(RepositoryError) -> [OutboxMessage] {
        try connection.all(Self.take, now + leaseSeconds, now, Int64(limit)) { row throws(RepositoryError) in
            let number = row.integer(0)
            let encoded = try sealer.opening(row.blob(3), .outbox(number), connection)
            let content: OutboxMessage.Content
            do throws(EncodedContentError) {
                content = try OutboxMessage.Content(encoded: encoded)
            } catch {
                throw .unavailable(.corrupt)
            }
            return OutboxMessage(
                number: number, provider: row.text(1), issuer: row.text(2), content: content,
                attempts: row.integer(4), createdAt: row.integer(5))
        }
    }

    func settle(_ number: Int64, _ settlement: OutboxSettlement) throws(RepositoryError) {
        switch settlement {
        case .again(let time): try connection.run(Self.postpone, time, number)
        case .done:
            try remove(number, revoked: .providerRevocationDone, loggedOut: .providerLogoutDone, directory: nil)
        case .givenUp:
            try remove(
                number, revoked: .providerRevocationGivenUp, loggedOut: .providerLogoutGivenUp,
                directory: .directoryGivenUp)
        }
    }

    /// - Parameter directory: nil where what became of the request is in the audit trail already.
    private func remove(
        _ number: Int64, revoked: AuditEvent.Kind, loggedOut: AuditEvent.Kind, directory: AuditEvent.Kind?
    ) throws(RepositoryError) {
        let removed = try connection.first(Self.delete, number) { row in
            (row.text(0), UserID(rawValue: row.integer(1)), IdentityID(rawValue: row.integer(2)))
        }
        // Another server that took it after our time with it was over may have been the first.
        guard let (kind, user, identity) = removed else { return }
        let audit = AuditTrail(connection: connection, now: now)
        if ProvisioningRequest.Kind(rawValue: kind) != nil {
            guard let directory else { return }
            try audit.add(directory, user: user.rawValue == 0 ? nil : user)
        } else {
            try audit.add(kind == "logout" ? loggedOut : revoked, user: user, old: identity)
        }
    }

    static func status(_ connection: any StoreConnection) throws(RepositoryError) -> OutboxStatus {
        try connection.first(status) { OutboxStatus(pending: Int($0.integer(0)), oldestAt: $0.optionalInteger(1)) }
            ?? OutboxStatus(pending: 0, oldestAt: nil)
    }
}

extension SQLStore {
    public func takeDueMessages(
        limit: Int, leaseSeconds: Int64, now: Int64
    ) async throws(RepositoryError) -> [OutboxMessage] {
        // Nearly always there is none, which takes no write.
        let isDue = try await read { [sealer] connection throws(RepositoryError) in
            try OutboxRows(connection: connection, sealer: sealer, now: now).isDue()
        }
        guard isDue else { return [] }
        return try await write { [sealer] connection throws(RepositoryError) in
            try OutboxRows(connection: connection, sealer: sealer, now: now)
                .take(limit: limit, leaseSeconds: leaseSeconds)
        }
    }

    public func settle(
        _ message: OutboxMessage, _ settlement: OutboxSettlement, now: Int64
    ) async throws(RepositoryError) {
        try await write { [sealer] connection throws(RepositoryError) in
            try OutboxRows(connection: connection, sealer: sealer, now: now).settle(message.number, settlement)
        }
    }

    public func outboxStatus() async throws(RepositoryError) -> OutboxStatus {
        try await read { connection throws(RepositoryError) in try OutboxRows.status(connection) }
    }
}

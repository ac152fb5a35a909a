public import Accounts

/// The sign-ins that our server has begun on users' phones, the oldest with the lowest number.
struct PushRows {
    /// How long one that has expired is known, in seconds.
    private static let memorySeconds: Int64 = 3600

    private static let columns = """
        handle, notification, request, expectation, carrier_id, state, ticket, notified, expires
        """
    private static let insert = Query(
        """
        INSERT INTO pushes (handle, notification, request, expectation, state, expires, forgotten)
        VALUES (?, ?, ?, ?, 0, ?, ?)
        """)
    private static let makeRoom = Query("DELETE FROM pushes WHERE number <= (SELECT max(number) FROM pushes) - ?")
    // Not one that the app has taken back or the user refused, nor one whose outcome waits for the app or was fetched
    // by it.
    private static let renew = Query(
        """
        UPDATE pushes SET notification = ?, request = ?, expectation = ?, carrier_id = NULL, state = 0, notified = NULL,
            expires = ?, forgotten = ?
        WHERE handle = ? AND state NOT IN (2, 3, 4, 5, 7) AND forgotten > ?
        """)
    private static let find = Query("SELECT \(columns) FROM pushes WHERE handle = ? AND forgotten > ?")
    private static let findNotified = Query("SELECT \(columns) FROM pushes WHERE notification = ? AND forgotten > ?")
    private static let note = Query(
        "UPDATE pushes SET carrier_id = ? WHERE notification = ? AND state = 0 AND expires > ?")
    private static let end = Query(
        "UPDATE pushes SET state = ?, notified = ? WHERE notification = ? AND state = 0 AND expires > ?")
    private static let isPending = Query("SELECT 1 FROM pushes WHERE notification = ? AND state = 0 AND expires > ?")
    private static let deliver = Query(
        """
        UPDATE pushes SET state = ?, session_id = ?, ticket = ?, notified = ?, expires = ?, forgotten = ?
        WHERE notification = ?
        """)
    private static let findSession = Query(
        "SELECT state, session_id, fetched FROM pushes WHERE handle = ? AND expires > ?")
    private static let setFetched = Query(
        "UPDATE pushes SET state = 3, fetched = ?, expires = ?, forgotten = ? WHERE handle = ?")
    private static let extend = Query("UPDATE sessions SET expires = ? WHERE id = ? AND expires > ?")

    let connection: any StoreConnection

    func insert(_ push: PendingPush, maximum: Int64) throws(RepositoryError) {
        try connection.run(
            Self.insert, push.handle, push.notification, push.request, push.expectation, push.expiresAt,
            push.expiresAt + Self.memorySeconds)
        try connection.run(Self.makeRoom, maximum)
    }

    func renew(_ push: PendingPush, now: Int64) throws(RepositoryError) -> Bool {
        try connection.run(
            Self.renew, push.notification, push.request, push.expectation, push.expiresAt,
            push.expiresAt + Self.memorySeconds, push.handle, now)
        return connection.changes == 1
    }

    func find(_ handle: TokenHash, now: Int64) throws(RepositoryError) -> PendingPush? {
        try connection.first(Self.find, handle, now) { row throws(RepositoryError) in try Self.push(row) }
    }

    func find(notifiedBy notification: TokenHash, now: Int64) throws(RepositoryError) -> PendingPush? {
        try connection.first(Self.findNotified, notification, now) { row throws(RepositoryError) in
            try Self.push(row)
        }
    }

    func note(_ notification: TokenHash, carrierID: [UInt8], now: Int64) throws(RepositoryError) -> Bool {
        try connection.run(Self.note, carrierID, notification, now)
        return connection.changes == 1
    }

    func end(
        _ notification: TokenHash, as state: PendingPush.State, notified: TokenHash?, now: Int64
    ) throws(RepositoryError) -> Bool {
        try connection.run(Self.end, state.rawValue, notified, notification, now)
        return connection.changes == 1
    }

    func isPending(_ notification: TokenHash, now: Int64) throws(RepositoryError) -> Bool {
        try connection.first(Self.isPending, notification, now) { _ in true } ?? false
    }

    /// Ends one with the session that it has opened, or with a ticket.
    func deliver(_ delivery: PushDelivery, session: SessionID?) throws(RepositoryError) {
        let state: PendingPush.State = session == nil ? .unlinked : .signedIn
        try connection.run(
            Self.deliver, state.rawValue, session, session == nil ? delivery.ticket : nil, delivery.notified,
            delivery.waitsUntil, delivery.waitsUntil + Self.memorySeconds, delivery.notification)
    }

    func fetch(_ redemption: PushRedemption) throws(RepositoryError) -> PushOutcome {
        let found = try connection.first(Self.findSession, redemption.handle, redemption.now) {
            row throws(RepositoryError) in
            (
                state: PendingPush.State(rawValue: row.integer(0)),
                session: row.isEmpty(1) ? nil : try row.sessionID(1), at: row.optionalInteger(2)
            )
        }
        guard let found, let session = found.session else { return .refused }
        let sessions = SessionRows(connection: connection)
        switch found.state {
        case .signedIn:
            try connection.run(
                Self.setFetched, redemption.now, redemption.rememberedUntil, redemption.rememberedUntil,
                redemption.handle)
            try connection.run(Self.extend, redemption.sessionExpiresAt, session, redemption.now)
            return try sessions.find(session, now: redemption.now).map { .fetched($0) } ?? .refused
        case .taken:
            let live = try sessions.find(session, now: redemption.now)
            if let live, let at = found.at, redemption.now < at + redemption.graceSeconds, live.rotatedAt == nil {
                return .fetched(live)
            }
            if let user = try sessions.delete(session) {
                try AuditTrail(connection: connection, now: redemption.now).add(
                    .pushReused, user: user,
                    origin: connection.auditOrigin.about(session, connection.auditOrigin.app))
            }
            return .reused
        default: return .refused
        }
    }

    private static func push(_ row: any Statement) throws(RepositoryError) -> PendingPush {
        guard let state = PendingPush.State(rawValue: row.integer(5)) else { throw .unavailable(.corrupt) }
        return PendingPush(
            handle: try row.hash(0), notification: try row.hash(1), request: row.blob(2), expectation: row.blob(3),
            carrierID: row.isEmpty(4) ? nil : row.blob(4), state: state, ticket: row.isEmpty(6) ? nil : row.blob(6),
            notified: row.isEmpty(7) ? nil : try row.hash(7), expiresAt: row.integer(8))
    }
}

extension SQLStore {
    public func beginPush(_ push: PendingPush, maximum: Int64, now: Int64) async throws(RepositoryError) {
        try await write { connection throws(RepositoryError) in
            try PushRows(connection: connection).insert(push, maximum: maximum)
        }
    }

    public func repeatPush(_ push: PendingPush, now: Int64) async throws(RepositoryError) -> Bool {
        try await write { connection throws(RepositoryError) in
            try PushRows(connection: connection).renew(push, now: now)
        }
    }

    public func push(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> PendingPush? {
        try await read { connection throws(RepositoryError) in
            try PushRows(connection: connection).find(handle, now: now)
        }
    }

    public func push(notifiedBy notification: TokenHash, now: Int64) async throws(RepositoryError) -> PendingPush? {
        try await read { connection throws(RepositoryError) in
            try PushRows(connection: connection).find(notifiedBy: notification, now: now)
        }
    }

    public func notePush(
        _ notification: TokenHash, carrierID: [UInt8], now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await write(of: .value(notification)) { connection throws(RepositoryError) in
            try PushRows(connection: connection).note(notification, carrierID: carrierID, now: now)
        }
    }

    public func endPush(
        _ notification: TokenHash, as state: PendingPush.State, notified: TokenHash?, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await write(of: .value(notification)) { connection throws(RepositoryError) in
            try PushRows(connection: connection).end(notification, as: state, notified: notified, now: now)
        }
    }

    public func fetch(_ redemption: PushRedemption) async throws(RepositoryError) -> PushOutcome {
        try await write(of: .value(redemption.handle)) { connection throws(RepositoryError) in
            try PushRows(connection: connection).fetch(redemption)
        }
    }
}

package import Accounts

/// The audit trail: rows are only ever added. What is added here, and by the single statement of PostgreSQL that makes
/// a user, is all that an ``AuditObserver`` is told.
package struct AuditTrail {
    private static let insertion = """
        INSERT INTO audit (\(AuditColumn.names))
        VALUES (\(AuditColumn.allCases.map { _ in "?" }.joined(separator: ", ")))
        """
    private static let insert = Query(insertion)
    private static let insertNumbered = Query(insertion + " RETURNING id")
    static let isNoted = Query(
        "SELECT 1 FROM audit WHERE user_id = ? AND event = ? AND old_identity = ? AND at >= ? LIMIT 1")
    private static let ofUser = Query(
        "SELECT \(AuditColumn.readNames) FROM audit WHERE user_id = ? ORDER BY id")

    package let connection: any StoreConnection
    package let now: Int64

    package init(connection: any StoreConnection, now: Int64) {
        (self.connection, self.now) = (connection, now)
    }

    /// - Parameter origin: where the transaction knows more of it than who has begun it.
    package func add(
        _ kind: AuditEvent.Kind, user: UserID?, old: IdentityID? = nil, new: IdentityID? = nil, fields: [String] = [],
        origin: AuditOrigin? = nil
    ) throws(RepositoryError) {
        try add(
            NewAuditEvent(
                at: now, kind: kind, user: user, oldIdentity: old, newIdentity: new, fields: fields,
                origin: origin ?? connection.auditOrigin))
    }

    /// The same of what an operator does to the service's keys. What becomes of keys by itself, as they are missing or
    /// outlived, is no operator's and in nobody's trail.
    package func addOperators(_ kind: AuditEvent.Kind, fields: [String]) throws(RepositoryError) {
        guard connection.auditOrigin.actor != .system else { return }
        try add(kind, user: nil, fields: fields)
    }

    /// Adds an event; of what can be done again and again the first one only, while the others are counted.
    package func add(_ event: NewAuditEvent) throws(RepositoryError) {
        guard event.kind.isCounted else { return try insert(event) }
        try AuditRepeats(trail: self).add(event)
    }

    private func insert(_ event: NewAuditEvent) throws(RepositoryError) {
        try connection.run(Self.insert) { statement throws(RepositoryError) in try Self.bind(event, to: statement) }
        connection.notedEvents?.append(event)
    }

    /// - Returns: the number of its row.
    func insertNumbered(_ event: NewAuditEvent) throws(RepositoryError) -> Int64 {
        let statement = try connection.statement(Self.insertNumbered)
        defer { statement.reset() }
        try Self.bind(event, to: statement)
        guard try statement.step() else { throw .unavailable(.corrupt) }
        let number = statement.integer(0)
        // To its end, or nothing is written.
        while try statement.step() {}
        connection.notedEvents?.append(event)
        return number
    }

    private static func bind(_ event: NewAuditEvent, to statement: any Statement) throws(RepositoryError) {
        for (index, column) in AuditColumn.allCases.enumerated() {
            try column.value(in: event).bind(to: statement, at: Int32(index + 1))
        }
    }

    /// Whether an event of that kind was noted of an identity since a time.
    package func has(
        _ kind: AuditEvent.Kind, user: UserID, old: IdentityID, since time: Int64
    ) throws(RepositoryError) -> Bool {
        try connection.first(Self.isNoted, user, kind.rawValue, old, time) { _ in true } ?? false
    }

    /// All of a user's events, by their numbers.
    static func events(of user: UserID, _ connection: any StoreConnection) throws(RepositoryError) -> [AuditEvent] {
        try connection.all(ofUser, user) { row throws(RepositoryError) in try AuditColumn.event(StatementRow(row)) }
    }
}

extension StoreConnection {
    /// Where what this transaction does comes from, as far as is known by now.
    package var auditOrigin: AuditOrigin { auditContext?.origin ?? .system }
}

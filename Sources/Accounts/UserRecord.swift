/// A line of a list of users; it holds nothing personal.
public struct UserSummary: Equatable, Sendable {
    public var id: UserID
    /// Seconds since 1970.
    public var createdAt: Int64
    /// When the profile last changed, in seconds since 1970.
    public var updatedAt: Int64
    public var identities: Int
    /// Seconds since 1970; nil for an imported user who has not signed in yet.
    public var lastSignInAt: Int64?

    public init(id: UserID, createdAt: Int64, updatedAt: Int64, identities: Int, lastSignInAt: Int64?) {
        (self.id, self.createdAt, self.updatedAt, self.identities) = (id, createdAt, updatedAt, identities)
        self.lastSignInAt = lastSignInAt
    }
}

/// The rows of a table that are a user's, or an identity's or a session's of the user.
public struct OwnedRows: Equatable, Sendable {
    public let table: String
    public let columns: [Table.Column]
    /// Each in the order of the columns, without those that are secret.
    public let rows: [[Cell]]

    public init(table: String, columns: [Table.Column], rows: [[Cell]]) {
        (self.table, self.columns, self.rows) = (table, columns, rows)
    }
}

/// Everything that is kept about one user, for those who have the right to see it.
public struct UserRecord: Equatable, Sendable {
    public var user: User
    /// While it holds.
    public var lock: Lock?
    public var identities: [Identity]
    /// The live ones.
    public var sessions: [Session]
    /// What they have agreed that apps of ours may do.
    public var consents: [Consent]
    public var receipts: [Receipt]
    public var grants: [ProviderGrant]
    public var auditEvents: [AuditEvent]
    /// Of the tables that were added to the store; none without a row.
    public var tables: [OwnedRows]

    public init(
        user: User, lock: Lock?, identities: [Identity], sessions: [Session], consents: [Consent],
        receipts: [Receipt], grants: [ProviderGrant], auditEvents: [AuditEvent], tables: [OwnedRows]
    ) {
        (self.user, self.lock, self.identities, self.sessions) = (user, lock, identities, sessions)
        (self.consents, self.receipts, self.grants, self.auditEvents) = (consents, receipts, grants, auditEvents)
        self.tables = tables
    }
}

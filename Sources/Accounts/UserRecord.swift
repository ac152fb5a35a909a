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
        self.id = id
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.identities = identities
        self.lastSignInAt = lastSignInAt
    }
}

/// Everything that is kept about one user, for whoever has the right to see it.
public struct UserRecord: Equatable, Sendable {
    public var user: User
    public var identities: [Identity]
    /// The live ones.
    public var sessions: [Session]
    public var receipts: [Receipt]
    public var grants: [ProviderGrant]
    public var auditEvents: [AuditEvent]

    public init(
        user: User, identities: [Identity], sessions: [Session], receipts: [Receipt], grants: [ProviderGrant],
        auditEvents: [AuditEvent]
    ) {
        self.user = user
        self.identities = identities
        self.sessions = sessions
        self.receipts = receipts
        self.grants = grants
        self.auditEvents = auditEvents
    }
}

/// An event that the audit trail gets.
public struct NewAuditEvent: Equatable, Sendable {
    /// Seconds since 1970.
    public let at: Int64
    public let kind: AuditEvent.Kind
    public let user: UserID?
    public let oldIdentity: IdentityID?
    public let newIdentity: IdentityID?
    /// As ``AuditEvent/fields``.
    public let fields: [String]
    public let origin: AuditOrigin
    /// As ``AuditEvent/count``.
    public let count: Int64?

    public init(
        at: Int64, kind: AuditEvent.Kind, user: UserID?, oldIdentity: IdentityID?, newIdentity: IdentityID?,
        fields: [String] = [], origin: AuditOrigin, count: Int64? = nil
    ) {
        (self.at, self.kind, self.user, self.oldIdentity) = (at, kind, user, oldIdentity)
        (self.newIdentity, self.fields, self.origin, self.count) = (newIdentity, fields, origin, count)
    }

    /// The first sign-in of somebody has made a user, and opened a session.
    public static func userCreated(
        _ user: UserID, by identity: IdentityID, _ origin: AuditOrigin, opening session: NewSession, at time: Int64
    ) -> NewAuditEvent {
        NewAuditEvent(
            at: time, kind: .userCreated, user: user, oldIdentity: nil, newIdentity: identity,
            origin: origin.opening(session))
    }
}

/// Is told of every event that a store of this process has added to the audit trail.
///
/// Events of one transaction come together, in their order, when they are on disk and before the caller hears of it.
/// What a process can't know, because it or its way to a database ends at the very commit, it does not tell: who must
/// not miss anything reads the trail.
public protocol AuditObserver: Sendable {
    /// Others wait for it to return.
    func noted(_ events: [NewAuditEvent])
}

/// What a provider says has happened to one of its users, and what follows from it here.
public struct IdentityEvent: Equatable, Sendable {
    public enum Effect: Equatable, Sendable {
        /// The sessions that this identity has opened are over, and its link tickets: those opened by then, in seconds
        /// since 1970, and no later one. So an old message that comes again ends nothing that has begun since.
        case endsSessions(openedBy: Int64, reauthenticate: Bool)
        /// The same, and the identity is locked, or its whole user, until the provider says otherwise or an operator
        /// does. The newest word holds, and none lifts an operator's lock.
        case locks(openedBy: Int64, wholeUser: Bool)
        case unlocks
        /// Mail to the address that the provider has given does not arrive, or does again. The newest word of the two
        /// holds, in whatever order they come.
        case stopsEmail, resumesEmail
        /// It is noted, and nothing else.
        case none
    }

    public var subject: Subject
    /// What the audit trail calls it.
    public var kind: AuditEvent.Kind
    public var effect: Effect
    /// When it has happened, in seconds since 1970.
    public var time: Int64

    public init(subject: Subject, kind: AuditEvent.Kind, effect: Effect, time: Int64) {
        (self.subject, self.kind, self.effect, self.time) = (subject, kind, effect, time)
    }

    /// For how long an event that changes nothing is not noted again, in seconds: a provider may tell the same as often
    /// as it likes, and the trail is written to disk.
    public static let noteIntervalSeconds: Int64 = 86_400
}

import Synchronization

/// Where an event of the audit trail comes from: who acted, through which app and session, in which request, and why.
public struct AuditOrigin: Equatable, Sendable {
    /// What the service does by itself.
    public static let system = AuditOrigin(actor: .system)

    public var actor: AuditActor
    /// The client id of the app; nil where there is none.
    public var app: String?
    /// The session that was used, or that the event is about.
    public var session: SessionID?
    /// The request's name in the log.
    public var request: String?
    /// Why an operator did it, in their own words.
    public var reason: String?

    public init(
        actor: AuditActor, app: String? = nil, session: SessionID? = nil, request: String? = nil, reason: String? = nil
    ) {
        (self.actor, self.app, self.session, self.request, self.reason) = (actor, app, session, request, reason)
    }

    /// The same of what opens a session, which tells by itself which one and for which app.
    public func opening(_ session: NewSession) -> AuditOrigin {
        var origin = self
        (origin.session, origin.app) = (session.id, session.client)
        return origin
    }

    /// The same of what is about a session, or about none that there is.
    public func about(_ session: SessionID?, _ app: String?) -> AuditOrigin {
        var origin = self
        (origin.session, origin.app) = (session, app)
        return origin
    }
}

/// What is known of a task's origin while it works. It is bound where work comes in (a request, a command) and read
/// where a write is handed to the store, so that nothing in between has to hand it on. Where nothing is bound, the
/// service acts by itself.
///
/// It begins with what is known at once, and learns the rest as the request is admitted.
public final class AuditContext: Sendable {
    @TaskLocal public static var current: AuditContext?

    private let known: Mutex<AuditOrigin>
    private let storeTime = Atomic<Int64>(0)
    /// Whether somebody waits for an answer, so that all of it has one time together.
    public let isOfRequest: Bool

    public init(_ origin: AuditOrigin) {
        isOfRequest = origin.request != nil
        known = Mutex(origin)
    }

    /// How long the store has taken so far for what it was asked for, in nanoseconds.
    public var storeNanoseconds: Int64 { storeTime.load(ordering: .relaxed) }

    /// Adds to that.
    public func note(storeNanoseconds: Int64) { storeTime.wrappingAdd(storeNanoseconds, ordering: .relaxed) }

    public var origin: AuditOrigin { known.withLock(\.self) }

    /// Tells who it is that acts.
    ///
    /// - Parameter reason: why, in their own words.
    public func act(as actor: AuditActor, because reason: String? = nil) {
        known.withLock { origin in
            origin.actor = actor
            origin.reason = reason
        }
    }

    /// Tells by which session the user acts, and through which app.
    public func use(_ session: Session) {
        known.withLock { origin in
            origin.session = session.id
            origin.app = session.client
        }
    }
}

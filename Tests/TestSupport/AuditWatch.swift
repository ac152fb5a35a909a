public import Accounts
import Synchronization
import Testing

/// Keeps what an observer of the audit trail is told.
public final class AuditWatch: AuditObserver {
    private let told = Mutex<[NewAuditEvent]>([])

    public init() {}

    public var events: [NewAuditEvent] { told.withLock(\.self) }

    public func noted(_ events: [NewAuditEvent]) { told.withLock { $0 += events } }

    /// Does things that the trail tells of, and others, and expects to have been told what the trail has, in its order.
    public func watch(_ store: any AccountRepository) async throws {
        let session = Sample.session()
        let new = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
        #expect(events == [.userCreated(new.user, by: new.identity, .system, opening: session, at: Sample.now)])
        // One that is known leaves no event, and one with a challenge goes the long way.
        _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
        var challenged = Sample.signIn(Sample.subject("2"))
        challenged.draft.challenge = Sample.code()
        let other = try await store.signedIn(challenged)
        #expect(events.count == 2)
        let open = challenged.session.id
        _ = try await store.linked(Sample.link(Sample.subject("3"), open))
        await #expect(throws: Refusal.identityInUse) {
            try await store.linked(Sample.link(Sample.subject("1"), open))
        }
        await #expect(throws: RepositoryError.unavailable(.overloaded)) {
            try await store.changeRows(now: Sample.now) { rows throws(RepositoryError) in
                try rows.note(Sample.noted, of: nil)
                throw .unavailable(.overloaded)
            }
        }
        #expect(try await store.revokeSession(open, now: Sample.now))
        #expect(try await store.erase(other.user, now: Sample.now))
        let trail = try await store.auditEvents(after: 0, limit: 100)
        #expect(trail.count == 6)
        let stored = try trail.map {
            NewAuditEvent(
                at: $0.at, kind: $0.kind, user: $0.user, oldIdentity: $0.oldIdentity, newIdentity: $0.newIdentity,
                fields: $0.fields, origin: try #require($0.origin), count: $0.count)
        }
        #expect(events == stored)
    }
}

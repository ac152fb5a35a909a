import Accounts
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

/// What providers tell of their users, as it lies on disk.
@Suite struct `What is kept of a provider's events` {
    let folder = TemporaryFolder()

    private func event(_ effect: IdentityEvent.Effect, at time: Int64 = Sample.now) -> IdentityEvent {
        IdentityEvent(subject: Sample.subject("1"), kind: .providerConsentRevoked, effect: effect, time: time)
    }

    /// What was written: whatever is durable goes through the log.
    private func log() throws -> [UInt8] { try contents(of: folder.database + "-wal") }

    @Test func `a store of the ninth version has nobody whose mail is stopped, and takes events`() async throws {
        try folder.makeStore(ofVersion: 9, sessionBy: nil)
        let store = try await folder.open()
        #expect(store.update?.from == 9 && store.update?.to == Schema.steps.count)
        #expect(try await store.check().isEmpty)
        let user = UserID(rawValue: 1)
        #expect(try await store.identities(of: user).map(\.emailStoppedAt) == [nil])
        #expect(try await store.take([event(.stopsEmail)], now: Sample.now) == 1)
        #expect(try await store.identities(of: user).map(\.emailStoppedAt) == [Sample.now])
        // The session of an earlier version, of which it can't be told which identity has opened it, ends with any.
        #expect(try await store.take([event(.endsSessions(openedBy: 5, reauthenticate: false))], now: Sample.now) == 1)
        #expect(try await store.sessions(of: user, now: Sample.now).isEmpty)
        await store.close()
    }

    @Test func `is there after the store was opened again`() async throws {
        let store = try await folder.open()
        let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
        _ = try await store.take([event(.stopsEmail)], now: Sample.now)
        await store.close()
        let again = try await folder.open()
        #expect(try await again.identities(of: user).map(\.emailStoppedAt) == [Sample.now])
        await again.close()
    }

    @Test func `a flood of events that change nothing writes nothing to disk`() async throws {
        let store = try await folder.open()
        _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
        let right = [
            event(.endsSessions(openedBy: Sample.now, reauthenticate: false)), event(.stopsEmail), event(.none),
        ]
        _ = try await store.take(right, now: Sample.now)
        let strangers = right.map { event in
            var event = event
            event.subject = Sample.subject("unknown")
            return event
        }
        // What is under way for somebody whom nobody knows lies behind a line from then on.
        _ = try await store.take(strangers, now: Sample.now)
        let before = try log()
        #expect(!before.isEmpty)
        for number in 0..<200 {
            // Each a message of its own, that tells of the same or of older things.
            let older = event(.resumesEmail, at: Sample.now - Int64(number))
            #expect(try await store.take(right + strangers + [older], now: Sample.now + Int64(number)) == 0)
        }
        #expect(try log() == before)
        // What changes something is written.
        _ = try await store.take([event(.resumesEmail, at: Sample.now + 1)], now: Sample.now + 1)
        #expect(try log() != before)
        await store.close()
    }

    @Test func `an event finds what it ends by an index, and walks through nothing`() async throws {
        let store = try await folder.open()
        await store.close()
        for query in [IdentityEventRows.tickets, AuditTrail.isNoted] {
            let plan = try QueryPlan(of: query, in: folder.database)
            #expect(plan.usesIndexes, "\(plan)")
        }
    }
}

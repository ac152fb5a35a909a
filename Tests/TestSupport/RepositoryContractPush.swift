import Accounts
import Testing

extension RepositoryContract {
    static let pushClauses = [
        RepositoryContract("a push is found by either of its names, and expires, and is forgotten an hour later") {
            store in
            let push = Sample.push()
            try await store.beginPush(push, maximum: 10, now: Sample.now)
            #expect(try await store.push(push.handle, now: Sample.now) == push)
            #expect(try await store.push(notifiedBy: push.notification, now: Sample.now) == push)
            #expect(try await store.push(push.notification, now: Sample.now) == nil)
            #expect(try await store.push(push.handle, now: push.expiresAt + 3599) == push)
            #expect(try await store.push(push.handle, now: push.expiresAt + 3600) == nil)
            #expect(try await store.sweepExpired(now: push.expiresAt + 3600, limit: 10) == 1)
        },
        RepositoryContract("of more pushes than are kept the oldest give way") { store in
            let begun = (0..<5).map { _ in Sample.push() }
            for push in begun { try await store.beginPush(push, maximum: 3, now: Sample.now) }
            for (index, push) in begun.enumerated() {
                #expect(try await (store.push(push.handle, now: Sample.now) != nil) == (index >= 2))
            }
        },
        RepositoryContract("a push ends once, and only while it is pending") { store in
            let push = Sample.push()
            try await store.beginPush(push, maximum: 10, now: Sample.now)
            #expect(
                try await !store.endPush(push.notification, as: .failed, notified: nil, now: push.expiresAt))
            #expect(try await store.notePush(push.notification, carrierID: [7], now: Sample.now))
            let notified = Sample.hash()
            #expect(try await store.endPush(push.notification, as: .denied, notified: notified, now: Sample.now))
            #expect(try await !store.endPush(push.notification, as: .cancelled, notified: nil, now: Sample.now))
            #expect(try await !store.notePush(push.notification, carrierID: [8], now: Sample.now))
            let found = try await store.push(push.handle, now: Sample.now)
            #expect(found?.state == .denied && found?.notified == notified && found?.carrierID == [7])
        },
        RepositoryContract("a push that is begun anew is not found by what the carrier had before") { store in
            let push = Sample.push()
            try await store.beginPush(push, maximum: 10, now: Sample.now)
            _ = try await store.notePush(push.notification, carrierID: [7], now: Sample.now)
            var renewed = Sample.push()
            renewed.handle = push.handle
            #expect(try await store.repeatPush(renewed, now: Sample.now))
            #expect(try await store.push(push.handle, now: Sample.now) == renewed)
            #expect(try await store.push(notifiedBy: push.notification, now: Sample.now) == nil)
            #expect(try await !store.endPush(push.notification, as: .denied, notified: nil, now: Sample.now))
            for state in [PendingPush.State.cancelled, .denied] {
                let ended = Sample.push()
                try await store.beginPush(ended, maximum: 10, now: Sample.now)
                _ = try await store.endPush(ended.notification, as: state, notified: nil, now: Sample.now)
                var again = Sample.push()
                again.handle = ended.handle
                #expect(try await !store.repeatPush(again, now: Sample.now))
            }
        },
        RepositoryContract("a session that a push has opened waits for its app, and lasts once it is fetched") {
            store in
            let (record, push) = try await Sample.notified(store)
            let delivery = try #require(record.push)
            #expect(try await store.push(push.handle, now: Sample.now)?.state == .signedIn)
            #expect(try await store.session(record.session.id, now: delivery.waitsUntil) == nil)
            let redemption = Sample.redemption(of: push)
            guard case .fetched(let session) = try await store.fetch(redemption) else {
                Issue.record("the session is not fetched")
                return
            }
            #expect(session.id == record.session.id && session.expiresAt == redemption.sessionExpiresAt)
            #expect(try await store.push(push.handle, now: Sample.now)?.state == .taken)
        },
        RepositoryContract("a session is fetched again within the grace and before it is refreshed, and no later") {
            store in
            let (record, push) = try await Sample.notified(store)
            var redemption = Sample.redemption(of: push)
            let first = try await store.fetch(redemption)
            redemption.now += redemption.graceSeconds - 1
            #expect(try await store.fetch(redemption) == first)
            redemption.now += 1
            #expect(try await store.fetch(redemption) == .reused)
            #expect(try await store.session(record.session.id, now: Sample.now) == nil)
            #expect(try await store.auditTrail().last == .pushReused)
            let (other, refreshed) = try await Sample.notified(store, "2")
            guard case .fetched(let session) = try await store.fetch(Sample.redemption(of: refreshed)) else {
                Issue.record("the session is not fetched")
                return
            }
            _ = try await store.refresh(Sample.refresh(other.session.id, 1, of: session.user))
            #expect(try await store.fetch(Sample.redemption(of: refreshed)) == .reused)
        },
        RepositoryContract("of all who sign in by one push at once one does, and by one that is over nobody") { store in
            let push = Sample.push()
            try await store.beginPush(push, maximum: 10, now: Sample.now)
            let outcomes = try await withThrowingTaskGroup(of: SignInOutcome.self) { group in
                for _ in 0..<8 { group.addTask { try await store.signIn(Sample.signIn(by: push)) } }
                return try await group.reduce(into: [SignInOutcome]()) { $0.append($1) }
            }
            #expect(outcomes.count { if case .signedIn = $0 { true } else { false } } == 1)
            #expect(outcomes.count { $0 == .refused(.pushOver) } == 7)
            let cancelled = Sample.push()
            try await store.beginPush(cancelled, maximum: 10, now: Sample.now)
            _ = try await store.endPush(cancelled.notification, as: .cancelled, notified: nil, now: Sample.now)
            #expect(try await store.signIn(Sample.signIn(by: cancelled, "2")) == .refused(.pushOver))
            #expect(try await store.userCount() == 1)
        },
        RepositoryContract("a push of somebody unknown keeps the ticket, where there is no automatic registration") {
            store in
            let push = Sample.push()
            try await store.beginPush(push, maximum: 10, now: Sample.now)
            var record = Sample.signIn(by: push)
            record.draft.registration = .ticket(OneTimeUse(hash: Sample.hash(), expiresAt: Sample.now + 600))
            #expect(try await store.signIn(record) == .unlinked)
            let found = try await store.push(push.handle, now: Sample.now)
            #expect(found?.state == .unlinked && found?.ticket == [9])
            #expect(try await store.fetch(Sample.redemption(of: push)) == .refused)
        },
        RepositoryContract("a session that a provider has ended is fetched by nobody") { store in
            let (record, push) = try await Sample.notified(store)
            #expect(try await store.revokeSession(record.session.id, now: Sample.now))
            #expect(try await store.fetch(Sample.redemption(of: push)) == .refused)
        },
    ]
}

extension Sample {
    static func push() -> PendingPush {
        PendingPush(
            handle: hash(), notification: hash(), request: [1, 2], expectation: [3, 4], carrierID: nil, state: .pending,
            ticket: nil, notified: nil, expiresAt: now + 3600)
    }

    static func signIn(by push: PendingPush, _ subject: String = "1") -> SignInRecord {
        var record = signIn(Sample.subject(subject), session: session(expiresAt: push.expiresAt))
        record.draft.push = PushDelivery(
            notification: push.notification, notified: hash(), ticket: [9], waitsUntil: push.expiresAt)
        return record
    }

    /// A push that was begun and approved.
    static func notified(
        _ store: any AccountRepository, _ subject: String = "1"
    ) async throws -> (SignInRecord, PendingPush) {
        let push = push()
        try await store.beginPush(push, maximum: 10, now: now)
        let record = signIn(by: push, subject)
        _ = try await store.signedIn(record)
        return (record, push)
    }

    static func redemption(of push: PendingPush) -> PushRedemption {
        PushRedemption(
            handle: push.handle, sessionExpiresAt: now + 86_400, graceSeconds: 60, rememberedUntil: now + 3600, now: now
        )
    }
}

internal import Accounts
import Testing

extension Sample {
    /// An event of a provider's of which the sessions of a subject end that were opened by then.
    static func ending(
        _ subject: Subject = subject("1"), openedBy time: Int64 = now, kind: AuditEvent.Kind = .providerConsentRevoked
    ) -> IdentityEvent {
        IdentityEvent(
            subject: subject, kind: kind, effect: .endsSessions(openedBy: time, reauthenticate: false), time: time)
    }

    static func email(_ subject: Subject = subject("1"), stops: Bool, at time: Int64) -> IdentityEvent {
        IdentityEvent(
            subject: subject, kind: stops ? .providerEmailDisabled : .providerEmailEnabled,
            effect: stops ? .stopsEmail : .resumesEmail, time: time)
    }
}

extension AccountRepository {
    /// Since when mail does not reach the address that the provider of a subject gives.
    func emailStopped(_ subject: Subject = Sample.subject("1")) async throws -> Int64? {
        let user = try #require(try await user(with: subject))
        return try await identities(of: user).first { $0.subject == subject }?.emailStoppedAt
    }
}

extension RepositoryContract {
    static let eventClauses =
        endingEventClauses + emailEventClauses + [
            RepositoryContract("an event that only tells something is noted once a day, and ends nothing") { store in
                let record = Sample.signIn(Sample.subject("1"))
                _ = try await store.signedIn(record)
                var event = IdentityEvent(
                    subject: Sample.subject("1"), kind: .providerAccountEnabled, effect: .none, time: Sample.now)
                for seconds in [0, 1, 3600, 86_400] as [Int64] {
                    event.time = Sample.now + seconds
                    #expect(try await store.take([event], now: Sample.now + seconds) == 0)
                }
                #expect(try await store.auditTrail() == [.userCreated, .providerAccountEnabled])
                event.time = Sample.now + 86_402
                #expect(try await store.take([event], now: event.time) == 0)
                #expect(try await store.auditTrail().count { $0 == .providerAccountEnabled } == 2)
                #expect(try await store.session(record.session.id, now: Sample.now) != nil)
            }
        ]

    private static let endingEventClauses = [
        RepositoryContract("an event ends what its identity has opened, and nothing else of that user") { store in
            let first = Sample.signIn(Sample.subject("1"))
            let user = try await store.signedIn(first).user
            let identity = try await store.identities(of: user).first?.id
            try await store.linked(Sample.link(Sample.subject("2"), first.session.id))
            let other = Sample.signIn(Sample.subject("2"))
            _ = try await store.signedIn(other)
            let stranger = Sample.signIn(Sample.subject("3"))
            _ = try await store.signedIn(stranger)
            #expect(try await store.take([Sample.ending()], now: Sample.now) == 1)
            #expect(try await store.sessions(of: user, now: Sample.now).map(\.id) == [other.session.id])
            #expect(try await store.session(stranger.session.id, now: Sample.now) != nil)
            let refresh = Sample.refresh(first.session.id, 1, of: user)
            #expect(try await store.refresh(refresh) == .refused)
            let event = try #require(try await store.auditEvents(after: 0, limit: .max, user: user).last)
            #expect(event.kind == .providerConsentRevoked && event.oldIdentity == identity)
            // Whose provider says so is still a user here, with all identities.
            #expect(try await store.user(user) != nil)
            #expect(try await store.identities(of: user).count == 2)
        },
        RepositoryContract("an event ends no session that was opened after it") { store in
            let (early, late) = (
                Sample.signIn(Sample.subject("1")), Sample.signIn(Sample.subject("1"), now: Sample.now + 10)
            )
            for record in [early, late] { _ = try await store.signedIn(record) }
            for _ in 0..<2 { _ = try await store.take([Sample.ending(openedBy: Sample.now + 9)], now: Sample.now + 20) }
            #expect(try await store.session(early.session.id, now: Sample.now) == nil)
            #expect(try await store.session(late.session.id, now: Sample.now) != nil)
            #expect(try await store.auditTrail() == [.userCreated, .providerConsentRevoked])
        },
        RepositoryContract("an event of somebody nobody knows, and one that comes again, change nothing") { store in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            let strangers = [Sample.subject("2"), Sample.subject("1", at: "https://other.example")]
            #expect(try await store.take(strangers.map { Sample.ending($0) }, now: Sample.now) == 0)
            #expect(try await store.auditTrail() == [.userCreated])
            #expect(try await store.take([Sample.ending()], now: Sample.now) == 1)
            for _ in 0..<3 { #expect(try await store.take([Sample.ending()], now: Sample.now + 1) == 0) }
            #expect(try await store.auditTrail() == [.userCreated, .providerConsentRevoked])
        },
        RepositoryContract("an event ends the link tickets of its subject, and the codes of apps") { store in
            let ticket = Sample.code()
            var record = Sample.signIn(Sample.subject("1"))
            record.draft.registration = .ticket(ticket)
            #expect(try await store.signIn(record) == .unlinked)
            #expect(try await store.take([Sample.ending()], now: Sample.now) == 0)
            let redemption = Sample.redemption(
                ticket: ticket.hash, session: Sample.session(), reference: "abc", now: Sample.now)
            #expect(try await store.redeemTicket(redemption) == .refused(.invalidTicket))
            var (app, code) = Sample.appSignIn()
            app.draft.subject = Sample.subject("2")
            _ = try await store.signedIn(app)
            #expect(try await store.take([Sample.ending(Sample.subject("2"))], now: Sample.now) == 1)
            #expect(try await store.redeem(Sample.redemption(of: code)) == .refused)
        },
    ]

    private static let emailEventClauses = [
        RepositoryContract("of two events about mail the newer one counts, in whatever order they come") { store in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            func take(stops: Bool, at time: Int64) async throws -> Int64? {
                _ = try await store.take([Sample.email(stops: stops, at: Sample.now + time)], now: Sample.now + 100)
                return try await store.emailStopped().map { $0 - Sample.now }
            }
            #expect(try await store.emailStopped() == nil)
            #expect(try await take(stops: false, at: 20) == nil)
            #expect(try await take(stops: true, at: 10) == nil)
            #expect(try await take(stops: true, at: 30) == 30)
            #expect(try await take(stops: false, at: 25) == 30)
            #expect(try await take(stops: false, at: 30) == 30)
            #expect(try await take(stops: false, at: 40) == nil)
            #expect(try await take(stops: true, at: 30) == nil)
            let user = try #require(try await store.user(with: Sample.subject("1")))
            #expect(try await store.sessions(of: user, now: Sample.now).count == 1)
        },
        RepositoryContract("that mail does not arrive is still known after the next sign-in with the same address") {
            store in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            _ = try await store.take([Sample.email(stops: true, at: Sample.now)], now: Sample.now)
            for attributes in [Sample.jane, [:], ["name": "Jane", "email": "jane@example.com"]] as [Attributes] {
                _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), attributes: attributes))
                #expect(try await store.emailStopped() == Sample.now)
            }
            let user = try #require(try await store.user(with: Sample.subject("1")))
            #expect(try await store.record(of: user, now: Sample.now)?.identities.first?.emailStoppedAt == Sample.now)
        },
        RepositoryContract("that mail does not arrive is over once the provider gives another address") { store in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            _ = try await store.take([Sample.email(stops: true, at: Sample.now)], now: Sample.now)
            let other: Attributes = ["email": "other@example.com"]
            _ = try await store.signedIn(
                Sample.signIn(Sample.subject("1"), attributes: other, now: Sample.now + 5))
            #expect(try await store.emailStopped() == nil)
            // And stays over when the old word about the old address comes once more.
            _ = try await store.take([Sample.email(stops: true, at: Sample.now)], now: Sample.now + 6)
            #expect(try await store.emailStopped() == nil)
            _ = try await store.take([Sample.email(stops: true, at: Sample.now + 6)], now: Sample.now + 6)
            #expect(try await store.emailStopped() == Sample.now + 6)
        },
        RepositoryContract("that mail does not arrive is of one identity, and not of another of the same user") {
            store in
            let record = Sample.signIn(Sample.subject("1"))
            _ = try await store.signedIn(record)
            try await store.linked(Sample.link(Sample.subject("2"), record.session.id))
            _ = try await store.take([Sample.email(Sample.subject("2"), stops: true, at: Sample.now)], now: Sample.now)
            #expect(try await store.emailStopped() == nil)
            #expect(try await store.emailStopped(Sample.subject("2")) == Sample.now)
        },
    ]
}

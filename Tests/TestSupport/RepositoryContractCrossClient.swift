import Accounts
import Testing

extension RepositoryContract {
    static let crossClientClauses = [
        RepositoryContract("a key that comes with another issuer's subject leads to nobody") { store in
            let key = Sample.hash()
            let first = try await store.signedIn(Sample.signIn(Sample.subject("a"), key: key))
            let foreign = try await store.signedIn(
                Sample.signIn(Sample.subject("b", at: Sample.oldIssuer), key: key))
            #expect(foreign.isNewUser && foreign.user != first.user)
        },
        RepositoryContract("without a key nobody is found by one, and none is written") { store in
            let key = Sample.hash()
            let first = try await store.signedIn(Sample.signIn(Sample.subject("a")))
            let second = try await store.signedIn(Sample.signIn(Sample.subject("b"), key: key))
            let third = try await store.signedIn(Sample.signIn(Sample.subject("c")))
            #expect(Set([first.user, second.user, third.user]).count == 3)
        },
        RepositoryContract("an unknown subject with the key of one user is that user, by an identity as old as now") {
            store in
            let key = Sample.hash()
            let first = try await store.signedIn(Sample.signIn(Sample.subject("a"), key: key))
            let session = Sample.session()
            let second = try await store.signedIn(
                Sample.signIn(
                    Sample.subject("b"), attributes: ["name": "Jane Roe"], session: session, key: key,
                    now: Sample.now + 9))
            #expect(second.user == first.user && second.identity != first.identity)
            #expect(!second.isNewUser && !second.migrated && second.reference == first.reference)
            #expect(try await store.session(session.id, now: Sample.now + 9)?.identity == second.identity)
            let identities = try await store.identities(of: first.user)
            #expect(identities.map(\.origin) == [.signIn, .link])
            #expect(identities.map(\.linkedAt) == [Sample.now, Sample.now + 9])
            let event = try await store.auditEvents(after: 0, limit: 10).last
            #expect(event?.kind == .identityLinked && event?.user == first.user)
            #expect(event?.newIdentity == second.identity)
            // The new identity takes away nothing that is the user's until it is older.
            await #expect(throws: Refusal.identityTooNew(waitSeconds: 86_400)) {
                try await store.erased(under: session.id, demands: Sample.usualDemands, now: Sample.now + 9)
            }
        },
        RepositoryContract("a known subject has its key from its next sign-in on") { store in
            let key = Sample.hash()
            let first = try await store.signedIn(Sample.signIn(Sample.subject("a")))
            _ = try await store.signedIn(Sample.signIn(Sample.subject("a"), key: key))
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("b"), key: key)).user == first.user)
            // Without one it loses none, and with another it loses the first.
            _ = try await store.signedIn(Sample.signIn(Sample.subject("a")))
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("c"), key: key)).user == first.user)
        },
        RepositoryContract("an identity has one key, the last it came with") { store in
            let (former, present) = (Sample.hash(), Sample.hash())
            let first = try await store.signedIn(Sample.signIn(Sample.subject("a"), key: former))
            _ = try await store.signedIn(Sample.signIn(Sample.subject("a"), key: present))
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("b"), key: former)).isNewUser)
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("c"), key: present)).user == first.user)
        },
        RepositoryContract("a key that several users have leads to none of them, and the trail says so") { store in
            let key = Sample.hash()
            let a = try await store.signedIn(Sample.signIn(Sample.subject("a")))
            let b = try await store.signedIn(Sample.signIn(Sample.subject("b")))
            _ = try await store.signedIn(Sample.signIn(Sample.subject("a"), key: key))
            _ = try await store.signedIn(Sample.signIn(Sample.subject("b"), key: key))
            let c = try await store.signedIn(Sample.signIn(Sample.subject("c"), key: key))
            #expect(c.isNewUser && c.user != a.user && c.user != b.user)
            let event = try await store.auditEvents(after: 0, limit: 10).last
            #expect(event?.kind == .crossClientKeyAmbiguous && event?.user == c.user)
            #expect(event?.newIdentity == c.identity)
            var ticket = Sample.signIn(Sample.subject("d"), key: key)
            ticket.draft.registration = .ticket(Sample.code())
            #expect(try await store.signIn(ticket) == .unlinked)
            let last = try await store.auditEvents(after: 0, limit: 10).last
            #expect(last?.kind == .crossClientKeyAmbiguous && last?.user == nil)
        },
        RepositoryContract("a key goes with its identity, unlinked or erased") { store in
            let key = Sample.hash()
            let first = try await store.signedIn(Sample.signIn(Sample.subject("a")))
            let session = Sample.session()
            let second = try await store.signedIn(
                Sample.signIn(Sample.subject("other", at: Sample.oldIssuer), session: session))
            try await store.linked(Sample.link(Sample.subject("b"), session.id))
            let linked = try await store.signedIn(Sample.signIn(Sample.subject("b"), key: key))
            #expect(linked.user == second.user)
            try await store.unlinked(linked.identity, under: session.id, demands: Sample.demands, now: Sample.now)
            let third = try await store.signedIn(Sample.signIn(Sample.subject("c"), key: key))
            #expect(third.isNewUser && third.user != second.user && third.user != first.user)
            #expect(try await store.erase(third.user, now: Sample.now))
            #expect(try await store.signedIn(Sample.signIn(Sample.subject("d"), key: key)).isNewUser)
        },
        RepositoryContract("a port token goes before a key") { store in
            let key = Sample.hash()
            let keyed = try await store.signedIn(Sample.signIn(Sample.subject("a"), key: key))
            let old = Sample.subject("old", at: Sample.oldIssuer)
            let ported = try await store.signedIn(Sample.signIn(old))
            var record = Sample.signIn(Sample.subject("b"), ported: [Sample.ported(old)])
            record.draft.personKey = .crossClient(key)
            let moved = try await store.signedIn(record)
            #expect(moved.user == ported.user && moved.user != keyed.user && moved.migrated)
        },
        RepositoryContract("where registration is by ticket a key signs its user in without one") { store in
            let key = Sample.hash()
            let first = try await store.signedIn(Sample.signIn(Sample.subject("a"), key: key))
            var record = Sample.signIn(Sample.subject("b"), key: key)
            record.draft.registration = .ticket(Sample.code())
            #expect(try await store.signedIn(record).user == first.user)
            var stranger = Sample.signIn(Sample.subject("c"), key: Sample.hash())
            stranger.draft.registration = .ticket(Sample.code())
            #expect(try await store.signIn(stranger) == .unlinked)
        },
        RepositoryContract("a key opens no more sessions than its user may have") { store in
            let key = Sample.hash()
            let first = try await store.signedIn(
                Sample.signIn(Sample.subject("a"), maximumSessions: 2, key: key))
            for value in ["b", "c"] {
                _ = try await store.signedIn(Sample.signIn(Sample.subject(value), maximumSessions: 2, key: key))
            }
            #expect(try await store.sessions(of: first.user, now: Sample.now).count == 2)
        },
    ]
}

extension Sample {
    /// A sign-in that shows a cross-client key.
    static func signIn(
        _ subject: Subject, attributes: Attributes = jane, session: NewSession = session(),
        maximumSessions: Int64? = 50, key: TokenHash, now: Int64 = now
    ) -> SignInRecord {
        var record = signIn(
            subject, attributes: attributes, session: session, maximumSessions: maximumSessions, now: now)
        record.draft.personKey = .crossClient(key)
        return record
    }
}

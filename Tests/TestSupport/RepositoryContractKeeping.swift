import Accounts
import Patience
import SignIn
import Testing

extension RepositoryContract {
    static let ticketClauses = [
        RepositoryContract("where registration is by ticket, an unknown subject becomes a user with its ticket") {
            store in
            let subject = Sample.subject("1")
            let ticket = Sample.code()
            let code = Sample.code()
            let outcome = try await store.signIn(Sample.signIn(subject, code: code, registration: .ticket(ticket)))
            #expect(outcome == .unlinked)
            #expect(try await !store.isKnown(subject))
            #expect(try await store.isCodeUsed(code.hash, now: Sample.now))
            let session = Sample.session()
            var asked = session
            asked.authentication = Authentication(acr: nil, amr: [], time: nil)
            let redemption = Sample.redemption(
                ticket: ticket.hash, session: asked, reference: "abc", now: Sample.now + 1)
            let redeemed = try await store.redeemed(redemption)
            let signedIn = redeemed.signedIn
            // How the user was authenticated is known from the sign-in that made the ticket.
            #expect(redeemed.session.authentication == Sample.authentication())
            let stored = try await store.session(session.id, now: Sample.now + 1)
            #expect(stored?.authentication == Sample.authentication() && stored?.authenticatedAt == Sample.now - 5)
            #expect(signedIn.isNewUser)
            #expect(signedIn.reference == "abc")
            #expect(signedIn.profile.carrier == Sample.jane)
            #expect(try await store.identities(of: signedIn.user).map(\.subject) == [subject])
            #expect(try await store.session(session.id, now: Sample.now + 1)?.user == signedIn.user)
            await #expect(throws: Refusal.invalidTicket) { try await store.redeemed(redemption) }
        },
        RepositoryContract("a ticket of another client, or out of time, is refused") { store in
            let ticket = Sample.code(expiresAt: Sample.now + 600)
            _ = try await store.signIn(Sample.signIn(Sample.subject("1"), registration: .ticket(ticket)))
            var foreign = Sample.session()
            foreign.client = "ccid-fedcba9876543210"
            let refused = [
                Sample.redemption(ticket: ticket.hash, session: foreign, reference: "abc", now: Sample.now),
                Sample.redemption(
                    ticket: ticket.hash, session: Sample.session(), reference: "abc", now: Sample.now + 600),
            ]
            for redemption in refused {
                await #expect(throws: Refusal.invalidTicket) { try await store.redeemed(redemption) }
            }
        },
        RepositoryContract("a ticket whose subject has got a user meanwhile is refused") { store in
            let subject = Sample.subject("1")
            let ticket = Sample.code()
            _ = try await store.signIn(Sample.signIn(subject, registration: .ticket(ticket)))
            _ = try await store.signedIn(Sample.signIn(subject))
            let redemption = Sample.redemption(
                ticket: ticket.hash, session: Sample.session(), reference: "abc", now: Sample.now)
            await #expect(throws: Refusal.identityInUse) { try await store.redeemed(redemption) }
        },
        RepositoryContract("where registration is by ticket, a known subject signs in and a ported one moves") {
            store in
            let old = Sample.subject("old", at: Sample.oldIssuer)
            let user = try await store.signedIn(Sample.signIn(old)).user
            let known = try await store.signedIn(Sample.signIn(old, registration: .ticket(Sample.code())))
            #expect(known.user == user)
            let moved = try await store.signedIn(
                Sample.signIn(
                    Sample.subject("new"), ported: [Sample.ported(old)], registration: .ticket(Sample.code())))
            #expect(moved.user == user)
            #expect(moved.migrated)
        },
    ]

    static let keepingClauses = [
        RepositoryContract("counts of failed sign-ins come in their order, and go when their time is over") { store in
            let counts = [
                FailedSignInCount(provider: "zenkey", reason: "invalid_grant", network: "192.0.2.0/24", count: 7),
                FailedSignInCount(provider: nil, reason: "other", network: nil, count: 2),
            ]
            try await store.addFailedSignIns(counts, at: Sample.now, expiresAt: Sample.now + 100)
            try await store.addFailedSignIns(counts, at: Sample.now + 60, expiresAt: Sample.now + 160)
            let all = try await store.failedSignIns(FailedSignInSearch(after: 0, named: nil, limit: 10))
            #expect(all.map(\.count) == counts + counts)
            #expect(all.map(\.at) == [Sample.now, Sample.now, Sample.now + 60, Sample.now + 60])
            #expect(
                try await store.failedSignIns(FailedSignInSearch(after: all[0].id, named: nil, limit: 2))
                    == Array(all[1...2]))
            #expect(try await store.sweepExpired(now: Sample.now + 100, limit: 10) == 2)
            #expect(
                try await store.failedSignIns(FailedSignInSearch(after: 0, named: nil, limit: 10)) == Array(all[2...]))
        },
        RepositoryContract("counts of failed sign-ins are found by what one of them was called, and by nothing else") {
            store in
            let names = ["app-1", "app-2", "app-3"].compactMap { CorrelationHash(naming: $0) }
            let counts = [
                FailedSignInCount(
                    provider: "zenkey", reason: "invalid_grant", network: nil, count: 7, names: Array(names[0...1])),
                FailedSignInCount(provider: nil, reason: "other", network: nil, count: 2),
                FailedSignInCount(provider: nil, reason: "overloaded", network: nil, count: 1, names: [names[1]]),
            ]
            try await store.addFailedSignIns(counts, at: Sample.now, expiresAt: Sample.now + 100)
            for (name, found) in zip(names, [[counts[0]], [counts[0], counts[2]], []]) {
                #expect(
                    try await store.failedSignIns(FailedSignInSearch(after: 0, named: name, limit: 10)).map(\.count)
                        == found)
            }
            let first = try await store.failedSignIns(FailedSignInSearch(after: 0, named: names[1], limit: 1))
            #expect(
                try await store.failedSignIns(FailedSignInSearch(after: first[0].id, named: names[1], limit: 9)).map(
                    \.count)
                    == [counts[2]])
        },
        RepositoryContract("signing keys come back as they were given, the newest first, the first of a kid staying") {
            store in
            let old = SigningKey(kid: "old", purpose: .session, privateKey: [1, 2, 3], createdAt: 1)
            let new = SigningKey(kid: "new", purpose: .session, privateKey: [4, 5, 6], createdAt: 2)
            #expect(try await store.signingKeys().isEmpty)
            try await store.addSigningKey(old)
            try await store.addSigningKey(new)
            try await store.addSigningKey(SigningKey(kid: "old", purpose: .session, privateKey: [9], createdAt: 9))
            #expect(try await store.signingKeys() == [new, old])
            #expect(try await store.signingKeyEntries() == [new.entry, old.entry])
        },
        RepositoryContract("a signing key that is retired is gone, stays known, and never comes back") { store in
            let old = SigningKey(kid: "old", purpose: .session, privateKey: [1], createdAt: 1)
            let new = SigningKey(kid: "new", purpose: .session, privateKey: [2], createdAt: 2)
            let receipt = SigningKey(kid: "receipt", purpose: .receipt, privateKey: [3], createdAt: 3)
            for key in [old, new, receipt] { try await store.addSigningKey(key) }
            #expect(try await store.retireSigningKey("old", now: 10) == .retired)
            #expect(try await store.signingKeys() == [receipt, new])
            var retired = old.entry
            retired.retiredAt = 10
            #expect(try await store.signingKeyEntries() == [receipt.entry, new.entry, retired])
            try await store.addSigningKey(old)
            #expect(try await store.signingKeys() == [receipt, new])
            #expect(try await store.retireSigningKey("old", now: 20) == .retiredBefore(at: 10))
            // Nothing is left to be opened, or to be sealed anew.
            #expect(try await store.check().isEmpty)
        },
        RepositoryContract("the signing key in use is not retired, nor one that is not there") { store in
            let old = SigningKey(kid: "old", purpose: .session, privateKey: [1], createdAt: 1)
            let new = SigningKey(kid: "new", purpose: .session, privateKey: [2], createdAt: 2, signsFrom: 50)
            let receipt = SigningKey(kid: "receipt", purpose: .receipt, privateKey: [3], createdAt: 3)
            for key in [old, new, receipt] { try await store.addSigningKey(key) }
            #expect(try await store.retireSigningKey("old", now: 49) == .signs(.session))
            #expect(try await store.retireSigningKey("receipt", now: 49) == .signs(.receipt))
            #expect(try await store.retireSigningKey("none", now: 49) == .unknown)
            #expect(try await store.signingKeys() == [receipt, new, old])
            #expect(try await store.retireSigningKey("old", now: 50) == .retired)
            #expect(try await store.retireSigningKey("new", now: 50) == .signs(.session))
        },
        RepositoryContract("the key ring keeps what was added, the first of a number staying") { store in
            let before = try await store.keyRing()
            let entry = KeyRingEntry(number: 77, sealedKey: [7, 7], createdAt: 7)
            try await store.addToKeyRing(entry)
            try await store.addToKeyRing(KeyRingEntry(number: 77, sealedKey: [8], createdAt: 8))
            #expect(try await store.keyRing() == before + [entry])
        },
        RepositoryContract("expired rows go in steps of the given size, and live ones stay") { store in
            let live = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: live))
            // A store may hold a new user's subject for a moment.
            _ = try await store.sweepExpired(now: Sample.now + 59, limit: 100)
            for _ in 0..<5 {
                let session = Sample.session(expiresAt: Sample.now + 60)
                // Uses of codes may go all at once, by the half-hour.
                var record = Sample.signIn(Sample.subject("1"), session: session)
                record.draft.evidence = .idToken(Sample.code(expiresAt: Sample.now + 60))
                _ = try await store.signedIn(record)
            }
            #expect(try await store.sweepExpired(now: Sample.now + 59, limit: 100) == 0)
            let steps = try await untilNothingIsLeft { try await store.sweepExpired(now: Sample.now + 60, limit: 4) }
            #expect(steps == [4, 4, 2, 0])
            #expect(try await store.session(live.id, now: Sample.now + 60) != nil)
        },
        RepositoryContract("a session that expires after a sweep has passed it goes in a later one") { store in
            var sessions: [NewSession] = []
            for (index, seconds) in ([90, 60, 120] as [Int64]).enumerated() {
                var session = Sample.session(expiresAt: Sample.now + seconds)
                session.id = Sample.sessionID(now: Sample.now + Int64(index))
                sessions.append(session)
                _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            }
            for (seconds, left) in [(60, [0, 2]), (90, [2]), (120, [])] as [(Int64, [Int])] {
                // A step at a time, as a server does it, and then some.
                for _ in 0..<4 { _ = try await store.sweepExpired(now: Sample.now + seconds, limit: 1) }
                var kept: [Int] = []
                for (index, session) in sessions.enumerated()
                where try await store.session(session.id, now: Sample.now) != nil {
                    kept.append(index)
                }
                #expect(kept == left)
            }
        },
        RepositoryContract("the audit trail is read in pages") { store in
            for value in ["1", "2", "3"] { _ = try await store.signedIn(Sample.signIn(Sample.subject(value))) }
            let first = try await store.auditEvents(after: 0, limit: 2)
            #expect(first.count == 2)
            let rest = try await store.auditEvents(after: try #require(first.last).id, limit: 2)
            #expect(rest.count == 1)
            #expect(try await store.auditEvents(after: try #require(rest.last).id, limit: 2).isEmpty)
        },
        RepositoryContract("a store in order has nothing to report, and takes a probing write") { store in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            try await store.probe(now: Sample.now)
            try await store.probe(now: Sample.now + 1)
            #expect(try await store.check().isEmpty)
        },
        RepositoryContract("a closed store says so") { store in
            await store.close()
            await #expect(throws: RepositoryError.unavailable(.closed)) {
                try await store.signIn(Sample.signIn(Sample.subject("1")))
            }
            await #expect(throws: RepositoryError.unavailable(.closed)) {
                try await store.isKnown(Sample.subject("1"))
            }
        },
    ]
}

import Accounts
import Testing

extension RepositoryContract {
    static let migrationClauses = [
        RepositoryContract("a port token moves the user: new identity, other sessions revoked, trail written") {
            store in
            let old = Sample.subject("old", at: Sample.oldIssuer)
            let new = Sample.subject("new")
            let oldSession = Sample.session()
            let newSession = Sample.session()
            let before = try await store.signedIn(Sample.signIn(old, session: oldSession))
            let after = try await store.signedIn(
                Sample.signIn(new, ported: [Sample.ported(old)], session: newSession, now: Sample.now + 1))
            #expect(after.user == before.user)
            #expect(after.migrated)
            #expect(!after.isNewUser)
            #expect(after.profile == before.profile)
            #expect(try await !store.isKnown(old))
            #expect(try await store.isKnown(new))
            let identities = try await store.identities(of: before.user)
            #expect(identities.map(\.id) == [after.identity])
            #expect(identities.map(\.subject) == [new])
            #expect(identities.map(\.origin) == [.migration])
            #expect(try await store.session(oldSession.id, now: Sample.now + 1) == nil)
            #expect(try await store.session(newSession.id, now: Sample.now + 1)?.user == before.user)
            let event = try await store.auditEvents(after: 0, limit: 10).last
            #expect(event?.kind == .identityMigrated)
            #expect(event?.user == before.user)
            #expect(event?.oldIdentity == before.identity)
            #expect(event?.newIdentity == after.identity)
        },
        RepositoryContract("a migration done twice is done once") { store in
            let old = Sample.subject("old", at: Sample.oldIssuer)
            let new = Sample.subject("new")
            let token = Sample.ported(old)
            let before = try await store.signedIn(Sample.signIn(old))
            _ = try await store.signedIn(Sample.signIn(new, ported: [token]))
            let again = try await store.signedIn(Sample.signIn(new, ported: [token]))
            #expect(again.user == before.user)
            #expect(!again.migrated)
            #expect(try await store.auditTrail() == [.userCreated, .identityMigrated])
        },
        RepositoryContract("a port token that names nobody makes a new user") { store in
            let old = Sample.subject("stranger", at: Sample.oldIssuer)
            let signedIn = try await store.signedIn(Sample.signIn(Sample.subject("new"), ported: [Sample.ported(old)]))
            #expect(signedIn.isNewUser)
            #expect(!signedIn.migrated)
        },
        RepositoryContract("port tokens that prove nothing are written down with the user they came for") { store in
            var stranger = Sample.signIn(Sample.subject("1"))
            stranger.draft.refusedPortTokens = 2
            let user = try await store.signedIn(stranger).user
            let events = try await store.auditEvents(after: 0, limit: 10)
            #expect(events.map(\.kind) == [.userCreated, .portTokenRefused, .portTokenRefused])
            #expect(events.map(\.user) == [user, user, user])
            var known = Sample.signIn(Sample.subject("1"))
            known.draft.refusedPortTokens = 1
            _ = try await store.signedIn(known)
            #expect(try await store.auditEvents(after: 0, limit: 10).count == 3)
            let old = Sample.subject("old", at: Sample.oldIssuer)
            let token = Sample.ported(old)
            _ = try await store.signedIn(Sample.signIn(old))
            _ = try await store.signedIn(Sample.signIn(Sample.subject("new"), ported: [token]))
            let again = try await store.signedIn(Sample.signIn(Sample.subject("thief"), ported: [token]))
            #expect(again.usedPortTokens == 1)
            #expect(try await store.auditEvents(after: 0, limit: 10).last?.kind == .portTokenRefused)
        },
        RepositoryContract("a port token moves one account and no second") { store in
            let old = Sample.subject("old", at: Sample.oldIssuer)
            let token = Sample.ported(old)
            _ = try await store.signedIn(Sample.signIn(old))
            _ = try await store.signedIn(Sample.signIn(Sample.subject("new"), ported: [token]))
            // The old carrier gives the same subject out again, and somebody shows the old token again.
            let next = try await store.signedIn(Sample.signIn(old))
            let thief = try await store.signedIn(Sample.signIn(Sample.subject("thief"), ported: [token]))
            #expect(thief.user != next.user)
            #expect(thief.isNewUser)
            #expect(try await store.isKnown(old))
        },
        RepositoryContract("port tokens that name two users are a conflict that changes nothing but the trail") {
            store in
            let a = Sample.subject("a", at: Sample.oldIssuer)
            let b = Sample.subject("b", at: Sample.oldIssuer)
            let new = Sample.subject("new")
            let code = Sample.code()
            let session = Sample.session()
            let first = try await store.signedIn(Sample.signIn(a))
            let second = try await store.signedIn(Sample.signIn(b))
            let ported = [Sample.ported(a), Sample.ported(b)]
            await #expect(throws: Refusal.migrationConflict) {
                try await store.signedIn(Sample.signIn(new, code: code, ported: ported, session: session))
            }
            #expect(try await !store.isKnown(new))
            #expect(try await store.session(session.id, now: Sample.now) == nil)
            #expect(try await store.identities(of: first.user).map(\.subject) == [a])
            #expect(try await store.identities(of: second.user).map(\.subject) == [b])
            #expect(try await store.auditTrail() == [.userCreated, .userCreated, .migrationConflict])
            #expect(try await store.isCodeUsed(code.hash, now: Sample.now))
            await #expect(throws: Refusal.codeAlreadyUsed) {
                try await store.signedIn(Sample.signIn(new, code: code))
            }
        },
        RepositoryContract("a late port token signs in who is known, moves nobody, and offers that the two be one") {
            store in
            let old = Sample.subject("old", at: Sample.oldIssuer)
            let new = Sample.subject("new")
            let former = try await store.signedIn(Sample.signIn(old))
            let own = try await store.signedIn(Sample.signIn(new))
            let token = Sample.ported(old)
            for _ in 0..<2 {
                let again = try await store.signedIn(Sample.signIn(new, ported: [token]))
                #expect(again.user == own.user && again.isMergeOffered && !again.migrated && !again.isNewUser)
            }
            #expect(try await store.identities(of: former.user).map(\.subject) == [old])
            #expect(try await store.sessions(of: former.user, now: Sample.now).count == 1)
            let event = try await store.auditEvents(after: 0, limit: 9).last
            #expect(event?.kind == .mergeOffered && event?.user == own.user)
            #expect(event?.oldIdentity == former.identity && event?.newIdentity == own.identity)
            // Once they are one there is nothing to offer.
            try await store.merged(former.user, into: own.user)
            let one = try await store.signedIn(
                Sample.signIn(new, ported: [token], beginning: .seen((Sample.now + 1) * 1000)))
            #expect(one.user == own.user && !one.isMergeOffered)
        },
        RepositoryContract(
            "a user who moved twice is found by the later port token, the earlier one saying nothing any more"
        ) { store in
            let first = Sample.subject("first", at: Sample.oldIssuer)
            let second = Sample.subject("second", at: "https://second.example")
            let third = Sample.subject("third")
            let user = try await store.signedIn(Sample.signIn(first)).user
            _ = try await store.signedIn(Sample.signIn(second, ported: [Sample.ported(first)]))
            let ported = [Sample.ported(second), Sample.ported(first)]
            let moved = try await store.signedIn(Sample.signIn(third, ported: ported))
            #expect(moved.user == user)
            #expect(try await store.identities(of: user).map(\.subject) == [third])
        },
    ]
}

import Accounts
import Testing

extension RepositoryContract {
    static let signInClauses = [
        RepositoryContract("the first sign-in of a subject makes a user with profile, identity and session") { store in
            let session = Sample.session()
            let subject = Sample.subject("310-1")
            #expect(try await !store.isKnown(subject))
            let signedIn = try await store.signedIn(
                Sample.signIn(subject, registration: .automatic(reference: "abc"), session: session))
            #expect(signedIn.isNewUser)
            #expect(!signedIn.migrated)
            #expect(signedIn.reference == "abc")
            #expect(signedIn.profile == Profile(Sample.said))
            #expect(try await store.isKnown(subject))
            let user = try await store.user(signedIn.user)
            #expect(
                user
                    == User(
                        id: signedIn.user, reference: "abc", profile: Profile(Sample.said),
                        createdAt: Sample.now, updatedAt: Sample.now))
            let identity = Identity(
                id: signedIn.identity, user: signedIn.user, provider: "zenkey", subject: subject, origin: .signIn,
                linkedAt: Sample.now, lastSignInAt: Sample.now, emailStoppedAt: nil)
            #expect(try await store.identities(of: signedIn.user) == [identity])
            let stored = Session(
                id: session.id, user: signedIn.user, userReference: "abc", family: session.family,
                generation: Session.firstGeneration, rotatedAt: nil, expiresAt: session.expiresAt,
                createdAt: Sample.now, userAgent: "App/1.0", authentication: Sample.authentication(),
                authenticatedAt: Sample.now - 5, challengedAt: nil, provider: "zenkey", client: session.client,
                identity: signedIn.identity, scope: nil, audience: nil, source: .signIn,
                declined: "email phone", isMergeOffered: false)
            #expect(try await store.session(session.id, now: Sample.now) == stored)
            let trail = try await store.auditEvents(after: 0, limit: 10)
            #expect(trail.map(\.kind) == [.userCreated])
            #expect(trail.first?.user == signedIn.user)
            #expect(trail.first?.newIdentity == signedIn.identity)
            #expect(trail.first?.at == Sample.now)
        },
        RepositoryContract("a known subject signs in as its user and opens a second session") { store in
            let subject = Sample.subject("310-1")
            let first = Sample.session()
            let second = Sample.session()
            let before = try await store.signedIn(Sample.signIn(subject, session: first))
            let after = try await store.signedIn(Sample.signIn(subject, session: second, now: Sample.now + 60))
            #expect(after.user == before.user)
            #expect(after.identity == before.identity)
            #expect(!after.isNewUser)
            #expect(after.reference == before.reference)
            let identities = try await store.identities(of: before.user)
            #expect(identities.map(\.lastSignInAt) == [Sample.now + 60])
            #expect(identities.map(\.linkedAt) == [Sample.now])
            let live = try await store.sessions(of: before.user, now: Sample.now + 60)
            #expect(live.map(\.id) == [first.id, second.id])
        },
        RepositoryContract("the same sub at two issuers is two users") { store in
            let here = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            let there = try await store.signedIn(Sample.signIn(Sample.subject("1", at: Sample.oldIssuer)))
            #expect(here.user != there.user)
        },
        RepositoryContract("subjects that differ in case, or only in how a letter is composed, are different") {
            store in
            let values = ["a-1", "A-1", "caf\u{E9}", "cafe\u{301}"]
            var users: Set<UserID> = []
            for value in values { users.insert(try await store.signedIn(Sample.signIn(Sample.subject(value))).user) }
            #expect(users.count == values.count)
        },
        RepositoryContract("an authorization code works once and changes nothing the second time") { store in
            let code = Sample.code()
            let session = Sample.session()
            #expect(try await !store.isCodeUsed(code.hash, now: Sample.now))
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), code: code))
            #expect(try await store.isCodeUsed(code.hash, now: Sample.now))
            await #expect(throws: Refusal.codeAlreadyUsed) {
                try await store.signedIn(Sample.signIn(Sample.subject("2"), code: code, session: session))
            }
            #expect(try await !store.isKnown(Sample.subject("2")))
            #expect(try await store.session(session.id, now: Sample.now) == nil)
        },
        RepositoryContract("what works once works once, whatever it is") { store in
            for (number, evidence) in [
                Evidence.idToken(Sample.code()), .idTokenWithCode(Sample.code(), code: Sample.code()),
                .pushedTokens(Sample.code()),
            ].enumerated() {
                let use = try #require(evidence.oneTimeUse)
                _ = try await store.signedIn(Sample.signIn(Sample.subject("\(number)"), evidence: evidence))
                #expect(try await store.isCodeUsed(use.hash, now: Sample.now))
                for other in ["\(number)", "other"] {
                    await #expect(throws: Refusal.codeAlreadyUsed) {
                        try await store.signedIn(Sample.signIn(Sample.subject(other), evidence: evidence))
                    }
                }
            }
            #expect(try await !store.isKnown(Sample.subject("other")))
        },
        RepositoryContract("an access token signs in as often as it is shown, and leaves nothing to be swept") {
            store in
            var users: Set<UserID> = []
            for round in 0..<20 {
                let signedIn = try await store.signedIn(Sample.signIn(Sample.subject("1"), evidence: .accessToken(nil)))
                #expect(signedIn.isNewUser == (round == 0))
                users.insert(signedIn.user)
                // A store may hold a new user's subject for a moment.
                if round == 0 { _ = try await store.sweepExpired(now: Sample.now + 59, limit: 100) }
            }
            let user = try #require(users.first)
            #expect(users.count == 1)
            #expect(try await store.sessions(of: user, now: Sample.now).count == 20)
            // Later than whatever is remembered for a moment, and before the sessions are over.
            #expect(try await store.sweepExpired(now: Sample.now + 3600, limit: 1000) == 0)
        },
        RepositoryContract("a code recorded after a failed exchange never signs in") { store in
            let code = Sample.code()
            try await store.recordUsedCode(code, now: Sample.now)
            try await store.recordUsedCode(code, now: Sample.now)
            #expect(try await store.isCodeUsed(code.hash, now: Sample.now))
            await #expect(throws: Refusal.codeAlreadyUsed) {
                try await store.signedIn(Sample.signIn(Sample.subject("1"), code: code))
            }
        },
        RepositoryContract("a code is forgotten minutes after its time is over, and never before") { store in
            let code = Sample.code(expiresAt: Sample.now + 60)
            try await store.recordUsedCode(code, now: Sample.now)
            #expect(try await store.isCodeUsed(code.hash, now: Sample.now + 59))
            let later = Sample.now + 60 + 300
            #expect(try await !store.isCodeUsed(code.hash, now: later))
            let again = OneTimeUse(hash: code.hash, expiresAt: later + 60)
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), code: again, now: later))
            #expect(try await store.isCodeUsed(code.hash, now: later + 59))
        },
    ]

    static let profileClauses = [
        RepositoryContract("what the carrier sends is merged into the profile, and updates only what changed") {
            store in
            let subject = Sample.subject("1")
            let first = try await store.signedIn(Sample.signIn(subject))
            let same = try await store.signedIn(Sample.signIn(subject, now: Sample.now + 1))
            #expect(same.profile == first.profile)
            #expect(try await store.user(first.user)?.updatedAt == Sample.now)
            let sent: Attributes = ["email": "new@example.com"]
            let changed = try await store.signedIn(Sample.signIn(subject, attributes: sent, now: Sample.now + 2))
            #expect(changed.profile.carrier.email == "new@example.com")
            #expect(changed.profile.carrier.name == "Jane Doe")
            let user = try await store.user(first.user)
            #expect(user?.profile == changed.profile)
            #expect(user?.updatedAt == Sample.now + 2)
        },
        RepositoryContract("a user without attributes has an empty profile") { store in
            let signedIn = try await store.signedIn(Sample.signIn(Sample.subject("1"), attributes: Attributes()))
            #expect(signedIn.profile == Profile())
            #expect(try await store.user(signedIn.user)?.profile == Profile())
        },
    ]
}

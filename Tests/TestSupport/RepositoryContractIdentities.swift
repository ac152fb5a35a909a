import Accounts
import Testing

extension RepositoryContract {
    static let identityClauses = linkClauses + unlinkClauses + repointClauses

    private static let linkClauses = [
        RepositoryContract("a signed-in user adds an identity and signs in by it") { store in
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            let second = Sample.subject("2", at: Sample.oldIssuer)
            let code = Sample.code()
            let sent: Attributes = ["locale": "en-US"]
            let outcome = try await store.linked(
                Sample.link(second, session.id, code: code, attributes: sent, now: Sample.now + 1))
            #expect(outcome.isNew)
            let identity = Identity(
                id: outcome.identity.id, user: user, provider: "other", subject: second, origin: .link,
                linkedAt: Sample.now + 1, lastSignInAt: Sample.now + 1, emailStoppedAt: nil)
            #expect(outcome.identity == identity)
            #expect(try await store.identities(of: user).last == identity)
            #expect(try await store.user(user)?.profile.carrier["locale"] == "en-US")
            #expect(try await store.user(user)?.profile.carrier.name == "Jane Doe")
            let event = try await store.auditEvents(after: 0, limit: 10).last
            #expect(event?.kind == .identityLinked)
            #expect(event?.user == user)
            #expect(event?.newIdentity == identity.id)
            #expect(try await store.isCodeUsed(code.hash, now: Sample.now))
            #expect(try await store.signedIn(Sample.signIn(second)).user == user)
        },
        RepositoryContract("adding one's own identity again is one more sign-in by it") { store in
            let subject = Sample.subject("1")
            let session = Sample.session()
            let user = try await store.signedIn(Sample.signIn(subject, session: session)).user
            let outcome = try await store.linked(Sample.link(subject, session.id, now: Sample.now + 9))
            #expect(!outcome.isNew)
            #expect(outcome.identity.lastSignInAt == Sample.now + 9)
            #expect(try await store.identities(of: user) == [outcome.identity])
            #expect(try await store.auditTrail() == [.userCreated])
        },
        RepositoryContract("another user's identity can't be added; the code is used and the trail has it") { store in
            let session = Sample.session()
            let code = Sample.code()
            let jane = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            let john = try await store.signedIn(Sample.signIn(Sample.subject("2")))
            await #expect(throws: Refusal.identityInUse) {
                try await store.linked(Sample.link(Sample.subject("2"), session.id, code: code))
            }
            #expect(try await store.identities(of: jane).count == 1)
            #expect(try await store.identities(of: john.user).count == 1)
            let event = try await store.auditEvents(after: 0, limit: 10).last
            #expect(event?.kind == .linkConflict)
            #expect(event?.user == jane)
            #expect(event?.oldIdentity == john.identity)
            await #expect(throws: Refusal.codeAlreadyUsed) {
                try await store.linked(Sample.link(Sample.subject("3"), session.id, code: code))
            }
        },
        RepositoryContract("nothing is added in the name of a session that is gone") { store in
            let session = Sample.session(expiresAt: Sample.now + 60)
            let code = Sample.code()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            await #expect(throws: Refusal.sessionGone) {
                try await store.linked(Sample.link(Sample.subject("2"), session.id, code: code, now: Sample.now + 60))
            }
            #expect(try await !store.isKnown(Sample.subject("2")))
            #expect(try await store.isCodeUsed(code.hash, now: Sample.now))
        },
    ]

    private static let unlinkClauses = [
        RepositoryContract("an unlinked identity is free again, and ends its sessions") { store in
            let session = Sample.session()
            let other = Sample.session()
            let second = Sample.subject("2")
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user
            let linked = try await store.linked(Sample.link(second, session.id)).identity
            var record = Sample.signIn(second, session: other)
            record.draft.provider = linked.provider
            _ = try await store.signedIn(record)
            #expect(
                try await store.unlinked(linked.id, under: session.id, demands: Sample.demands, now: Sample.now + 1)
                    == .unlinked)
            #expect(try await store.identities(of: user).map(\.subject) == [Sample.subject("1")])
            #expect(try await store.sessions(of: user, now: Sample.now).map(\.id) == [session.id])
            let event = try await store.auditEvents(after: 0, limit: 10).last
            #expect(event?.kind == .identityUnlinked)
            #expect(event?.oldIdentity == linked.id)
            #expect(try await store.signedIn(Sample.signIn(second, now: Sample.now + 2)).user != user)
        },
        RepositoryContract("unlinking ends no session of another identity at the same provider") { store in
            let (first, second) = (Sample.session(), Sample.session())
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: first)).user
            var link = Sample.link(Sample.subject("2"), first.id)
            link.provider = "zenkey"
            let linked = try await store.linked(link).identity
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2"), session: second))
            #expect(try await store.session(second.id, now: Sample.now)?.identity == linked.id)
            #expect(
                try await store.unlinked(linked.id, under: first.id, demands: Sample.demands, now: Sample.now)
                    == .unlinked)
            #expect(try await store.sessions(of: user, now: Sample.now).map(\.id) == [first.id])
        },
        RepositoryContract("unlinking ends the identity's sessions whatever its provider was called then") { store in
            let (first, second) = (Sample.session(), Sample.session())
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: first)).user
            let linked = try await store.linked(Sample.link(Sample.subject("2"), first.id)).identity
            var renamed = Sample.signIn(Sample.subject("2"), session: second)
            renamed.draft.provider = "renamed"
            _ = try await store.signedIn(renamed)
            #expect(
                try await store.unlinked(linked.id, under: first.id, demands: Sample.demands, now: Sample.now)
                    == .unlinked)
            #expect(try await store.sessions(of: user, now: Sample.now).map(\.id) == [first.id])
        },
        RepositoryContract("the last identity stays") { store in
            let session = Sample.session()
            let signedIn = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            let outcome = try await store.unlinked(
                signedIn.identity, under: session.id, demands: Sample.demands, now: Sample.now)
            #expect(outcome == .lastIdentity)
            #expect(try await store.identities(of: signedIn.user).count == 1)
            #expect(try await store.sessions(of: signedIn.user, now: Sample.now).count == 1)
        },
        RepositoryContract("nobody unlinks another's identity, or one that is not there") { store in
            let session = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            _ = try await store.linked(Sample.link(Sample.subject("2"), session.id))
            let john = try await store.signedIn(Sample.signIn(Sample.subject("3")))
            for identity in [john.identity, IdentityID(rawValue: 4711)] {
                let outcome = try await store.unlinked(
                    identity, under: session.id, demands: Sample.demands, now: Sample.now)
                #expect(outcome == .notFound)
            }
            #expect(try await store.identities(of: john.user).count == 1)
        },
    ]

    private static let repointClauses = [
        RepositoryContract("an operator gives a user an identity that nobody has") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            let subject = Sample.subject("2")
            let outcome = try await store.repoint(subject, provider: "zenkey", to: user, now: Sample.now + 1)
            let identity = try #require(try await store.identities(of: user).last)
            #expect(identity.subject == subject)
            #expect(outcome == .linked(identity))
            let event = try await store.auditEvents(after: 0, limit: 10).last
            #expect(event?.kind == .identityRepointed)
            #expect(event?.newIdentity == identity.id)
            #expect(try await store.signedIn(Sample.signIn(subject, now: Sample.now + 2)).user == user)
            #expect(try await store.repoint(subject, provider: "zenkey", to: user, now: Sample.now) == .alreadyThere)
        },
        RepositoryContract("an identity an operator moves leaves its former user without sessions") { store in
            let jane = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            let john = try await store.signedIn(Sample.signIn(Sample.subject("2")))
            let outcome = try await store.repoint(Sample.subject("2"), provider: "zenkey", to: jane, now: Sample.now)
            let moved = try #require(try await store.identities(of: jane).last)
            #expect(outcome == .moved(moved, from: john.user, identitiesLeft: 0))
            #expect(try await store.identities(of: john.user).isEmpty)
            #expect(try await store.sessions(of: john.user, now: Sample.now).isEmpty)
            #expect(try await store.sessions(of: jane, now: Sample.now).count == 1)
            let events = try await store.auditEvents(after: 0, limit: 10).suffix(2)
            #expect(events.map(\.kind) == [.identityUnlinked, .identityRepointed])
            #expect(events.map(\.user) == [john.user, jane])
            #expect(events.map(\.oldIdentity) == [john.identity, john.identity])
        },
        RepositoryContract("an operator gives nobody nothing") { store in
            let nobody = UserID(rawValue: 4711)
            let outcome = try await store.repoint(Sample.subject("1"), provider: "zenkey", to: nobody, now: Sample.now)
            #expect(outcome == .noSuchUser)
            #expect(try await !store.isKnown(Sample.subject("1")))
        },
    ]
}

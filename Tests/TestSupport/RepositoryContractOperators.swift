import Accounts
import Testing

extension RepositoryContract {
    static let operatorClauses = listClauses + importClauses

    private static let listClauses = [
        RepositoryContract("users are listed in pages by number, with what an operator may see") { store in
            let session = Sample.session()
            var users: [UserID] = []
            users.append(try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session)).user)
            for value in ["2", "3"] {
                users.append(try await store.signedIn(Sample.signIn(Sample.subject(value))).user)
            }
            _ = try await store.linked(Sample.link(Sample.subject("4"), session.id, now: Sample.now + 7))
            let first = try await store.users(after: nil, limit: 2, provider: nil)
            #expect(first.map(\.id) == Array(users[..<2]))
            #expect(first.map(\.identities) == [2, 1])
            #expect(first.map(\.lastSignInAt) == [Sample.now + 7, Sample.now])
            #expect(first.map(\.createdAt) == [Sample.now, Sample.now])
            let rest = try await store.users(after: first.last?.id, limit: 2, provider: nil)
            #expect(rest.map(\.id) == [users[2]])
            #expect(try await store.users(after: users[2], limit: 2, provider: nil).isEmpty)
            #expect(try await store.users(after: nil, limit: 9, provider: "other").map(\.id) == [users[0]])
            #expect(try await store.users(after: users[0], limit: 9, provider: "other").isEmpty)
            #expect(try await store.users(after: nil, limit: 9, provider: "zenkey").count == 3)
        },
        RepositoryContract("a user is found by the subject") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            #expect(try await store.user(with: Sample.subject("1")) == user)
            #expect(try await store.user(with: Sample.subject("1", at: Sample.oldIssuer)) == nil)
        },
        RepositoryContract("a user is found by the reference that apps know, until erased") { store in
            let signedIn = try await store.signedIn(
                Sample.signIn(Sample.subject("1"), registration: .automatic(reference: "first")))
            _ = try await store.signedIn(
                Sample.signIn(Sample.subject("2"), registration: .automatic(reference: "second")))
            #expect(try await store.user(reference: "first") == signedIn.user)
            #expect(try await store.user(reference: "First") == nil)
            _ = try await store.erase(signedIn.user, now: Sample.now)
            #expect(try await store.user(reference: "first") == nil)
        },
        RepositoryContract("users are counted") { store in
            #expect(try await store.userCount() == 0)
            let first = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            for value in ["1", "2", "3"] { _ = try await store.signedIn(Sample.signIn(Sample.subject(value))) }
            #expect(try await store.userCount() == 3)
            _ = try await store.erase(first, now: Sample.now)
            _ = try await store.erase(first, now: Sample.now)
            #expect(try await store.userCount() == 2)
        },
        RepositoryContract("a sign-in that fails half-way counts nobody") { store in
            let session = Sample.session()
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            // A session id that is taken: the user was stored by then.
            await #expect(throws: RepositoryError.self) {
                try await store.signIn(Sample.signIn(Sample.subject("2"), session: session))
            }
            _ = try await store.signedIn(Sample.signIn(Sample.subject("3")))
            #expect(try await store.userCount() == 2)
            #expect(try await store.users(after: nil, limit: 9, provider: nil).count == 2)
        },
        RepositoryContract("a user's record has everything of that user and nothing of another") { store in
            let session = Sample.session()
            let subject = Sample.subject("1")
            let user = try await store.signedIn(Sample.signIn(subject, session: session)).user
            let other = try await store.signedIn(Sample.signIn(Sample.subject("2"))).user
            _ = try await store.receipted(Sample.transaction(subject, session.id))
            _ = try await store.revokeSessions(of: other, except: nil, now: Sample.now)
            let record = try #require(try await store.record(of: user, now: Sample.now))
            #expect(record.user == (try await store.user(user)))
            #expect(record.identities == (try await store.identities(of: user)))
            #expect(record.sessions == (try await store.sessions(of: user, now: Sample.now)))
            #expect(record.receipts == (try await store.receipts(of: user)))
            #expect(record.receipts.count == 1)
            #expect(record.auditEvents.map(\.kind) == [.userCreated])
            #expect(record.auditEvents.map(\.user) == [user])
            _ = try await store.erase(user, now: Sample.now)
            let erased = try await store.record(of: user, now: Sample.now)
            #expect(erased == nil)
        },
        RepositoryContract("one user's part of the audit trail is read in pages") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            let other = try await store.signedIn(Sample.signIn(Sample.subject("2"))).user
            _ = try await store.revokeSessions(of: user, except: nil, now: Sample.now)
            let first = try await store.auditEvents(after: 0, limit: 1, user: user)
            #expect(first.map(\.kind) == [.userCreated])
            let rest = try await store.auditEvents(after: try #require(first.last).id, limit: 9, user: user)
            #expect(rest.map(\.kind) == [.sessionsRevoked])
            #expect(try await store.auditEvents(after: 0, limit: 9, user: other).count == 1)
        },
    ]

    private static func imported(
        _ values: [String], reference: String = "ref", own: Attributes = Attributes()
    ) -> ImportedUser {
        ImportedUser(
            reference: reference, profile: Profile(Sample.said, own: own), createdAt: 1_500_000_000,
            identities: values.map {
                ImportedUser.Identity(provider: "zenkey", subject: Sample.subject($0), emailStoppedAt: nil)
            })
    }

    private static let importClauses = [
        RepositoryContract("an imported user is there as given, and signs in") { store in
            let entry = imported(["1", "2"], own: ["username": "jane"])
            let results = try await store.importUsers([entry], now: Sample.now)
            let user = try #require(try await store.user(with: Sample.subject("1")))
            #expect(results == [.created(user)])
            let stored = User(
                id: user, reference: "ref", profile: entry.profile, createdAt: 1_500_000_000, updatedAt: 1_500_000_000)
            #expect(try await store.user(user) == stored)
            let identities = try await store.identities(of: user)
            #expect(identities.map(\.subject) == [Sample.subject("1"), Sample.subject("2")])
            #expect(identities.map(\.origin) == [.imported, .imported])
            #expect(identities.map(\.lastSignInAt) == [0, 0])
            #expect(try await store.users(after: nil, limit: 1, provider: nil).map(\.lastSignInAt) == [nil])
            #expect(try await store.auditTrail() == [.userImported, .identityImported, .identityImported])
            let signedIn = try await store.signedIn(Sample.signIn(Sample.subject("2")))
            #expect(signedIn.user == user)
            #expect(signedIn.profile.own == ["username": "jane"])
        },
        RepositoryContract("an imported user whose mail was stopped elsewhere is known for it, also after a sign-in") {
            store in
            var entry = imported(["1", "2"])
            entry.identities[0].emailStoppedAt = Sample.now - 10
            _ = try await store.importUsers([entry], now: Sample.now)
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            #expect(try await store.identities(of: user).map(\.emailStoppedAt) == [Sample.now - 10, nil])
        },
        RepositoryContract("importing again changes nothing, and completes what was missing") { store in
            _ = try await store.importUsers([imported(["1"])], now: Sample.now)
            let user = try #require(try await store.user(with: Sample.subject("1")))
            let before = try await store.user(user)
            #expect(try await store.importUsers([imported(["1"])], now: Sample.now) == [.alreadyThere(user)])
            let more = imported(["2", "1"], reference: "other")
            #expect(try await store.importUsers([more], now: Sample.now) == [.completed(user)])
            #expect(try await store.identities(of: user).count == 2)
            #expect(try await store.user(user) == before)
            #expect(try await store.userCount() == 1)
        },
        RepositoryContract("an imported user whose identities belong to several users is a conflict") { store in
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2")))
            #expect(try await store.importUsers([imported(["1", "2", "3"])], now: Sample.now) == [.conflict])
            #expect(try await !store.isKnown(Sample.subject("3")))
        },
        RepositoryContract("a batch may name an identity twice, and a user without any is not stored") { store in
            let batch = [
                imported(["1", "1"]), imported(["1"]), imported(["1", "2"]), imported([]), imported(["3"]),
                imported(["2", "3"]),
            ]
            let results = try await store.importUsers(batch, now: Sample.now)
            let first = try #require(try await store.user(with: Sample.subject("1")))
            let second = try #require(try await store.user(with: Sample.subject("3")))
            #expect(
                results == [
                    .created(first), .alreadyThere(first), .completed(first), .noIdentity, .created(second), .conflict,
                ])
            #expect(try await store.userCount() == 2)
        },
    ]
}

import Accounts
import Patience
import Testing

extension RepositoryContract {
    static let contactClauses = findingClauses + indexClauses

    private static let findingClauses = [
        RepositoryContract("users are found by address and number, in any spelling, with whose word it is") { store in
            let jane = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            _ = try await store.signedIn(Sample.signIn(Sample.subject("2"), attributes: ["name": "Nobody"]))
            for (contact, value) in [
                (Contact.email, "jane@example.com"), (.email, " JANE@Example.COM "), (.phoneNumber, "+12065550100"),
                (.phoneNumber, "001 (206) 555-0100"),
            ] {
                let found = try await store.users(with: contact, value, limit: 10)
                #expect(found.matches.map(\.user.id) == [jane])
                #expect(found.matches.map(\.givers) == [[.provider("zenkey", isVerified: false)]])
                #expect(found.isComplete && !found.hasMore)
            }
            for (contact, value) in [
                (Contact.email, "jane@example.org"), (.email, "+12065550100"), (.phoneNumber, "jane@example.com"),
                (.phoneNumber, "+1206555010"), (.email, " "),
            ] {
                #expect(try await store.users(with: contact, value, limit: 10).matches.isEmpty)
            }
        },
        RepositoryContract("a user who claims a victim's address is told from the victim, and never comes first") {
            store in
            for number in 1...3 {
                let user = try await store.signedIn(Sample.signIn(Sample.subject("\(number)"), attributes: [:])).user
                _ = try await store.editProfile(of: user, [ProfileEdit("email", "jane@example.com")], now: Sample.now)
            }
            let given = try await store.signedIn(Sample.signIn(Sample.subject("given"))).user
            var verified = Sample.jane
            verified["email_verified"] = "true"
            let victim = try await store.signedIn(Sample.signIn(Sample.subject("v"), attributes: verified)).user
            let all = try await store.users(with: .email, "jane@example.com", limit: 10)
            #expect(
                all.matches.map(\.givers) == [
                    [.provider("zenkey", isVerified: true)], [.provider("zenkey", isVerified: false)], [.user], [.user],
                    [.user],
                ])
            let first = try await store.users(with: .email, "jane@example.com", limit: 2)
            #expect(first.matches.map(\.user.id) == [victim, given])
            #expect(first.hasMore)
        },
        RepositoryContract("a user is found by what every provider gave and by the own word, until it changes") {
            store in
            func found(_ value: String) async throws -> [GivenContact.Giver] {
                try await store.users(with: .email, value, limit: 10).matches.flatMap(\.givers)
            }
            let session = Sample.session()
            let subject = Sample.subject("1")
            let user = try await store.signedIn(Sample.signIn(subject, session: session)).user
            let sent: Attributes = ["email": "other@example.com", "email_verified": "true"]
            let linked = try await store.linked(Sample.link(Sample.subject("2"), session.id, attributes: sent)).identity
            _ = try await store.editProfile(of: user, [ProfileEdit("email", "own@example.com")], now: Sample.now)
            #expect(try await found("jane@example.com") == [.provider("zenkey", isVerified: false)])
            #expect(try await found("other@example.com") == [.provider("other", isVerified: true)])
            #expect(try await found("own@example.com") == [.user])
            _ = try await store.unlinked(linked.id, under: session.id, demands: Sample.demands, now: Sample.now)
            #expect(try await found("other@example.com").isEmpty)
            let changed: Attributes = ["email": "new@example.com"]
            _ = try await store.signIn(Sample.signIn(subject, attributes: changed))
            #expect(try await found("jane@example.com").isEmpty)
            #expect(try await found("new@example.com") == [.provider("zenkey", isVerified: false)])
            _ = try await store.editProfile(of: user, [ProfileEdit("email", nil)], now: Sample.now)
            #expect(try await found("own@example.com").isEmpty)
            _ = try await store.erase(user, now: Sample.now)
            #expect(try await found("new@example.com").isEmpty)
        },
        RepositoryContract("a user who was brought from elsewhere is found, too") { store in
            let entry = ImportedUser(
                reference: "abc", profile: Profile(carrier: Sample.jane, own: ["phone_number": "+49 170 1"]),
                createdAt: 1,
                identities: [
                    ImportedUser.Identity(provider: "zenkey", subject: Sample.subject("1"), emailStoppedAt: nil)
                ])
            _ = try await store.importUsers([entry], now: Sample.now)
            let given = try await store.users(with: .email, "jane@example.com", limit: 10)
            #expect(given.matches.map(\.givers) == [[.provider("zenkey", isVerified: false)]])
            let own = try await store.users(with: .phoneNumber, "+491701", limit: 10)
            #expect(own.matches.map(\.givers) == [[.user]])
        },
    ]

    private static let indexClauses = [
        RepositoryContract("users are found while their index gets another key, and the old key goes at its end") {
            store in
            for number in 1...5 { _ = try await store.signIn(Sample.signIn(Sample.subject("\(number)"))) }
            #expect(try await store.indexContacts(limit: 2) == 0)
            let first = try await store.secretKeys(for: .contact).map(\.number)
            try await store.rotateSecretKey(for: .contact, keepingSeconds: .max, now: Sample.now)
            var looked = 0
            try await untilNothingIsLeft {
                #expect(try await store.janes() == 5 + (looked > 2 ? 1 : 0))
                if looked == 2 { _ = try await store.signIn(Sample.signIn(Sample.subject("6"))) }
                let step = try await store.indexContacts(limit: 2)
                if step == 0 { return 0 }
                looked += step
                _ = try await store.reloadSecretKeys()
                return step
            }
            _ = try await store.reloadSecretKeys()
            #expect(looked == 6)
            #expect(try await store.janes() == 6)
            #expect(try await store.users(with: .email, "jane@example.com", limit: 10).isComplete)
            let second = try await store.secretKeys(for: .contact).map(\.number)
            #expect(second.count == 1 && first.count == 1 && second != first)
        }
    ]
}

extension AccountRepository {
    /// How many users have Jane's address.
    fileprivate func janes() async throws -> Int {
        try await users(with: .email, "jane@example.com", limit: 10).matches.count
    }
}

import Accounts
import Testing

extension RepositoryContract {
    static let provenanceClauses = [
        RepositoryContract("what a provider gave goes with its last identity, and another one's shows again") { store in
            let session = Sample.session()
            let jane = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
            let sent: Attributes = ["email": "other@example.com", "email_verified": "true", "locale": "en-US"]
            let first = try await store.linked(Sample.link(Sample.subject("2"), session.id, attributes: sent)).identity
            let second = try await store.linked(Sample.link(Sample.subject("3"), session.id, attributes: sent)).identity
            #expect(try await store.user(jane.user)?.profile.shown.email == "other@example.com")
            _ = try await store.unlinked(second.id, under: session.id, demands: Sample.demands, now: Sample.now)
            #expect(try await store.user(jane.user)?.profile.isVerified(.email) == true)
            _ = try await store.unlinked(first.id, under: session.id, demands: Sample.demands, now: Sample.now)
            let profile = try #require(try await store.user(jane.user)?.profile)
            #expect(profile.shown.email == "jane@example.com")
            #expect(!profile.isVerified(.email))
            #expect(profile.carrier["locale"] == "en-US")
        },
        RepositoryContract("a level comes back, with the time of the first sign-in that brought it") { store in
            var sent: Attributes = ["name": "Jane Doe", "postal_code": "90210"]
            sent.assure("postal_code", .level(2))
            var user: UserID?
            for time in [Sample.now, Sample.now + 10] {
                user = try await store.signedIn(Sample.signIn(Sample.subject("1"), attributes: sent, now: time)).user
            }
            let given = try await store.user(try #require(user))?.profile.given.last
            #expect(given?.name == "postal_code" && given?.assurance == .level(2))
            #expect(given?.since == Sample.now && given?.provider == "zenkey")
        },
        RepositoryContract("an operator who moves an identity takes what its provider gave from its former user") {
            store in
            let subject = Sample.subject("1")
            let jane = try await store.signedIn(Sample.signIn(subject)).user
            let other = try await store.signedIn(Sample.signIn(Sample.subject("2"), attributes: [:])).user
            _ = try await store.repoint(subject, provider: "zenkey", to: other, now: Sample.now)
            let profile = try #require(try await store.user(jane)?.profile)
            #expect(profile.contacts.isEmpty)
            #expect(profile.shown.name == "Jane Doe")
        },
        RepositoryContract("a user who leaves for another provider leaves what only the old one could vouch for") {
            store in
            let old = Sample.subject("old", at: Sample.oldIssuer)
            var before = Sample.signIn(old)
            (before.draft.provider, before.draft.claims) = ("former", ["roles": "[1]"])
            let user = try await store.signedIn(before).user
            let record = Sample.signIn(
                Sample.subject("new"), ported: [Sample.ported(old)], attributes: ["phone_number": "+12065550100"])
            let ported = try await store.signedIn(record)
            #expect(ported.user == user)
            #expect(
                ported.profile.contacts == [
                    GivenContact(.phoneNumber, "+12065550100", by: .provider("zenkey", isVerified: false))
                ])
            #expect(ported.profile.claimsByProvider.isEmpty)
            #expect(try await store.user(user)?.profile == ported.profile)
        },
        RepositoryContract("further claims come back with their types, for each provider as it sent them last") {
            store in
            let subject = Sample.subject("1")
            var record = Sample.signIn(subject)
            record.draft.claims = ["roles": #"["a",{"b":1}]"#, "level": "1.5"]
            let user = try await store.signedIn(record).user
            #expect(try await store.user(user)?.profile.claims(of: "zenkey") == record.claims)
            var again = Sample.signIn(subject)
            again.draft.claims = ["level": "2"]
            #expect(try await store.signedIn(again).profile.claims(of: "zenkey") == ["level": "2"])
            #expect(try await store.user(user)?.profile.claims(of: "zenkey") == ["level": "2"])
        },
    ]
}

import Accounts
import AccountsSQL
import PostgresTestSupport
import TestSupport
import Testing

@testable import AccountsPostgres

@Suite struct `Somebody new` {
    private func withTwoStores(_ body: (PostgresAccounts, PostgresAccounts) async throws -> Void) async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store in
                try await withStore(at: address) { other in try await body(store, other) }
            }
        }
    }

    private let record = Sample.signIn(Sample.subject("1"))

    /// By the single statement alone.
    private func signUp(_ record: SignInRecord, in store: PostgresAccounts) async throws -> SignedIn? {
        try await NewUserSignIn(signIn: try #require(SimpleSignIn(record))).run(in: store)
    }

    @Test func `is signed in by one statement, and known and found from then on`() async throws {
        try await withTwoStores { store, other in
            let new = try #require(try await signUp(record, in: store))
            #expect(new.isNewUser)
            let again = try await other.signedIn(Sample.signIn(Sample.subject("1")))
            #expect(again.user == new.user && again.identity == new.identity && !again.isNewUser)
            #expect(again.reference == new.reference && again.profile == new.profile)
            #expect(try await other.session(record.session.id, now: Sample.now)?.user == new.user)
            let events = try await other.auditEvents(after: 0, limit: 10)
            #expect(events.map(\.kind) == [.userCreated] && events.first?.newIdentity == new.identity)
            let findings = try await other.check()
            #expect(findings.isEmpty)
        }
    }

    @Test func `has what operators find users by, as by the transaction of other engines`() async throws {
        try await withTwoStores { store, _ in
            let new = try #require(try await signUp(record, in: store))
            for (contact, value) in [(Contact.email, "jane@example.com"), (Contact.phoneNumber, "+12065550100")] {
                let found = try await store.users(with: contact, value, limit: 5)
                #expect(found.matches.map(\.user.id) == [new.user])
            }
        }
    }

    @Test func `is not taken for new where the subject is known, or the code was used`() async throws {
        try await withTwoStores { store, other in
            let user = try await other.signedIn(record).user
            #expect(try await signUp(Sample.signIn(Sample.subject("1")), in: store) == nil)
            var twice = Sample.signIn(Sample.subject("2"))
            twice.draft.evidence = record.evidence
            #expect(try await signUp(twice, in: store) == nil)
            #expect(try await store.isKnown(Sample.subject("2")) == false)
            #expect(try await store.sessions(of: user, now: Sample.now).count == 1)
        }
    }

    @Test func `is sealed under no key that another one has replaced`() async throws {
        try await withTwoStores { store, other in
            let key = try await other.rotateDataKey(TransparentSealer.maker)
            #expect(try await signUp(record, in: store) == nil)
            #expect(try await store.isKnown(Sample.subject("1")) == false)
            _ = try await store.signedIn(record)
            #expect(try store.sealer.current.newestKey == key)
        }
    }

    @Test func `who comes twice at once is one`() async throws {
        try await withTwoStores { store, other in
            for round in 0..<20 {
                let subject = Sample.subject("both\(round)")
                async let one = signUp(Sample.signIn(subject), in: store)
                async let two = signUp(Sample.signIn(subject), in: other)
                let made = try await [one, two].compactMap(\.self)
                #expect(made.count == 1)
            }
        }
    }

    @Test func `is given a number of a block, which no two of them give`() async throws {
        try await withTwoStores { store, other in
            var given: Set<Int64> = []
            for _ in 0..<40 {
                given.insert(try await store.numbers.next(in: store).user.rawValue)
                given.insert(try await other.numbers.next(in: other).user.rawValue)
            }
            #expect(given.count == 80)
        }
    }
}

import Accounts
import TestSupport
import Testing

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `A table that is added to the store` {
    private static let notes = StoreTables(adding: [Sample.notes])
    private static let find = Query("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'toy%'")
    private static let stored = Query("SELECT body FROM toy_notes")
    private static let area = Query("SELECT area FROM reseal")

    private func count(_ query: Query, _ store: SQLiteAccounts) async throws -> Int64? {
        try await store.readers.read { connection throws(RepositoryError) in
            try connection.first(query) { $0.integer(0) }
        }
    }

    @Test func `is made with its indexes where it is listed, and only there`() async throws {
        let folder = TemporaryFolder()
        let without = try await folder.open()
        #expect(try await count(Self.find, without) == 0)
        await without.close()
        let with = try await folder.open { $0.tables = Self.notes }
        #expect(try await count(Self.find, with) == 3)
        await with.close()
        let again = try await folder.open { $0.tables = Self.notes }
        #expect(try await again.check().isEmpty)
        await again.close()
    }

    @Test func `seals what is to be sealed, bound to table, column and row`() async throws {
        let folder = TemporaryFolder()
        let store = try await folder.open { $0.tables = Self.notes }
        let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
        #expect(try await store.insertNote(Sample.note(7, of: user)))
        let sealed = try await store.readers.read { connection throws(RepositoryError) in
            try connection.first(Self.stored) { $0.blob(0) }
        }
        let context = SealContext(table: "toy_notes", column: "body", row: [7])
        #expect(try store.sealer.current.open(try #require(sealed), for: context) == [7, 0, 0xFF])
        await store.close()
    }

    @Test func `is taken up by a walk that was through without it`() async throws {
        let folder = TemporaryFolder()
        let with = try await folder.open { $0.tables = Self.notes }
        let user = try await with.signedIn(Sample.signIn(Sample.subject("1"))).user
        #expect(try await with.insertNote(Sample.note(1, of: user)))
        await with.close()
        let without = try await folder.open()
        #expect(try await without.rotateDataKey(TransparentSealer.maker) == 2)
        while try await without.reseal(limit: 100) > 0 {}
        // As on disk before there were any others.
        #expect(try await count(Self.area, without) == 10)
        await without.close()
        let again = try await folder.open { $0.tables = Self.notes }
        while try await again.reseal(limit: 1) > 0 {}
        let number = try await again.readers.read { connection throws(RepositoryError) in
            try connection.first(Self.stored) { TransparentSealer().keyNumber(of: $0.blob(0)) } ?? nil
        }
        #expect(number == 2)
        await again.close()
    }

    @Test func `changes no number and no place of what the store seals by itself`() throws {
        let own = StoreTables.own.sealed.map { "\($0.number) \($0.table).\($0.name)" }
        #expect(
            own == [
                "0 users.profile", "1 tickets.profile", "2 signing_keys.private_key", "3 meta.value",
                "4 secret_keys.sealed_key", "5 grants.tokens", "6 kept_id_tokens.token", "7 tickets.tokens",
                "8 outbox.content", "9 unlock_keys.content",
            ])
        #expect(StoreTables.own.sealedEnd == 10)
        #expect(Self.notes.sealed.prefix(10).map(\.number) == StoreTables.own.sealed.map(\.number))
        #expect(Self.notes.sealedEnd > 10 && Self.notes.sealed[10].number > 10)
        let hash = Sample.hash()
        let session = Sample.sessionID()
        let id = try #require(UnlockKeyID(Array(repeating: 3, count: 16)))
        let places: [(SealContext, SealedPosition, String)] = [
            (.profile(of: UserID(rawValue: 7)), .row(7), ""), (.profile(of: hash), .hash(hash.bytes), ""),
            (.signingKey("kid", .session), .name("kid"), "session"),
            (.proof, .name("seal_proof"), ""), (.secretKey(4, .ledger), .row(4), SecretKey.Purpose.ledger.rawValue),
            (.grant(of: IdentityID(rawValue: 9)), .row(9), ""), (.idToken(of: session), .hash(session.bytes), ""),
            (.tokens(of: hash), .hash(hash.bytes), ""), (.outbox(5), .row(5), ""),
            (.unlockKey(id), .hash(id.bytes), ""),
        ]
        for (column, (context, position, label)) in zip(StoreTables.own.sealed, places) {
            #expect(column.context(position, label: label) == context, "\(column.table).\(column.name)")
        }
        for purpose in SigningKeyEntry.Purpose.allCases {
            #expect(
                StoreTables.own.sealed[2].context(.name("kid"), label: purpose.rawValue)
                    == .signingKey("kid", purpose))
        }
    }
}

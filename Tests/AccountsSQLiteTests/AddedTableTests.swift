import Accounts
import Patience
import TestSupport
import Testing
import Wings

@testable import AccountsSQL
@testable import AccountsSQLite

@Suite struct `A table that is added to the store` {
    /// Without those of the wings.
    private static let notes = (try? StoreTables(adding: [Sample.notes])) ?? .own
    private static let find = Query("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'toy%'")
    private static let stored = Query("SELECT body FROM toy_notes")
    private static let sealedKey = Query("SELECT content FROM unlock_keys")
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
        #expect(try await count(Self.find, with) == 4)
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
        try await untilNothingIsLeft { try await without.reseal(limit: 100) }
        await without.close()
        let again = try await folder.open { $0.tables = Self.notes }
        try await untilNothingIsLeft { try await again.reseal(limit: 1) }
        let number = try await again.readers.read { connection throws(RepositoryError) in
            try connection.first(Self.stored) { TransparentSealer().keyNumber(of: $0.blob(0)) } ?? nil
        }
        #expect(number == 2)
        await again.close()
    }

    @Test func `is taken up by a walk that was through with others that have numbers of their own`() async throws {
        let folder = TemporaryFolder()
        let keys = try StoreTables(adding: [UnlockKeys.table])
        let with = try await folder.open { $0.tables = keys }
        // Behind nothing, and before what follows a walk's first position.
        let id = UnlockKeyID(copying: [UInt8](repeating: 0, count: UnlockKeyID.byteCount).span)
        try await UnlockKeys(with).add(id, content: [1], now: Sample.now)
        await with.close()
        let without = try await folder.open()
        #expect(try await without.rotateDataKey(TransparentSealer.maker) == 2)
        try await untilNothingIsLeft { try await without.reseal(limit: 100) }
        await without.close()
        let again = try await folder.open { $0.tables = keys }
        try await untilNothingIsLeft { try await again.reseal(limit: 1) }
        let number = try await again.readers.read { connection throws(RepositoryError) in
            try connection.first(Self.sealedKey) { TransparentSealer().keyNumber(of: $0.blob(0)) } ?? nil
        }
        #expect(number == 2)
        // As on disk before wings brought tables.
        #expect(try await count(Self.area, again) == 10)
        await again.close()
    }

    @Test func `changes no number and no place of what is sealed in every store`() throws {
        let numbered = try StoreTables(adding: [UnlockKeys.table])
        let numbers = numbered.sealed.map { "\($0.number) \($0.table).\($0.name)" }
        #expect(
            numbers == [
                "0 users.profile", "1 tickets.profile", "2 signing_keys.private_key", "3 meta.value",
                "4 secret_keys.sealed_key", "5 grants.tokens", "6 kept_id_tokens.token", "7 tickets.tokens",
                "8 outbox.content", "9 unlock_keys.content",
            ])
        #expect(numbered.sealedEnd == 10)
        #expect(StoreTables.own.sealed.map(\.number) == Array(0..<9) && StoreTables.own.sealedEnd > 10)
        #expect(StoreTables.tested.sealed.prefix(10).map(\.number) == numbered.sealed.map(\.number))
        let ends = Set([StoreTables.own, .tested, numbered, Self.notes].map(\.sealedEnd))
        #expect(ends.count == 4 && StoreTables.tested.sealed[10].number > 10)
        let hash = Sample.hash()
        let session = Sample.sessionID()
        let id = try #require(UnlockKeyID(Array(repeating: 3, count: 16)))
        let places: [(SealContext, SealedPosition, String)] = [
            (.profile(of: UserID(rawValue: 7)), .row(7), ""), (.profile(of: hash), .hash(hash.bytes), ""),
            (.signingKey("kid", .session), .name("kid"), "session"),
            (.proof, .name("seal_proof"), ""), (.secretKey(4, .ledger), .row(4), SecretKey.Purpose.ledger.rawValue),
            (.grant(of: IdentityID(rawValue: 9)), .row(9), ""), (.idToken(of: session), .hash(session.bytes), ""),
            (.tokens(of: hash), .hash(hash.bytes), ""), (.outbox(5), .row(5), ""),
            (SealContext(table: "unlock_keys", column: "content", row: id.bytes), .hash(id.bytes), ""),
        ]
        for (column, (context, position, label)) in zip(numbered.sealed, places) {
            #expect(column.context(position, label: label) == context, "\(column.table).\(column.name)")
        }
        for purpose in SigningKeyEntry.Purpose.allCases {
            #expect(
                StoreTables.own.sealed[2].context(.name("kid"), label: purpose.rawValue)
                    == .signingKey("kid", purpose))
        }
    }

    private static let faulty: [(String, [Table])] = [
        ("its name", [Table("Toy", key: .bytes("id"), [], owner: .nobody, expiry: nil)]),
        ("its name", [Table("sqlite_toy", key: .bytes("id"), [], owner: .nobody, expiry: nil)]),
        ("has its name", [Table("users", key: .bytes("id"), [], owner: .nobody, expiry: nil)]),
        ("has its name", [Table("meta", key: .bytes("id"), [], owner: .nobody, expiry: nil)]),
        ("has its name", [Sample.notes, Sample.notes]),
        ("its columns", [Table("toy", key: .bytes("id"), [.text("id")], owner: .nobody, expiry: nil)]),
        ("its columns", [Table("toy", key: .bytes("id"), [.text("a b")], owner: .nobody, expiry: nil)]),
        ("its key", [Table("toy", key: .bytes("id").optional, [], owner: .nobody, expiry: nil)]),
        ("its key", [Table("toy", key: .sealed("id"), [], owner: .nobody, expiry: nil)]),
        ("its expiry", [Table("toy", key: .bytes("id"), [], owner: .nobody, expiry: "expires")]),
        ("its expiry", [Table("toy", key: .bytes("id"), [.text("until")], owner: .nobody, expiry: "until")]),
        ("its age", [Table("toy", key: .bytes("id"), [], owner: .nobody, expiry: nil, age: "made")]),
        (
            "its owner",
            [Table("toy", key: .bytes("id"), [.text("user")], owner: .user("user", merged: .moves), expiry: nil)]
        ),
        (
            "its key is whose they are",
            [Table("toy", key: .integer("user"), [], owner: .user("user", merged: .moves), expiry: nil)]
        ),
        (
            "nothing in the store decides",
            [Table("toy", key: .bytes("id"), [.integer("user")], owner: .user("user", merged: .decided), expiry: nil)]
        ),
        (
            "the number 9",
            [
                UnlockKeys.table,
                Table(
                    "toy", key: .bytes("id"), [.sealed("body", Table.Seal(number: 9))], owner: .nobody, expiry: nil),
            ]
        ),
    ]

    @Test(arguments: faulty)
    func `is refused where no store can have it, and by what is wrong`(fault: String, tables: [Table]) throws {
        let found = #expect(throws: TableFault.self) { try StoreTables(adding: tables) }
        #expect(found?.fault.contains(fault) == true, "\(found.map(String.init(describing:)) ?? "")")
        #expect(found?.table == tables.last?.name)
    }
}

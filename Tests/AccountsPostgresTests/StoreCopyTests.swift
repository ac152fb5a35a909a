import Accounts
import PostgresTestSupport
import TestSupport
import Testing

@testable import AccountsSQL

@Suite struct `A copy of a store` {
    @Test func `has every table and column that an engine has`() async throws {
        try await withCopyPlaces { database, file in
            let copied = Set(
                StoreTables.tested.all.flatMap { table in table.columns.map { "\(table.name).\($0.name)" } })
            let inFile = Query(
                """
                SELECT t.name || '.' || c.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
                WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name NOT IN ('meta', 'reseal')
                """)
            let inDatabase = Query(
                """
                SELECT table_name::text || '.' || column_name::text FROM information_schema.columns
                WHERE table_schema = current_schema() AND table_name NOT IN ('meta', 'reseal', 'gatehouse_schema')
                    AND table_name NOT LIKE 'code_uses%'
                """)
            let own = ["audit.writer", "used_codes.owner", "used_codes.state", "used_codes.issuer"]
            for (place, query, own) in [(file("users.db"), inFile, []), (database, inDatabase, own)] {
                let columns = try await place.fill { store in
                    try await store.read { connection throws(RepositoryError) in
                        try connection.all(query) { $0.text(0) }
                    }
                }
                #expect(Set(columns).subtracting(own) == copied)
            }
        }
    }

    @Test func `has every row in every column, there and back`() async throws {
        try await withCopyPlaces { database, file in
            let rows = CopyPlace.pageSize + 20
            let expected = try await file("users.db").fill { store in
                try await store.fillEveryTable(rows)
                return try await store.everything()
            }
            for (name, table) in expected { #expect(table.count >= rows, "\(name)") }
            let there = try await file("users.db").copyUnopened(to: database)
            #expect(there.alreadyThere == 0 && there.users == rows)
            let inDatabase = try await database.fill { try await $0.everything() }
            try await database.copyUnopened(to: file("back.db"))
            let inFile = try await file("back.db").fill { try await $0.everything() }
            for name in expected.keys {
                #expect(inDatabase[name] == expected[name], "\(name)")
                #expect(inFile[name] == expected[name], "\(name)")
            }
        }
    }

    @Test func `knows the codes that were used, whichever engine they were used in`() async throws {
        try await withCopyPlaces { database, file in
            let (code, token, refused) = (Sample.code(), Sample.code(), Sample.code())
            func use(_ store: any SQLStore) async throws {
                _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), code: code))
                try await store.recordUsedCode(token, now: Sample.now)
                _ = try await store.claimCode(refused, for: Sample.issuer, now: Sample.now)
                try await store.releaseCode(refused, .refused, now: Sample.now)
            }
            func isKnown(_ store: any SQLStore) async throws {
                #expect(try await store.isCodeUsed(code.hash, now: Sample.now))
                #expect(try await store.isCodeUsed(token.hash, now: Sample.now))
                #expect(try await !store.isCodeUsed(refused.hash, now: Sample.now))
            }
            try await database.use { try await use($0) }
            try await database.copy(to: file("first.db"))
            try await file("first.db").use { try await isKnown($0) }
        }
        try await withCopyPlaces { database, file in
            let code = Sample.code()
            try await file("users.db").use { store in
                _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), code: code))
            }
            try await file("users.db").copy(to: database)
            try await database.use { store async throws in
                #expect(try await store.isCodeUsed(code.hash, now: Sample.now))
                let rival = OneTimeUse(hash: code.hash, expiresAt: code.expiresAt)
                #expect(try await store.claimCode(rival, for: Sample.issuer, now: Sample.now) == .used)
            }
        }
    }

    @Test func `has odd texts as they are, there and back`() async throws {
        try await withCopyPlaces { database, file in
            let texts = [
                "''", "' '", "char(1, 27, 127, 128, 159)", "char(13, 10, 9)", "char(0x1F469, 0x1F3FD, 0x200D, 0x1F692)",
                "char(0xFFFD, 0xFFFF, 0x10FFFF)", "char(0x202E) || 'x' || char(0x65, 0x301) || char(0xE9)",
                "replace(hex(zeroblob(20000)), '00', char(0x1F512))",
                "'\\x\\'",
                "'I' || char(0x131) || 'i' || char(0x130)",
            ]
            let expected = try await file("users.db").use { store in
                for (number, text) in texts.enumerated() {
                    let user = try await store.signedIn(Sample.signIn(Sample.subject("\(number)"))).user.rawValue
                    try await store.execute("UPDATE users SET reference = 'r\(number)' || \(text) WHERE id = \(user)")
                    try await store.execute("UPDATE identities SET subject = \(text) WHERE user_id = \(user)")
                }
                return try await store.everything()
            }
            try await file("users.db").copy(to: database)
            try await database.copy(to: file("back.db"))
            let back = try await file("back.db").fill { try await $0.everything() }
            for name in ["users", "identities"] {
                #expect(expected[name]?.count == texts.count && back[name] == expected[name], "\(name)")
            }
        }
    }

    @Test(arguments: ["'a' || char(0) || 'b'", "char(0)", "CAST(x'61FF62' AS TEXT)", "CAST(x'EDA080' AS TEXT)"])
    func `is not made of what no engine takes for a text now, and the table is named`(text: String) async throws {
        try await withCopyPlaces { database, file in
            try await file("users.db").use { store in
                _ = try await store.signedIn(Sample.signIn(Sample.subject("1")))
                try await store.execute("UPDATE users SET reference = \(text)")
            }
            for target in [database, file("other.db")] {
                let refusal = StoreCopyError.target(.unstorableText, table: "users")
                await #expect(throws: refusal) { try await file("users.db").copy(to: target) }
            }
        }
    }

    @Test func `has the rows of a table that was added to the store`() async throws {
        try await withCopyPlaces { database, file in
            let user = try await file("users.db").use() { store in
                let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
                #expect(try await store.insertNote(Sample.note(1, of: user)))
                return user
            }
            try await file("users.db").copy(to: database)
            try await database.copy(to: file("back.db"))
            for place in [database, file("back.db")] {
                let note = try await place.use() { try await $0.note(1) }
                #expect(note == Sample.note(1, of: user))
            }
        }
    }

    @Test func `knows how far the store is sealed anew, and what it knows of itself`() async throws {
        try await withCopyPlaces { database, file in
            let places = [
                ResealPlace(target: 2, area: 0, position: .row(300)),
                ResealPlace(target: 3, area: 1, position: .hash([0, 1, 0xFF])),
                ResealPlace(target: 4, area: 2, position: .name("käy")),
                ResealPlace(target: 5, area: 10, position: .row(0)),
            ]
            let head = try await file("users.db").use { store in
                try await store.write { connection throws(RepositoryError) in
                    for place in places { try place.save(connection) }
                    try connection.run(Query("INSERT INTO meta (name, value) VALUES ('a number', 7), ('a word', 'ö')"))
                    return try CopiedHead(connection, .own)
                }
            }
            try await file("users.db").copy(to: database)
            try await database.copy(to: file("back.db"))
            let (found, back) = try await file("back.db").fill { store in
                try await store.read { connection throws(RepositoryError) in
                    (try ResealPlace.all(connection, .own), try CopiedHead(connection, .own))
                }
            }
            #expect(found == places)
            #expect(back == head)
        }
    }

    @Test func `gives no number that was ever given, and none to what only the source had`() async throws {
        try await withCopyPlaces { database, file in
            let keys: Set = ["key_ring", "secret_keys", "signing_keys", "contact_walk"]
            let last = try await file("users.db").use { store in
                try await store.fillEveryTable(20, except: keys)
                for table in StoreTables.tested.all where table.numbered != nil && !keys.contains(table.name) {
                    try await store.execute("DELETE FROM \(table.name) WHERE \(table.numbered ?? "") > 1010")
                }
                return try await store.numbers()
            }
            #expect(last.filter { !keys.contains($0.key) }.values.allSatisfy { $0 == 1020 }, "\(last)")
            #expect(last.values.allSatisfy { $0 > 0 })
            try await file("users.db").copy(to: database)
            #expect(try await database.fill { try await $0.numbers() } == last)
            try await database.copy(to: file("back.db"))
            #expect(try await file("back.db").fill { try await $0.numbers() } == last)
            for place in [database, file("back.db")] {
                try await place.use { store in
                    #expect(try await store.userCount() == 10)
                    let new = try await store.signedIn(Sample.signIn(Sample.subject("new")))
                    #expect(new.user.rawValue == 1021 && new.identity.rawValue == 1021)
                    #expect(try await store.userCount() == 11)
                }
            }
        }
    }
}

extension SQLStore {
    /// The last number that each table has given.
    fileprivate func numbers() async throws -> [String: Int64] {
        try await read { connection throws(RepositoryError) in
            var numbers: [String: Int64] = [:]
            for table in StoreTables.tested.all {
                guard let column = table.numbered else { continue }
                numbers[table.name] = try connection.lastNumber(of: table.name, column)
            }
            return numbers
        }
    }
}

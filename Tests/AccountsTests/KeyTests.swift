import Accounts
import Testing

@Suite struct `A subject` {
    @Test func `a subject is the same only with the same bytes at the same issuer`() {
        let subject = Subject(issuer: "https://a.example", value: "caf\u{E9}")
        #expect(subject == Subject(issuer: "https://a.example", value: "caf\u{E9}"))
        #expect(subject != Subject(issuer: "https://b.example", value: "caf\u{E9}"))
        #expect(subject != Subject(issuer: "https://a.example", value: "cafe\u{301}"))
        #expect(subject != Subject(issuer: "https://a.example", value: "CAF\u{E9}"))
        #expect(Set([subject, subject, Subject(issuer: "https://a.example", value: "cafe\u{301}")]).count == 2)
    }
}

@Suite struct `A token hash` {
    @Test func `holds exactly its 32 bytes`() throws {
        let bytes = (0..<32).map { UInt8($0 * 7) }
        #expect(try #require(TokenHash(bytes)).bytes == bytes)
        #expect(TokenHash(Array(bytes.dropLast())) == nil)
        #expect(TokenHash(bytes + [0]) == nil)
        #expect(TokenHash([]) == nil)
    }

    @Test func `differs when any byte differs`() throws {
        let zero = [UInt8](repeating: 0, count: 32)
        for index in 0..<32 {
            var bytes = zero
            bytes[index] = 1
            #expect(TokenHash(bytes) != TokenHash(zero))
        }
    }
}

@Suite struct `A session id` {
    @Test func `a session id is read from the text it is written as`() throws {
        let id = SessionID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        #expect(id.description == "0123456789abcdeffedcba9876543210")
        #expect(SessionID(id.description) == id)
        #expect(SessionID(SessionID(high: 0, low: 1).description) == SessionID(high: 0, low: 1))
    }

    @Test(arguments: [
        "", "0123", String(repeating: "0", count: 33), String(repeating: "A", count: 32),
        "0123456789abcdeffedcba987654321g",
    ])
    func `a session id is nothing but 32 lowercase hexadecimal digits`(text: String) {
        #expect(SessionID(text) == nil)
    }

    @Test func `sorts by the second it was made in`() {
        let early = SessionID(now: 1_790_000_000, random: (.max, .max))
        let late = SessionID(now: 1_790_000_001, random: (0, 0))
        #expect(early.description < late.description)
        #expect(SessionID(now: 1, random: (1, 1)) != SessionID(now: 1, random: (2, 1)))
        #expect(SessionID(now: 1, random: (1, 1)) != SessionID(now: 1, random: (1, 2)))
    }
}

@Suite struct `The place of a sealed value` {
    @Test func `the place of a sealed value has bytes of its own for each table, column and row`() {
        let places = [
            SealContext(table: "users", column: "profile", row: 1),
            SealContext(table: "users", column: "profile", row: 2),
            SealContext(table: "users", column: "profile", row: -1),
            SealContext(table: "user", column: "sprofile", row: 1),
            SealContext(table: "users", column: "name", row: 1),
            SealContext(table: "users", column: "profile", row: [1]),
            SealContext(table: "users", column: "profil", row: Array("e".utf8) + [1]),
        ]
        for (index, place) in places.enumerated() {
            for other in places[(index + 1)...] { #expect(place.associatedData != other.associatedData) }
        }
        #expect(places[0] == SealContext(table: "users", column: "profile", row: 1))
    }
}

public import Accounts
import Patience
import Testing

extension Sample {
    /// A table that is added to the store: of a user, with a sealed column and an expiry.
    public static let notes = Table(
        "toy_notes", key: .bytes("id"),
        [
            .integer("user_id"), .text("title").optional, .sealed("body"), .integer("written"), .integer("expires"),
        ], owner: .user("user_id", merged: .moves), expiry: "expires", age: "written")

    /// Of a session, with a secret.
    public static let tokens = Table(
        "toy_tokens", key: .text("name"), [.bytes("session_id"), .secret("token")], owner: .session("session_id"),
        expiry: nil)
    /// Of an identity.
    public static let marks = Table(
        "toy_marks", key: .integer("identity_id"), [.integer("marked")], owner: .identity("identity_id"), expiry: nil)

    /// An event that no part of the service brings.
    public static let noted = AuditEvent.Kind(rawValue: "toy_noted")

    public static func note(
        _ id: UInt8, of user: UserID, title: Cell = .text("täxt"), writtenAt: Int64 = now,
        expiresAt: Int64 = now + 60
    ) -> [Cell] {
        [
            .bytes([id]), .integer(user.rawValue), title, .bytes([id, 0, 0xFF]), .integer(writtenAt),
            .integer(expiresAt),
        ]
    }
}

extension AccountRepository {
    public func insertNote(_ row: [Cell]) async throws -> Bool {
        try await changeRows(now: Sample.now) { rows throws(RepositoryError) in
            try rows.insert(row, into: Sample.notes)
        }
    }

    public func note(_ id: UInt8, now: Int64 = Sample.now) async throws -> [Cell]? {
        try await readRows { rows throws(RepositoryError) in
            try rows.find(.bytes([id]), in: Sample.notes, now: now)
        }
    }
}

/// The rows of tables that are added to a store.
extension RepositoryContract {
    static let tableClauses = [
        RepositoryContract("rows of an added table are found as they were stored, replaced and deleted") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            #expect(try await store.insertNote(Sample.note(1, of: user)))
            #expect(try await store.insertNote(Sample.note(2, of: user, title: .none)))
            #expect(try await store.note(1) == Sample.note(1, of: user))
            #expect(try await store.note(2) == Sample.note(2, of: user, title: .none))
            #expect(try await store.note(3) == nil)
            let changed = Sample.note(1, of: user, title: .text("other"))
            #expect(try await store.insertNote(changed) == false)
            #expect(try await store.note(1) == Sample.note(1, of: user))
            let wereThere = try await store.changeRows(now: Sample.now) { rows throws(RepositoryError) in
                [
                    try rows.replace(changed, in: Sample.notes),
                    try rows.replace(Sample.note(3, of: user), in: Sample.notes),
                ]
            }
            #expect(wereThere == [true, false])
            #expect(try await store.note(1) == changed)
            let wereDeleted = try await store.changeRows(now: Sample.now) { rows throws(RepositoryError) in
                [
                    try rows.delete(.bytes([1]), from: Sample.notes),
                    try rows.delete(.bytes([1]), from: Sample.notes),
                ]
            }
            #expect(wereDeleted == [true, false])
            #expect(try await store.note(1) == nil)
        },
        RepositoryContract("a change of rows that throws undoes all of it, its event too") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            await #expect(throws: RepositoryError.unavailable(.overloaded)) {
                try await store.changeRows(now: Sample.now) { rows throws(RepositoryError) in
                    _ = try rows.insert(Sample.note(1, of: user), into: Sample.notes)
                    try rows.note(Sample.noted, of: user)
                    throw .unavailable(.overloaded)
                }
            }
            #expect(try await store.note(1) == nil)
            #expect(try await store.auditEvents(after: 0, limit: 9).map(\.kind) == [.userCreated])
        },
        RepositoryContract("an event of an added table stands in the audit trail") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            try await store.changeRows(now: Sample.now + 1) { rows throws(RepositoryError) in
                try rows.note(Sample.noted, of: user)
            }
            let event = try await store.auditEvents(after: 0, limit: 9).last
            #expect(event?.kind == Sample.noted && event?.user == user && event?.at == Sample.now + 1)
        },
        RepositoryContract("a row that does not fit its table, and a table that is not there, are refused") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            let short = Array(Sample.note(1, of: user).dropLast())
            var numbered = Sample.note(1, of: user)
            numbered[0] = .integer(1)
            for row in [short, numbered] {
                await #expect(throws: RepositoryError.unavailable(.corrupt)) { try await store.insertNote(row) }
            }
            let unknown = Table("unknown", key: .bytes("id"), [], owner: .nobody, expiry: nil)
            let own = Table("users", key: .integer("id"), [], owner: .nobody, expiry: nil)
            for table in [unknown, own] {
                await #expect(throws: RepositoryError.unavailable(.corrupt)) {
                    try await store.readRows { rows throws(RepositoryError) in
                        try rows.find(.bytes([1]), in: table, now: Sample.now)
                    }
                }
            }
        },
        RepositoryContract("rows of an added table that have expired are not found, and swept") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            for id in 1...3 as ClosedRange<UInt8> {
                #expect(try await store.insertNote(Sample.note(id, of: user, expiresAt: Sample.now + Int64(id))))
            }
            #expect(try await store.note(2, now: Sample.now + 2) == nil)
            #expect(try await store.note(3, now: Sample.now + 2) != nil)
            #expect(try await store.sweepExpired(now: Sample.now + 2, limit: 100) == 2)
            #expect(try await store.insertNote(Sample.note(1, of: user)))
            #expect(try await store.insertNote(Sample.note(3, of: user)) == false)
        },
        RepositoryContract("rows of an added table go by their age, the oldest first") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            for id in 1...3 as ClosedRange<UInt8> {
                #expect(try await store.insertNote(Sample.note(id, of: user, writtenAt: Sample.now + Int64(id))))
            }
            let third = Sample.now + 3
            for (limit, removed) in [(1, 1), (5, 1), (5, 0)] {
                let (isDue, count) = try await store.changeRows(now: Sample.now) { rows throws(RepositoryError) in
                    (
                        try rows.hasRows(of: Sample.notes, before: third),
                        try rows.deleteRows(of: Sample.notes, before: third, limit: limit)
                    )
                }
                #expect(isDue == (removed > 0) && count == removed)
                #expect(try await store.note(1) == nil)
                #expect((try await store.note(2) != nil) == (limit == 1))
            }
            #expect(try await store.note(3) != nil)
        },
        RepositoryContract("rows of an added table go with the user whose they are") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            let other = try await store.signedIn(Sample.signIn(Sample.subject("2"))).user
            #expect(try await store.insertNote(Sample.note(1, of: user)))
            #expect(try await store.insertNote(Sample.note(2, of: other)))
            #expect(try await store.erase(user, now: Sample.now))
            #expect(try await store.note(1) == nil)
            #expect(try await store.note(2) == Sample.note(2, of: other))
        },
        RepositoryContract("rows of added tables are in the record of their user, without what is secret") { store in
            let record = Sample.signIn(Sample.subject("1"))
            let signedIn = try await store.signedIn(record)
            let other = try await store.signedIn(Sample.signIn(Sample.subject("2"))).user
            #expect(try await store.record(of: signedIn.user, now: Sample.now)?.tables == [])
            #expect(try await store.insertNote(Sample.note(1, of: signedIn.user)))
            #expect(try await store.insertNote(Sample.note(2, of: other)))
            let session = record.session.id.bytes
            let identity = signedIn.identity.rawValue
            try await store.changeRows(now: Sample.now) { rows throws(RepositoryError) in
                _ = try rows.insert([.text("push"), .bytes(session), .bytes([1, 2])], into: Sample.tokens)
                _ = try rows.insert([.integer(identity), .integer(7)], into: Sample.marks)
            }
            let tables = try await store.record(of: signedIn.user, now: Sample.now)?.tables
            #expect(
                tables == [
                    OwnedRows(
                        table: "toy_marks", columns: Sample.marks.columns, rows: [[.integer(identity), .integer(7)]]),
                    OwnedRows(
                        table: "toy_notes", columns: Sample.notes.columns, rows: [Sample.note(1, of: signedIn.user)]),
                    OwnedRows(
                        table: "toy_tokens", columns: Array(Sample.tokens.columns.prefix(2)),
                        rows: [[.text("push"), .bytes(session)]]),
                ])
            // Both go with what they belong to.
            #expect(try await store.revokeSession(record.session.id, now: Sample.now))
            #expect(try await store.record(of: signedIn.user, now: Sample.now)?.tables.count == 2)
            #expect(try await store.erase(signedIn.user, now: Sample.now))
            #expect(try await store.note(1) == nil)
        },
        RepositoryContract("what an added table seals is sealed anew with all else, and opens") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            for id in 1...5 as ClosedRange<UInt8> {
                #expect(try await store.insertNote(Sample.note(id, of: user)))
            }
            _ = try await store.rotateDataKey(TransparentSealer.maker)
            let looked = try await untilNothingIsLeft { try await store.reseal(limit: 2) }.reduce(0, +)
            // The profile, the keys that a store makes, and the proof are looked at too.
            #expect(looked > 5)
            #expect(try await store.reseal(limit: 2) == 0)
            #expect(try await store.check().isEmpty)
            #expect(try await store.note(5) == Sample.note(5, of: user))
        },
    ]
}

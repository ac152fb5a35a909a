import Accounts
import TestSupport
import Testing

@testable import AccountsSQL

/// What is left of a copy that was cut off, or that is none.
@Suite struct `A copy that did not come to its end` {
    /// Rows of a table behind this one are refused, in whatever engine.
    private static let lastTaken = 1000 + 2 * CopyPlace.pageSize

    private func fillSource(_ place: CopyPlace, key: UInt8 = 0x5A) async throws {
        try await place.use(key: key) { store in
            // Two pages and a half.
            try await store.fillEveryTable(
                5 * CopyPlace.pageSize / 2, except: ["key_ring", "secret_keys", "signing_keys", "contact_walk"])
        }
    }

    /// Has a store refuse what comes behind a row of the audit trail.
    private func obstruct(_ place: CopyPlace) async throws {
        try await place.fill { store in
            switch place {
            case .file:
                try await store.execute(
                    """
                    CREATE TRIGGER obstacle BEFORE INSERT ON audit WHEN NEW.id > \(Self.lastTaken)
                    BEGIN SELECT RAISE(ABORT, 'no further'); END
                    """)
            case .database:
                try await store.execute(
                    "ALTER TABLE audit ADD CONSTRAINT obstacle CHECK (id <= \(Self.lastTaken))")
            }
        }
    }

    private func clear(_ place: CopyPlace) async throws {
        try await place.fill { store in
            switch place {
            case .file: try await store.execute("DROP TRIGGER obstacle")
            case .database: try await store.execute("ALTER TABLE audit DROP CONSTRAINT obstacle")
            }
        }
    }

    /// Copies up to the obstacle.
    private func begin(_ source: CopyPlace, _ target: CopyPlace) async throws {
        try await obstruct(target)
        let error = await #expect(throws: StoreCopyError.self) { try await source.copy(to: target) }
        guard case .target(.unavailable, table: "audit") = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try await clear(target)
    }

    private func places(
        _ isIntoFile: Bool, _ body: (_ source: CopyPlace, _ target: CopyPlace, _ other: CopyPlace) async throws -> Void
    ) async throws {
        try await withCopyPlaces { database, file in
            guard isIntoFile else { return try await body(file("users.db"), database, file("other.db")) }
            try await body(database, file("users.db"), file("other.db"))
        }
    }

    @Test(arguments: [false, true])
    func `is served by nobody, and goes on where it was`(isIntoFile: Bool) async throws {
        try await places(isIntoFile) { source, target, _ in
            try await fillSource(source)
            try await begin(source, target)
            await #expect(throws: RepositoryError.notOpened(.unfinishedCopy)) { try await target.use { _ in } }
            let before = try await target.fill { try await $0.everything() }
            #expect(before["audit"]?.count == 2 * CopyPlace.pageSize)
            #expect(before["outbox"] == [])
            let outcome = try await source.copy(to: target)
            #expect(outcome.alreadyThere == before.values.reduce(0) { $0 + $1.count })
            #expect(outcome.alreadyThere < outcome.rows)
            let expected = try await source.fill { try await $0.everything() }
            let copied = try await target.fill { try await $0.everything() }
            for name in expected.keys { #expect(copied[name] == expected[name], "\(name)") }
            #expect(try await target.use { try await $0.userCount() } == outcome.users)
        }
    }

    @Test(arguments: [false, true])
    func `tells which table is not as it is in the source`(isIntoFile: Bool) async throws {
        let changes = [
            (
                "users", "UPDATE users SET reference = reference || '!' WHERE id = 1007",
                "UPDATE users SET reference = rtrim(reference, '!') WHERE id = 1007"
            ),
            (
                "identities", "UPDATE identities SET email_said = NULL WHERE id = 1007",
                "UPDATE identities SET email_said = 1007 WHERE id = 1007"
            ),
            (
                "meta", "INSERT INTO meta (name, value) VALUES ('another', 1)",
                "DELETE FROM meta WHERE name = 'another'"
            ),
            ("used_challenges", "DELETE FROM used_challenges WHERE expires = 1007", nil),
        ]
        try await places(isIntoFile) { source, target, _ in
            try await fillSource(source)
            try await begin(source, target)
            for (table, change, undoing) in changes {
                try await target.fill { try await $0.execute(change) }
                await #expect(throws: StoreCopyError.different(table: table)) { try await source.copy(to: target) }
                await #expect(throws: RepositoryError.notOpened(.unfinishedCopy)) { try await target.use { _ in } }
                if let undoing { try await target.fill { try await $0.execute(undoing) } }
            }
        }
    }

    @Test(arguments: [false, true])
    func `is not gone on with from another store`(isIntoFile: Bool) async throws {
        try await places(isIntoFile) { source, target, other in
            try await fillSource(source)
            try await other.use(key: 0x33) { _ in }
            try await begin(source, target)
            await #expect(throws: StoreCopyError.otherSource) { try await other.copy(to: target, key: 0x33) }
            try await source.copy(to: target)
        }
    }

    @Test(arguments: [false, true])
    func `has nothing to do where there is a store already`(isIntoFile: Bool) async throws {
        try await places(isIntoFile) { source, target, other in
            try await fillSource(source)
            // One that a server has made, and nobody has signed in to.
            try await target.use { _ in }
            let before = try await target.fill { try await $0.everything() }
            await #expect(throws: StoreCopyError.targetInUse) { try await source.copy(to: target) }
            #expect(try await target.fill { try await $0.everything() } == before)
            try await target.use { _ in }
            // One that was copied to its end is in use too.
            try await source.copy(to: other)
            await #expect(throws: StoreCopyError.targetInUse) { try await source.copy(to: other) }
        }
    }
}

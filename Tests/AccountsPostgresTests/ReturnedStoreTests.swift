import Accounts
import AccountsSQL
import Foundation
import Patience
import Postgres
import PostgresTestSupport
import TestSupport
import Testing

@testable import AccountsPostgres

@Suite struct `A database that was put back in time` {
    private static let signIn = Sample.signIn(Sample.subject("early"))

    private func withLedger(_ body: (FileLedger, String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "ledger").path
        try await body(FileLedger(path: path), path)
    }

    /// What an earlier moment's copy of the database would have.
    private func putBack(_ address: String) async throws {
        try await withPool(at: address) { pool in
            _ = try await pool.query(.once("UPDATE meta SET value = 1 WHERE name = 'beat'"), timeout: .patience)
        }
    }

    @Test func `serves nobody who knows it by the ledger, and says why`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withLedger { ledger, _ in
                try await withStore(at: address, ledger: ledger) { store async throws in
                    for _ in 0..<3 { _ = try await store.beat() }
                }
                try await putBack(address)
                let error = await #expect(throws: RepositoryError.self) {
                    try await withStore(at: address, ledger: ledger) { _ in }
                }
                #expect(error == .unavailable(.behind(.beat(found: 1, acknowledged: 3))))
            }
        }
    }

    @Test func `is told to instances that run, by the next count`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store async throws in
                for _ in 0..<3 { _ = try await store.beat() }
                try await putBack(address)
                await #expect(throws: RepositoryError.self) { _ = try await store.beat() }
                let failure = await #expect(throws: RepositoryError.self) {
                    _ = try await store.signedIn(Self.signIn)
                }
                guard case .unavailable(.behind)? = failure else {
                    Issue.record("\(String(describing: failure))")
                    return
                }
            }
        }
    }

    @Test func `goes on in a new epoch, with numbers that nobody had, and without those who were erased`() async throws
    {
        try await SharedServer.withEmptyTables { address in
            try await withLedger { ledger, path in
                let session = Sample.session()
                var erased: UserID?
                try await withStore(at: address, ledger: ledger) { store async throws in
                    let user = try await store.signedIn(Self.signIn).user
                    erased = user
                    _ = try await store.signedIn(Sample.signIn(Sample.subject("stays"), session: session))
                    // It is in the ledger before anybody hears of it.
                    #expect(try await store.erase(user, line: .none, now: Sample.now))
                    let text = try String(contentsOfFile: path, encoding: .utf8)
                    #expect(text.contains("user_erased \(user.rawValue) "))
                    _ = try await store.beat()
                }
                let user = try #require(erased)
                // The earlier moment's: the user is there, and the record is not.
                try await withPool(at: address) { pool in
                    for text in [
                        "DELETE FROM ledger",
                        """
                        INSERT INTO users (id, reference, profile, created, updated)
                        SELECT \(user.rawValue), 'back', profile, created, updated FROM users LIMIT 1
                        """,
                    ] { _ = try await pool.query(.once(text), timeout: .patience) }
                }
                await #expect(throws: RepositoryError.self) {
                    try await withStore(at: address, ledger: ledger) { _ in }
                }
                try await withStore(at: address, isFenced: false, ledger: ledger) { store async throws in
                    let outcome = try await store.recover(
                        RecoveryRequest(usesLedger: true, signingKeys: [], now: Sample.now + 10))
                    #expect(outcome.epoch == 1 && outcome.erased == 1 && outcome.unprovenLines == 0)
                    #expect(outcome.endedSessions == 1)
                }
                try await withStore(at: address, ledger: ledger) { store async throws in
                    #expect(try await store.user(user) == nil)
                    #expect(try await store.session(session.id, now: Sample.now) == nil)
                    let late = Sample.signIn(Sample.subject("late"), now: Sample.now + 700)
                    #expect(try await store.signedIn(late).user.rawValue > 1_000_000_000)
                    _ = try await store.beat()
                }
            }
        }
    }

    /// As rows come to another server by replication, under an instance that goes on.
    @Test func `gives numbers behind its rows, where these have come without their sequences`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store async throws in
                let known = try await store.signedIn(Self.signIn).user
                _ = try await store.beat()
                try await withPool(at: address) { pool in
                    for text in [
                        """
                        INSERT INTO users (id, reference, profile, created, updated)
                        SELECT 5000000, 'far', profile, created, updated FROM users LIMIT 1
                        """,
                        "INSERT INTO meta (name, value) VALUES ('epoch', 1)",
                    ] { _ = try await pool.query(.once(text), timeout: .patience) }
                }
                try await eventually("the new epoch") { (try? await store.beat()) == true }
                store.enterEpoch()
                let again = Sample.signIn(Sample.subject("early"))
                #expect(try await store.signedIn(again).user == known)
                let late = Sample.signIn(Sample.subject("late"))
                #expect(try await store.signedIn(late).user.rawValue > 6_000_000)
            }
        }
    }

    @Test func `does again what was lost, though others have served it since, and told the ledger more`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withLedger { ledger, _ in
                var users: [UserID] = []
                try await withStore(at: address, ledger: ledger) { store async throws in
                    for subject in ["lost", "later"] {
                        users.append(try await store.signedIn(Sample.signIn(Sample.subject(subject))).user)
                    }
                    #expect(try await store.erase(users[0], line: .none, now: Sample.now))
                }
                // A moment before that, on another timeline.
                try await withPool(at: address) { pool in
                    for text in [
                        "DELETE FROM ledger",
                        """
                        INSERT INTO users (id, reference, profile, created, updated)
                        SELECT \(users[0].rawValue), 'back', profile, created, updated FROM users LIMIT 1
                        """,
                    ] { _ = try await pool.query(.once(text), timeout: .patience) }
                    _ = try await pool.query(
                        PositionStatements.noteTimeline, .text("1 2 3"), .text("1 2 %"), .integer(1_000_000),
                        .integer(0),
                        timeout: .patience)
                }
                try await withStore(at: address, isFenced: false, ledger: ledger) { store async throws in
                    #expect(try await store.erase(users[1], line: .none, now: Sample.now))
                    let outcome = try await store.recover(
                        RecoveryRequest(usesLedger: true, signingKeys: [], now: Sample.now + 10))
                    #expect(outcome.erased == 1)
                    #expect(try await store.user(users[0]) == nil)
                    #expect(try await store.user(users[1]) == nil)
                }
                let lines = try await ledger.lines(after: 1_000_000)
                #expect(lines.count == 1)
                // The next recovery passes what is behind by now, and its numbers go on.
                try await withPool(at: address) { pool in
                    let last = try await pool.query(
                        .once("SELECT last_value FROM ledger_number_seq"), timeout: .patience)
                    #expect(try last[0].integer(0) > 1_000_000_000)
                    let fork = try await pool.query(
                        .once("SELECT 1 FROM meta WHERE name = 'ledger_before'"), timeout: .patience)
                    #expect(fork.isEmpty)
                }
            }
        }
    }

    @Test func `goes on as it is where somebody has made sure that nothing is missing`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withLedger { ledger, _ in
                let session = Sample.session()
                try await withStore(at: address, ledger: ledger) { store async throws in
                    _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), session: session))
                    for _ in 0..<3 { _ = try await store.beat() }
                }
                try await putBack(address)
                try await withStore(at: address, isFenced: false, ledger: ledger) { store async throws in
                    #expect(try await store.recoverWithoutLoss(now: Sample.now) == 1)
                }
                try await withStore(at: address, ledger: ledger) { store async throws in
                    #expect(try await store.session(session.id, now: Sample.now) != nil)
                }
            }
        }
    }
}

@Suite struct `A database that was moved` {
    @Test func `gives no number that a row has, though sequences did not come along`() async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { store async throws in
                for number in 0..<3 { _ = try await store.signedIn(Sample.signIn(Sample.subject("\(number)"))) }
            }
            try await withPool(at: address) { pool in
                for sequence in ["user_ids", "identity_ids", "audit_id_seq"] {
                    _ = try await pool.query(.once("SELECT setval('\(sequence)', 1, false)"), timeout: .patience)
                }
            }
            try await withStore(at: address) { store async throws in
                for number in 3..<40 {
                    let signedIn = try await store.signedIn(Sample.signIn(Sample.subject("\(number)")))
                    #expect(signedIn.isNewUser && signedIn.user.rawValue > 1_000_000)
                }
            }
        }
    }

    @Test func `shows a follower of the audit trail all events, those of before and the new ones`() async throws {
        try await SharedServer.withEmptyTables { address in
            let query = AuditQuery(order: .oldestFirst, limit: 100)
            var cursor: AuditCursor?
            try await withStore(at: address) { store async throws in
                for number in 0..<3 { _ = try await store.signedIn(Sample.signIn(Sample.subject("\(number)"))) }
                let page = try #require(try await store.auditPage(query))
                #expect(page.events.count == 3)
            }
            // The transactions of the cluster that it comes from had far higher numbers.
            try await withPool(at: address) { pool in
                _ = try await pool.query(
                    .once("UPDATE audit SET writer = (writer::text::int8 + 5000000000)::text::xid8"), timeout: .patience
                )
            }
            try await withStore(at: address) { store async throws in
                let page = try #require(try await store.auditPage(query))
                #expect(page.events.count == 3, "what was there before is shown")
                cursor = page.next
                _ = try await store.signedIn(Sample.signIn(Sample.subject("new")))
                var further = query
                further.place = try .cursor(#require(cursor))
                let next = try #require(try await store.auditPage(further))
                #expect(next.events.map(\.kind) == [.userCreated], "and what comes now, behind that")
            }
        }
    }
}

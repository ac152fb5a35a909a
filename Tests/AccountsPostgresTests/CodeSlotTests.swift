import Accounts
import Postgres
import PostgresTestSupport
import TestSupport
import Testing

@testable import AccountsPostgres
@testable import AccountsSQL

@Suite struct `The parts in which uses of codes are remembered` {
    private static let border: Int64 = 1_790_000_000 / CodeSlot.seconds * CodeSlot.seconds

    @Test
    func `take turns by the half-hour, and a claim in the first minutes of one is made in the one before as well`() {
        let slots = [-1, 0, 149, 150, 1799, 1800].map { CodeSlot(expiresAt: Self.border + $0, overlap: 150) }
        let turn = slots[1].number
        let former = (turn + 2) % 3
        #expect(slots.map(\.number) == [former, turn, turn, turn, turn, (turn + 1) % 3])
        #expect(slots.map(\.before) == [nil, former, former, nil, nil, turn])
        #expect(CodeSlot(expiresAt: Self.border).before == nil)
    }

    @Test func `are those of their half-hour for a code, and one of their own for what has a time of its own`() {
        let use = OneTimeUse(hash: Sample.hash(), expiresAt: Self.border)
        #expect(CodeSlot(of: .authorizationCode(use)) == CodeSlot(expiresAt: Self.border))
        for evidence in [.idToken(use), .idTokenWithCode(use, code: use), .pushedTokens(use), .accessToken(use)]
            as [Evidence]
        {
            #expect(CodeSlot(of: evidence) == .lasting)
        }
    }

    /// Claims and looks in an hour and a half around a moment touch no part that is idle then.
    @Test func `are idle only while nobody writes or looks there, and each is for long enough to be emptied`() {
        let (memory, margin): (Int64, Int64) = (1200, 450)
        var idleSeconds = [Int64](repeating: 0, count: 3)
        for now in stride(from: Self.border, to: Self.border + 3 * CodeSlot.seconds, by: 10) {
            let idle = CodeSlot.idle(now: now, memory: memory, margin: margin)
            for other in stride(from: now - margin, through: now + margin, by: 50) {
                let claimed = CodeSlot(expiresAt: other + memory, overlap: 150)
                #expect(!idle.contains(claimed.number) && claimed.before.map(idle.contains) != true)
                #expect(!idle.contains(CodeSlot(expiresAt: other).number))
            }
            for slot in idle { idleSeconds[Int(slot)] += 10 }
        }
        #expect(idleSeconds.allSatisfy { $0 >= 20 * 60 })
    }
}

@Suite(.serialized) struct `The use of a code beside the border of two parts` {
    /// The first second whose claims are of the next part.
    private static let border = Sample.now / CodeSlot.seconds * CodeSlot.seconds + CodeSlot.seconds

    private static func code(_ hash: TokenHash, expiring seconds: Int64) -> OneTimeUse {
        OneTimeUse(hash: hash, expiresAt: border + seconds)
    }

    private func withStores(
        since: Int64? = nil, _ body: (PostgresAccounts, PostgresAccounts, PostgresPool) async throws -> Void
    ) async throws {
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { _ in }
            try await withPool(at: address, limits: PoolLimits(connections: 1)) { pool in
                let mark = "INSERT INTO meta (name, value) VALUES ('code_uses_since', \(since ?? 0))"
                let again = "\(mark) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
                _ = try await pool.query(.once(again), timeout: .patience)
                try await withStore(at: address) { store in
                    try await withStore(at: address) { other in try await body(store, other, pool) }
                }
            }
        }
    }

    @Test(arguments: [(-1, 0), (-1, 149), (-600, 600), (-1, 1), (0, -1), (100, -100)] as [(Int64, Int64)])
    func `is one request's, whichever part either is made in`(first: Int64, second: Int64) async throws {
        try await withStores { store, other, _ async throws in
            let hash = Sample.hash()
            let (code, rival) = (Self.code(hash, expiring: first), Self.code(hash, expiring: second))
            #expect(try await store.claimCode(code, for: Sample.issuer, now: Sample.now) == .claimed)
            #expect(try await other.claimCode(rival, for: Sample.issuer, now: Sample.now) == .used)
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), code: code))
            #expect(try await other.claimCode(rival, for: Sample.issuer, now: Sample.now) == .used)
            #expect(try await other.isCodeUsed(rival.hash, now: Sample.now))
        }
    }

    @Test func `is one request's where two hundred claim it at one moment, half of them on each side`() async throws {
        try await withStores { store, other, _ async throws in
            for _ in 0..<5 {
                let hash = Sample.hash()
                let claimed = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for index in 0..<40 {
                        let code = Self.code(hash, expiring: index % 2 == 0 ? -1 : 1)
                        group.addTask {
                            try await (index % 4 < 2 ? store : other).claimCode(
                                code, for: Sample.issuer, now: Sample.now) == .claimed
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(claimed == 1)
            }
        }
    }

    @Test func `may be made again behind the border, where its issuer has not taken it, or where it was not sent`()
        async throws
    {
        try await withStores { store, other, _ async throws in
            for (end, other_) in [(CodeClaimEnd.refused, CodeClaim.sentElsewhere), (.notSent, .claimed)] {
                let hash = Sample.hash()
                let code = Self.code(hash, expiring: 1)
                #expect(try await store.claimCode(code, for: Sample.issuer, now: Sample.now) == .claimed)
                try await store.releaseCode(code, end, now: Sample.now)
                let late = Self.code(hash, expiring: 300)
                #expect(try await other.claimCode(late, for: Sample.oldIssuer, now: Sample.now) == other_)
                if end == .refused {
                    #expect(try await other.claimCode(late, for: Sample.issuer, now: Sample.now) == .claimed)
                }
                #expect(try await !other.isCodeUsed(code.hash, now: Sample.now))
            }
        }
    }

    @Test func `goes with its whole part, and not before its time`() async throws {
        try await withStores { store, _, pool in
            let code = Self.code(Sample.hash(), expiring: 10)
            _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), code: code))
            func rows() async throws -> Int {
                try await pool.query(.once("SELECT 1 FROM code_uses"), timeout: .patience).count
            }
            for passed in [0, 600] as [Int64] {
                _ = try await store.emptyCodeSlots(now: code.expiresAt + passed, there: code.expiresAt + passed)
                #expect(try await rows() == 1)
            }
            // A machine that believes it to be another day empties nothing.
            _ = try await store.emptyCodeSlots(now: code.expiresAt + 4000, there: code.expiresAt)
            #expect(try await rows() == 1)
            _ = try await store.emptyCodeSlots(now: code.expiresAt + 3000, there: code.expiresAt + 3000)
            #expect(try await rows() == 0)
        }
    }

    @Test func `is seen by instances of the version before for an hour, and what they have used always`() async throws {
        let older = OneTimeUse(hash: Sample.hash(), expiresAt: Sample.now + 1200)
        for since in [Sample.now - 10, Sample.now - 4000] {
            try await withStores(since: since) { store, _, pool async throws in
                _ = try await pool.query(
                    .once("INSERT INTO used_codes (hash, owner, state, expires) VALUES ($1, $2, 1, $3)"),
                    .bytes(older.hash.bytes), .integer(older.owner), .integer(older.expiresAt), timeout: .patience)
                let rival = OneTimeUse(hash: older.hash, expiresAt: older.expiresAt)
                #expect(try await store.claimCode(rival, for: Sample.issuer, now: Sample.now) == .used)
                #expect(try await store.isCodeUsed(rival.hash, now: Sample.now))
                let code = Sample.code()
                #expect(try await store.claimCode(code, for: Sample.issuer, now: Sample.now) == .claimed)
                let rows = try await pool.query(.once("SELECT 1 FROM used_codes WHERE state = 0"), timeout: .patience)
                #expect(rows.count == (since == Sample.now - 10 ? 1 : 0))
                _ = try await store.signedIn(Sample.signIn(Sample.subject("1"), code: code))
                #expect(try await store.isCodeUsed(code.hash, now: Sample.now))
                // What was not sent may be claimed by anybody, here and there.
                let unsent = Sample.code()
                _ = try await store.claimCode(unsent, for: Sample.issuer, now: Sample.now)
                try await store.releaseCode(unsent, .notSent, now: Sample.now)
                let again = OneTimeUse(hash: unsent.hash, expiresAt: unsent.expiresAt)
                #expect(try await store.claimCode(again, for: Sample.issuer, now: Sample.now) == .claimed)
            }
        }
    }

    @Test func `is seen by instances of the version before, whatever was used`() async throws {
        for since in [Sample.now - 10, Sample.now - 4000] {
            try await withStores(since: since) { store, other, pool async throws in
                let use = OneTimeUse(hash: Sample.hash(), expiresAt: Sample.now + 4000)
                func signIn(_ store: PostgresAccounts) async throws -> SignInOutcome {
                    try await store.signIn(Sample.signIn(Sample.subject("1"), evidence: .idToken(use)))
                }
                guard case .signedIn = try await signIn(store) else { return #expect(Bool(false)) }
                let seen = try await pool.query(
                    .once("SELECT state FROM used_codes WHERE hash = $1"), .bytes(use.hash.bytes), timeout: .patience)
                #expect(seen.count == (since == Sample.now - 10 ? 1 : 0))
                #expect(try await signIn(other) == .refused(.codeAlreadyUsed))
                #expect(try await store.standing(of: use.hash, now: Sample.now) != .underWay(expiresAt: use.expiresAt))

                // What such an instance has taken is not taken again.
                let older = OneTimeUse(hash: Sample.hash(), expiresAt: Sample.now + 4000)
                _ = try await pool.query(
                    .once("INSERT INTO used_codes (hash, owner, state, expires) VALUES ($1, $2, 1, $3)"),
                    .bytes(older.hash.bytes), .integer(older.owner), .integer(older.expiresAt), timeout: .patience)
                let again = OneTimeUse(hash: older.hash, expiresAt: older.expiresAt)
                let outcome = try await store.signIn(Sample.signIn(Sample.subject("1"), evidence: .idToken(again)))
                #expect(outcome == .refused(.codeAlreadyUsed))
            }
        }
    }
}

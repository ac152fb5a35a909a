internal import Accounts
import Testing
internal import Wings

extension UnlockKeyID {
    static func sample(_ number: UInt8 = 1) -> UnlockKeyID {
        UnlockKeyID(copying: [UInt8](repeating: number, count: byteCount).span)
    }
}

extension AccountRepository {
    fileprivate var keys: UnlockKeys { UnlockKeys(self) }

    fileprivate func guess(
        _ isRight: Bool = false, _ id: UnlockKeyID = .sample(), now: Int64 = Sample.now
    ) async throws(RepositoryError) -> UnlockOutcome {
        try await keys.settle(id, .password(isRight: isRight), now: now)
    }
}

extension RepositoryContract {
    static let unlockKeyClauses = [
        RepositoryContract("a key is kept as it was given, and no other is there") { store in
            try await store.keys.add(.sample(), content: [1, 2, 3], now: Sample.now)
            #expect(try await store.keys.find(.sample())?.content == [1, 2, 3])
            #expect(try await store.keys.find(.sample(2)) == nil)
            #expect(try await store.guess(true, .sample(2)) == .missing)
            #expect(try await store.guess(false, .sample(2)) == .missing)
            #expect(try await store.keys.settle(.sample(2), .longSecret, now: Sample.now) == .missing)
        },
        RepositoryContract("a key that was unlocked under a session is its user's, and goes with them") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            for number in 1...3 as ClosedRange<UInt8> {
                try await store.keys.add(.sample(number), content: [1], of: number == 1 ? user : nil, now: Sample.now)
            }
            _ = try await store.keys.settle(.sample(2), .longSecret, by: user, now: Sample.now)
            #expect(try await store.keys.find(.sample(2))?.user == user)
            #expect(try await store.keys.find(.sample(3))?.user == nil)
            #expect(try await store.erase(user, now: Sample.now))
            #expect(try await store.keys.find(.sample(1)) == nil)
            #expect(try await store.keys.find(.sample(2)) == nil)
            #expect(try await store.keys.find(.sample(3)) != nil)
        },
        RepositoryContract("a key that is somebody's is nobody else's for unlocking it") { store in
            let user = try await store.signedIn(Sample.signIn(Sample.subject("1"))).user
            let other = try await store.signedIn(Sample.signIn(Sample.subject("2"))).user
            try await store.keys.add(.sample(), content: [1], of: user, now: Sample.now)
            _ = try await store.keys.settle(.sample(), .longSecret, by: other, now: Sample.now + 200_000)
            #expect(try await store.keys.find(.sample())?.user == user)
        },
        RepositoryContract("a key is revoked by a right secret, and a wrong one counts") { store in
            try await store.keys.add(.sample(), content: [1], now: Sample.now)
            let wrong = UnlockAttempt.password(isRight: false)
            #expect(try await store.keys.settle(.sample(), wrong, for: .revoking, now: Sample.now) == .wrong)
            #expect(try await store.keys.find(.sample())?.content == [1])
            #expect(
                try await store.keys.settle(.sample(), .longSecret, for: .revoking, now: Sample.now) == .unlocked)
            #expect(try await store.keys.find(.sample()) == nil)
            #expect(try await store.auditEvents(after: 0, limit: .max).map(\.kind) == [.unlockKeyRevoked])
        },
        RepositoryContract("a name is given once, and to the same key again") { store in
            for _ in 0..<2 { try await store.keys.add(.sample(), content: [1], now: Sample.now) }
            await #expect(throws: RepositoryError.self) {
                try await store.keys.add(.sample(), content: [2], now: Sample.now)
            }
            #expect(try await store.keys.find(.sample())?.content == [1])
        },
        RepositoryContract("the third wrong password in a row destroys the key, and is audited") { store in
            try await store.keys.add(.sample(), content: [1], now: Sample.now)
            #expect(try await store.guess() == .wrong)
            #expect(try await store.guess() == .wrong)
            #expect(try await store.auditTrail().isEmpty)
            #expect(try await store.guess() == .locked)
            let destroyed = try #require(try await store.keys.find(.sample()))
            #expect(destroyed.content == nil)
            for attempt in [UnlockAttempt.password(isRight: true), .password(isRight: false), .longSecret] {
                #expect(try await store.keys.settle(.sample(), attempt, now: Sample.now) == .locked)
            }
            let trail = try await store.auditEvents(after: 0, limit: .max)
            #expect(trail.map(\.kind) == [.unlockKeyLocked])
            #expect(trail.allSatisfy { $0.user == nil && $0.oldIdentity == nil && $0.newIdentity == nil })
        },
        RepositoryContract("the right password ends the row of wrong ones, and a long secret does not") { store in
            try await store.keys.add(.sample(), content: [1], now: Sample.now)
            for _ in 0..<5 {
                for isRight in [false, false, true] {
                    #expect(try await store.guess(isRight) == (isRight ? .unlocked : .wrong))
                }
            }
            for _ in 0..<2 { #expect(try await store.guess() == .wrong) }
            #expect(try await store.keys.settle(.sample(), .longSecret, now: Sample.now) == .unlocked)
            #expect(try await store.guess() == .locked)
        },
        RepositoryContract("of a hundred wrong passwords at once two are told, and the third locks") { store in
            try await store.keys.add(.sample(), content: [1], now: Sample.now)
            let outcomes = try await store.outcomes(of: 100) { _ in false }
            #expect(outcomes.filter { $0 == .wrong }.count == 2)
            #expect(outcomes.filter { $0 == .locked }.count == 98)
            #expect(try await store.keys.find(.sample())?.content == nil)
        },
        RepositoryContract("a right one among many counts only where fewer than three wrong ones came before") {
            store in
            for number in 0..<20 as Range<UInt8> {
                let id = UnlockKeyID.sample(number)
                try await store.keys.add(id, content: [1], now: Sample.now)
                let outcomes = try await store.outcomes(of: 40, id) { $0 == 20 }
                let wrong = outcomes.filter { $0 == .wrong }.count
                let isUnlocked = outcomes[20] == .unlocked
                // Two before it, and two more after it, at most; without it two in all.
                #expect(isUnlocked ? (2...4).contains(wrong) : wrong == 2, "\(wrong)")
                #expect(isUnlocked || outcomes[20] == .locked)
                #expect(try await store.keys.find(id)?.content == nil)
            }
        },
        RepositoryContract("keys that nobody has unlocked for long are removed, and no others") { store in
            let day: Int64 = 86_400
            for number in 1...4 as ClosedRange<UInt8> {
                try await store.keys.add(.sample(number), content: [number], now: Sample.now)
            }
            let later = Sample.now + 10 * day
            #expect(try await store.guess(true, .sample(1), now: later) == .unlocked)
            #expect(try await store.keys.settle(.sample(2), .longSecret, now: later) == .unlocked)
            #expect(try await store.guess(false, .sample(3), now: later) == .wrong)
            #expect(try await store.keys.sweep(unusedSince: Sample.now, limit: 10, now: later) == 0)
            #expect(try await store.keys.sweep(unusedSince: later, limit: 1, now: later) == 1)
            #expect(try await store.keys.sweep(unusedSince: later, limit: 10, now: later) == 1)
            #expect(try await store.keys.sweep(unusedSince: later, limit: 10, now: later) == 0)
            for number in 1...4 as ClosedRange<UInt8> {
                #expect((try await store.keys.find(.sample(number)) != nil) == (number < 3))
            }
        },
    ]
}

extension AccountRepository {
    /// What comes of so many passwords at once.
    fileprivate func outcomes(
        of count: Int, _ id: UnlockKeyID = .sample(), _ isRight: @escaping @Sendable (Int) -> Bool
    ) async throws -> [UnlockOutcome] {
        try await withThrowingTaskGroup(of: (Int, UnlockOutcome).self) { group in
            for number in 0..<count {
                group.addTask { (number, try await self.guess(isRight(number), id)) }
            }
            var outcomes = [UnlockOutcome](repeating: .missing, count: count)
            for try await (number, outcome) in group { outcomes[number] = outcome }
            return outcomes
        }
    }
}

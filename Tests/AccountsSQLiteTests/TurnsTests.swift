import Accounts
import AccountsSQL
import Patience
import Synchronization
import System
import TestSupport
import Testing

@Suite struct `Turns at a row`: Sendable {
    private static let key = TurnKey.user(UserID(rawValue: 1))
    private final class Journal: Sendable {
        let order = Mutex<[Int]>([])
    }

    private static let other = TurnKey.user(UserID(rawValue: 2))

    private func take(
        _ turns: Turns, _ key: TurnKey, until deadline: MonotonicTime,
        _ body: (Turn) async throws(RepositoryError) -> Void
    ) async throws(RepositoryError) {
        let turn = try await turns.begin(key, until: deadline)
        defer { turns.end(key) }
        try await body(turn)
    }

    private func hold(_ turns: Turns, _ count: Int, _ gate: Gate) async -> [Task<Void, any Error>] {
        let tasks = (0..<count).map { _ in
            Task { try await take(turns, Self.key, until: .now + .seconds(60)) { _ in await gate.pass() } }
        }
        await gate.arrivals(count)
        return tasks
    }

    @Test func `are taken by two at a time, in the order of coming, and by others at once`() async throws {
        let turns = Turns(atOnce: 2, waitingLimit: 10)
        let gate = Gate()
        var tasks = await hold(turns, 2, gate)
        let journal = Journal()
        for number in 0..<4 {
            tasks.append(
                Task {
                    try await take(turns, Self.key, until: .now + .seconds(60)) { _ in
                        journal.order.withLock { $0.append(number) }
                    }
                })
            try await eventually("one more who waits") { turns.waiting == number + 1 }
        }
        try await take(turns, Self.other, until: .now) { _ in }
        #expect(journal.order.withLock(\.self).isEmpty)
        gate.open()
        for task in tasks { try await task.value }
        // The first two go at the same time.
        #expect(journal.order.withLock { Set($0.prefix(2)) } == [0, 1] && turns.waiting == 0)
    }

    @Test func `are not waited for beyond the time there is, nor by more than may wait`() async throws {
        let turns = Turns(atOnce: 1, waitingLimit: 1)
        let gate = Gate()
        let holder = await hold(turns, 1, gate)
        await #expect(throws: RepositoryError.unavailable(.locked)) {
            try await take(turns, Self.key, until: .now + .milliseconds(50)) { _ in }
        }
        #expect(turns.waiting == 0)
        let patient = Task { try await take(turns, Self.key, until: .now + .seconds(60)) { _ in } }
        try await eventually("one who waits") { turns.waiting == 1 }
        await #expect(throws: RepositoryError.unavailable(.overloaded)) {
            try await take(turns, Self.key, until: .now + .seconds(60)) { _ in }
        }
        gate.open()
        for task in holder + [patient] { try await task.value }
        try await take(turns, Self.key, until: .now) { _ in }
    }

    @Test func `go on with the next one when one has failed`() async throws {
        let turns = Turns(atOnce: 1, waitingLimit: 1)
        await #expect(throws: RepositoryError.wrongMasterKey) {
            try await take(turns, Self.key, until: .now) { _ throws(RepositoryError) in throw .wrongMasterKey }
        }
        try await take(turns, Self.key, until: .now) { turn in #expect(!turn.isLocked) }
    }
}

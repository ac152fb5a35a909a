import Dispatch
import EventLoop
import System
import Testing

/// Lives on a loop, as connections do.
private actor Resident: LoopBound {
    nonisolated let loop: EventLoop

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func isOnLoop() -> Bool { loop.isCurrent }

    private var sum = 0

    /// Enters itself from outside its isolation, and tells what came of it once all of it has returned.
    func entered(with numbers: [Int]) -> Int {
        for number in numbers { enter(number) }
        return sum
    }

    nonisolated func enter(_ number: Int) { assumeOnLoop(number) { $0.sum += $1 } }

    func wait(_ delays: [Duration], cancel: Int) async -> [Int] {
        await withCheckedContinuation { continuation in
            let order = Order(expected: delays.count - 1, continuation)
            for (index, delay) in delays.enumerated() {
                let timer = loop.schedule(after: delay) { order.note(index) }
                if index == cancel { timer.cancel() }
            }
        }
    }

    /// Sets timers that are moved at once: back, forth, away, and for ever; and one that sets itself twice again.
    func move() async -> [Int] {
        await withCheckedContinuation { continuation in
            let order = Order(expected: 5, continuation)
            let now = MonotonicTime.now
            let timers = (0..<4).map { index in loop.timer { order.note(index) } }
            timers[0].move(to: now + .milliseconds(1))
            timers[0].move(to: now + .milliseconds(40))
            timers[1].move(to: now + .seconds(3600))
            timers[1].move(to: now + .milliseconds(20))
            timers[2].move(to: now + .milliseconds(10))
            timers[2].move(to: nil)
            timers[3].move(to: now + .milliseconds(10))
            timers[3].cancel()
            timers[3].move(to: now + .milliseconds(10))
            again(order, from: now, rounds: 3)
        }
    }

    /// Moves a timer forth so often that its places fill the queue.
    func leavePlaces() async -> [Int] {
        await withCheckedContinuation { continuation in
            let order = Order(expected: 1, continuation)
            let now = MonotonicTime.now
            let timer = loop.timer { order.note(0) }
            for number in 0..<5000 { timer.move(to: now + .milliseconds(20 + 5000 - number)) }
            timer.move(to: now)
        }
    }

    private func again(_ order: Order, from now: MonotonicTime, rounds: Int) {
        let round = Round()
        let timer = loop.timer {
            order.note(4)
            round.number += 1
            if round.number == rounds { round.timer?.cancel() } else { round.timer?.move(to: now + .milliseconds(2)) }
        }
        round.timer = timer
        timer.move(to: now + .milliseconds(2))
    }
}

private final class Round: @unchecked Sendable {
    // Unchecked: touched only from timers of one loop.
    var number = 0
    var timer: LoopTimer?
}

private final class Order: @unchecked Sendable {
    // Unchecked: touched only from timers of one loop.
    private var seen: [Int] = []
    private let expected: Int
    private let continuation: CheckedContinuation<[Int], Never>

    init(expected: Int, _ continuation: CheckedContinuation<[Int], Never>) {
        self.expected = expected
        self.continuation = continuation
    }

    func note(_ index: Int) {
        seen.append(index)
        if seen.count == expected { continuation.resume(returning: seen) }
    }
}

@Suite struct `An event loop` {
    private func withLoop<Result>(_ body: (EventLoop) async throws -> Result) async throws -> Result {
        let loop = try EventLoop(label: "test")
        loop.start()
        defer { loop.stop() }
        return try await body(loop)
    }

    @Test func `runs an actor that names it on its own thread`() async throws {
        try await withLoop { loop in
            #expect(await Resident(loop).isOnLoop())
            #expect(!loop.isCurrent)
        }
    }

    @Test func `lets who is on its thread enter an actor at once, and stops who is not`() async throws {
        try await withLoop { loop in
            #expect(await Resident(loop).entered(with: [1, 2, 3]) == 6)
        }
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop(label: "test")
            loop.start()
            Resident(loop).enter(1)
        }
    }

    @Test func `runs a task that prefers it on its own thread`() async throws {
        try await withLoop { loop in
            #expect(await Task(executorPreference: loop) { loop.isCurrent }.value)
        }
    }

    @Test func `fires timers in the order of their deadlines and never a cancelled one`() async throws {
        try await withLoop { loop in
            let order = await Resident(loop).wait(
                [.milliseconds(30), .milliseconds(10), .zero, .milliseconds(20)], cancel: 3)
            #expect(order == [2, 1, 0])
        }
    }

    @Test func `fires a timer where it has moved, once for each time it is set`() async throws {
        try await withLoop { loop in
            #expect(await Resident(loop).move() == [4, 4, 4, 1, 0])
        }
    }

    @Test func `forgets the places that timers have left when they are most of the queue`() async throws {
        try await withLoop { loop in
            #expect(await Resident(loop).leavePlaces() == [0])
        }
    }

    @Test func `runs jobs from many threads, each once`() async throws {
        try await withLoop { loop in
            let resident = Resident(loop)
            let total = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<1000 { group.addTask { await resident.isOnLoop() } }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(total == 1000)
        }
    }

    @Test func `runs beside hundreds of others`() async throws {
        // More than Dispatch's pool has threads.
        let loops = try (0..<300).map { try EventLoop(label: "test \($0)") }
        for loop in loops { loop.start() }
        defer { for loop in loops { loop.stop() } }
        for loop in loops { #expect(await Resident(loop).isOnLoop()) }
        // Dispatch's own threads are still there for others.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume() }
        }
    }

    @Test func `still runs jobs that arrive after it was stopped`() async throws {
        let loop = try EventLoop(label: "test")
        loop.start()
        let resident = Resident(loop)
        _ = await resident.isOnLoop()
        loop.stop()
        for _ in 0..<100 { #expect(await resident.isOnLoop()) }
    }
}

import Patience
import Synchronization
import Testing

@testable import SignIn

@Suite struct `A fair line` {
    private final class Order: Sendable {
        let names = Mutex<[String]>([])
    }

    private func turn(_ key: String, _ address: String = "a") -> FairLine.Turn {
        FairLine.Turn(key: Array(key.utf8), address: Array(address.utf8))
    }

    /// Has these wait in their order behind one who has the only place, and tells in which order they are served; who
    /// is refused is told with a minus.
    private func served(_ waiting: [(String, String)], maximum: Int = 100) async throws -> [String] {
        let line = FairLine(places: 1, maximumWaiting: maximum)
        let order = Order()
        let first = turn("first", "first")
        try await line.enter(first)
        await withTaskGroup(of: Void.self) { group in
            for (index, (key, address)) in waiting.enumerated() {
                let turn = turn(key, address)
                group.addTask {
                    do throws(ServiceError) {
                        try await line.enter(turn)
                        order.names.withLock { $0.append(key) }
                        line.leave(turn)
                    } catch {
                        order.names.withLock { $0.append("-" + key) }
                    }
                }
                // The next one comes later.
                try? await eventually("one more that waits or is refused") {
                    line.waiting + order.names.withLock(\.count) > index
                }
            }
            line.leave(first)
        }
        return order.names.withLock(\.self)
    }

    @Test func `serves keys in turn, in whatever order and number they have come`() async throws {
        let order = try await served([("x", "a"), ("x", "a"), ("x", "a"), ("y", "a"), ("z", "b"), ("y", "a")])
        #expect(order == ["x", "z", "y", "x", "y", "x"] || order == ["x", "y", "z", "x", "y", "x"])
    }

    @Test func `serves addresses in turn, whatever number of keys they have`() async throws {
        let order = try await served([("1", "a"), ("2", "a"), ("3", "a"), ("4", "a"), ("5", "b")])
        #expect(order.firstIndex(of: "5").map { $0 <= 1 } == true, "\(order)")
    }

    @Test func `makes room for others at the cost of who has most in it`() async throws {
        let order = try await served(
            [("x", "a"), ("x", "a"), ("x", "a"), ("y", "a"), ("z", "a"), ("x", "a")], maximum: 3)
        #expect(order.count { $0 == "-x" } == 3, "\(order)")
        #expect(order.contains("y") && order.contains("z") && order.contains("x"))
    }

    @Test func `refuses the newcomer where all are alike`() async throws {
        let order = try await served([("x", "a"), ("y", "b"), ("z", "c")], maximum: 2)
        #expect(order == ["-z", "x", "y"])
    }

    @Test func `gives every place back`() async throws {
        let line = FairLine(places: 2, maximumWaiting: 0)
        for _ in 0..<3 {
            try await line.enter(turn("x"))
            try await line.enter(turn("y"))
            await #expect(throws: ServiceError.overloaded) { try await line.enter(turn("z")) }
            line.leave(turn("x"))
            line.leave(turn("y"))
        }
        #expect(line.waiting == 0)
    }
}

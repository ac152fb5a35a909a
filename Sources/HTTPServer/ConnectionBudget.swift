import Synchronization

/// How many connections there may be over all loops, and how many there are.
final class ConnectionBudget: Sendable {
    enum Admission { case granted, beyondLimit, farBeyondLimit }

    /// How many connections more than the limit are still told that there are too many; later ones are just closed.
    private static let refusalsAtOnce = 256

    private let limit: Int
    private let open = Atomic<Int>(0)

    /// - Parameter limit: 0 is no limit.
    init(limit: Int) {
        self.limit = HTTPServerLimits.bound(limit)
    }

    /// Counts one connection more. Whatever comes out, ``leave()`` must follow when it closes.
    func enter() -> Admission {
        let count = open.add(1, ordering: .relaxed).newValue
        return count <= limit ? .granted : count - limit <= Self.refusalsAtOnce ? .beyondLimit : .farBeyondLimit
    }

    func leave() {
        open.subtract(1, ordering: .relaxed)
    }
}

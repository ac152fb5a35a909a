import Synchronization

/// How many sign-ins one provider may have in flight, so that one that is slow holds no more than its share of the
/// service.
public final class Bulkhead: Sendable {
    /// A place that somebody has, who gives it back by letting go of it.
    public struct Place: ~Copyable, Sendable {
        private let bulkhead: Bulkhead

        fileprivate init(in bulkhead: Bulkhead) {
            self.bulkhead = bulkhead
        }

        deinit { bulkhead.leave() }
    }

    private let limit: Int
    private let inside = Atomic(0)

    /// - Parameter limit: 0 lets everybody in.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a place.
    ///
    /// - Returns: nil when all are taken.
    public func enter() -> Place? {
        let before = inside.wrappingAdd(1, ordering: .relaxed).oldValue
        guard limit == 0 || before < limit else {
            leave()
            return nil
        }
        return Place(in: self)
    }

    private func leave() {
        inside.wrappingSubtract(1, ordering: .relaxed)
    }
}

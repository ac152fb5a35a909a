import Synchronization

/// How many sign-ins one provider may have in flight, so that one that is slow holds no more than its share of the
/// service.
public final class Bulkhead: Sendable {
    private let limit: Int
    private let inside = Atomic(0)

    /// - Parameter limit: 0 lets everybody in.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a place.
    ///
    /// - Returns: false when all are taken; then there is nothing to ``leave()``.
    public func enter() -> Bool {
        let before = inside.wrappingAdd(1, ordering: .relaxed).oldValue
        if limit == 0 || before < limit { return true }
        leave()
        return false
    }

    /// Gives a place back.
    public func leave() {
        inside.wrappingSubtract(1, ordering: .relaxed)
    }
}

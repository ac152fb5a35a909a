import Synchronization

/// What became of the store's writes since it was opened: whether it works is told by what it did, and not by what is
/// tried for the sake of being told.
public final class StoreOutcomes: Sendable {
    /// How many were done, and how many failed because of the store; what others were in the way of is neither.
    public struct Counts: Equatable, Sendable {
        public var done = 0
        public var failed = 0

        public init() {}

        public static func - (left: Counts, right: Counts) -> Counts {
            var difference = Counts()
            difference.done = left.done - right.done
            difference.failed = left.failed - right.failed
            return difference
        }
    }

    private let done = Atomic<Int>(0)
    private let failed = Atomic<Int>(0)
    private let cause = Mutex<Unavailability?>(nil)

    public init() {}

    public var counts: Counts {
        var counts = Counts()
        counts.done = done.load(ordering: .relaxed)
        counts.failed = failed.load(ordering: .relaxed)
        return counts
    }

    /// Why the last one failed.
    public var lastCause: Unavailability? { cause.withLock(\.self) }

    /// Notes that writes are on disk.
    public func noteDone(_ count: Int = 1) { done.wrappingAdd(count, ordering: .relaxed) }

    /// Notes that a write failed, where that tells something of the store.
    public func note(_ error: RepositoryError) {
        guard error.isOfStore, case .unavailable(let unavailability) = error else { return }
        failed.wrappingAdd(1, ordering: .relaxed)
        cause.withLock { $0 = unavailability }
    }
}

extension RepositoryError {
    /// Whether it tells something of the store, and nothing of the work or of others.
    public var isOfStore: Bool { if case .unavailable(let reason) = self { reason.isOfStore } else { false } }
}

extension Unavailability {
    /// Whether it is the store that does not work, and not that others were first, too many came, or it was closed.
    var isOfStore: Bool {
        switch self {
        case .diskFull, .readOnly, .corrupt, .notADatabase, .cannotOpen, .inputOutput, .outOfMemory, .brokenSeal,
            .cannotConnect, .settingsRefused, .tooManyConnections, .uncertain, .clock, .behind, .engine,
            .server:
            true
        case .locked, .overloaded, .closed: false
        }
    }
}

internal import Synchronization

/// A number that one thread alone makes larger, and any may read: no lock, and no more than a load and a store.
///
/// Each loop counts for itself; who scrapes adds up.
public final class LoopCount: Sendable {
    private let value = Atomic<Int>(0)

    public init() {}

    /// By the one thread whose count this is.
    @inline(__always)
    public func add(_ number: Int = 1) {
        value.store(value.load(ordering: .relaxed) &+ number, ordering: .relaxed)
    }

    public var total: Int { value.load(ordering: .relaxed) }
}

/// How long things took, as one thread alone measures it, and any may read.
public final class LoopHistogram: Sendable {
    /// In nanoseconds.
    private let limits: [Int64]
    private let bounds: [Double]
    /// Of each bound by itself, and last of what lies beyond all.
    private let counts: [LoopCount]
    private let nanoseconds = LoopCount()

    /// - Parameter bounds: the upper ones in seconds, rising.
    public init(bounds: [Double]) {
        self.bounds = bounds
        limits = bounds.map { Int64($0 * 1_000_000_000) }
        counts = (0...bounds.count).map { _ in LoopCount() }
    }

    /// By the one thread whose histogram this is.
    ///
    /// - Parameter nanoseconds: not negative.
    public func add(nanoseconds: Int64) {
        var index = 0
        while index < limits.count, limits[index] < nanoseconds { index += 1 }
        counts[index].add()
        self.nanoseconds.add(Int(nanoseconds))
    }

    /// What was measured so far. It may be read while one is added, which is then in the counts or not yet.
    public var reading: HistogramCounts {
        HistogramCounts(
            bounds: bounds, counts: counts.map(\.total), sum: Double(nanoseconds.total) / 1_000_000_000)
    }
}

internal import Synchronization
internal import System

/// A number that one thread alone changes, and any may read: no lock, and no more than a load and a store.
///
/// Each loop counts for itself; who scrapes adds up. Where several threads count one thing, all of them say so
/// (``addShared(_:)``).
public final class LoopCount: Sendable {
    private let value = Atomic<Int>(0)

    public init() {}

    /// By the one thread whose count this is.
    @inline(__always)
    public func add(_ number: Int = 1) {
        value.store(value.load(ordering: .relaxed) &+ number, ordering: .relaxed)
    }

    /// By whichever thread.
    @inline(__always)
    public func addShared(_ number: Int = 1) { value.wrappingAdd(number, ordering: .relaxed) }

    public var total: Int { value.load(ordering: .relaxed) }
}

/// How large things were, or how long they took, as one thread alone measures it, or any (``addShared(_:)``), and any
/// may read.
public final class LoopHistogram: Sendable {
    /// How many of what is added are one of what the bounds are in.
    private let scale: Double
    private let limits: [Int64]
    private let bounds: [Double]
    /// Of each bound by itself, and last of what lies beyond all.
    private let counts: [LoopCount]
    private let sum = LoopCount()
    /// Of each bound likewise; there only once one was noted.
    private let exemplars = AtomicLazyReference<Exemplars>()

    /// Of durations, which are added in nanoseconds.
    ///
    /// - Parameter bounds: the upper ones in seconds, rising.
    public convenience init(seconds bounds: [Double]) {
        self.init(bounds, scale: 1_000_000_000)
    }

    /// Of numbers of things.
    public convenience init(numbers bounds: [Double]) {
        self.init(bounds, scale: 1)
    }

    private init(_ bounds: [Double], scale: Double) {
        (self.bounds, self.scale) = (bounds, scale)
        limits = bounds.map { Int64($0 * scale) }
        counts = (0...bounds.count).map { _ in LoopCount() }
    }

    /// By the one thread whose histogram this is.
    ///
    /// - Parameters:
    ///   - value: not negative.
    ///   - trace: what it was measured in; nil for nothing that is traced.
    public func add(_ value: Int64, in trace: Trace? = nil) {
        let place = place(of: value)
        counts[place].add()
        sum.add(Int(value))
        guard let trace, trace.isKept else { return }
        let exemplars = exemplars.load() ?? exemplars.storeIfNil(Exemplars(count: counts.count))
        exemplars.note(
            Exemplar(traceID: trace.id, value: Double(value) / scale, milliseconds: WallClock.now.milliseconds),
            at: place)
    }

    /// By whichever thread; then none may use the other way.
    public func addShared(_ value: Int64) {
        counts[place(of: value)].addShared()
        sum.addShared(Int(value))
    }

    private func place(of value: Int64) -> Int {
        var index = 0
        while index < limits.count, limits[index] < value { index += 1 }
        return index
    }

    /// What was measured so far. It may be read while one is added, which is then in the counts or not yet.
    public var reading: HistogramCounts {
        HistogramCounts(
            bounds: bounds, counts: counts.map(\.total), sum: Double(sum.total) / scale,
            exemplars: exemplars.load()?.all ?? [])
    }
}

/// The last exemplar below each bound.
private final class Exemplars: Sendable {
    private let latest: Mutex<[Exemplar?]>

    init(count: Int) {
        latest = Mutex(Array(repeating: nil, count: count))
    }

    var all: [Exemplar?] { latest.withLock(\.self) }

    func note(_ exemplar: Exemplar, at place: Int) { latest.withLock { $0[place] = exemplar } }
}

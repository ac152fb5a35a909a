/// Whether the time of day goes along with the clock that never jumps: what was set, and is set right again soon, had
/// better not have decided what is removed for good.
///
///     watch.isSteady(wall: 1_790_000_000_000, at: .now)     // false: nothing is known of it yet
///     watch.isSteady(wall: 1_790_000_120_000, at: later)    // true: two minutes have passed on both
public struct ClockWatch: Sendable {
    private let settlingMilliseconds: Int64
    private let toleranceMilliseconds: Int64
    private var since: (wall: Int64, monotonic: Int64)?
    private var last: (wall: Int64, monotonic: Int64)?

    /// - Parameters:
    ///   - settlingSeconds: for how long both must have gone along with each other.
    ///   - toleranceMilliseconds: how far they may part between two looks; clocks are set right by slewing, too.
    public init(settlingSeconds: Int64 = 120, toleranceMilliseconds: Int64 = 2000) {
        settlingMilliseconds = settlingSeconds * 1000
        self.toleranceMilliseconds = toleranceMilliseconds
    }

    /// Takes a look at both.
    ///
    /// - Parameter wall: milliseconds since 1970.
    public mutating func isSteady(wall: Int64, at instant: MonotonicTime) -> Bool {
        let now = (wall: wall, monotonic: instant.nanoseconds / 1_000_000)
        let parted = last.map { abs((now.wall - $0.wall) - (now.monotonic - $0.monotonic)) } ?? 0
        last = now
        guard let since, parted <= toleranceMilliseconds else {
            since = now
            return false
        }
        return now.monotonic - since.monotonic >= settlingMilliseconds
    }
}

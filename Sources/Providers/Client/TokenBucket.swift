public import System

/// A budget that refills with time: so many at once, then one every so often.
public struct TokenBucket: Sendable {
    private let capacity: Int64
    private let nanosecondsPerToken: Int64
    /// When the bucket would be full if nothing more were taken.
    private var fullAt: Int64

    /// - Parameters:
    ///   - burst: how many may be taken at once.
    ///   - interval: after how long one more may be taken.
    public init(burst: Int, every interval: Duration, now: MonotonicTime) {
        let (seconds, attoseconds) = interval.components
        capacity = Int64(max(1, burst))
        nanosecondsPerToken = max(1, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        fullAt = now.nanoseconds
    }

    /// After how long there is one to take.
    public func wait(now: MonotonicTime) -> Duration {
        let due = fullAt + nanosecondsPerToken - capacity * nanosecondsPerToken
        return .nanoseconds(max(0, due - now.nanoseconds))
    }

    /// Takes one, if there is one.
    public mutating func take(now: MonotonicTime) -> Bool {
        let base = max(fullAt, now.nanoseconds)
        guard base + nanosecondsPerToken - now.nanoseconds <= capacity * nanosecondsPerToken else { return false }
        fullAt = base + nanosecondsPerToken
        return true
    }
}

public import System

/// How what is done of one kind has gone of late, by what came of it: sign-ins at a provider, writes of the store.
///
/// A value that is given the totals now and then, and compares them with those of a minute and of five minutes before.
/// What was so stays so while nothing is done: nobody who signs in tells that a provider is well again.
public struct OutcomeWindow: Sendable {
    /// How it goes.
    public enum State: String, Sendable, CaseIterable {
        /// Fewer than half have failed.
        case ok
        case failing
        /// All have failed.
        case down
    }

    /// How many were done and how many failed since the start.
    public struct Totals: Equatable, Sendable {
        public var done: Int
        public var failed: Int

        public init(done: Int = 0, failed: Int = 0) {
            (self.done, self.failed) = (done, failed)
        }

        public var count: Int { done + failed }

        public static func - (left: Totals, right: Totals) -> Totals {
            Totals(done: left.done - right.done, failed: left.failed - right.failed)
        }
    }

    private struct Sample: Sendable {
        let totals: Totals
        let at: MonotonicTime
    }

    public static let length = Duration.seconds(300)
    /// What decides as soon as there is enough of it.
    private static let recent = Duration.seconds(60)
    /// Between two samples that are kept.
    private static let pause = Duration.seconds(5)

    /// How few tell nothing.
    private let fewest: Int
    /// The oldest is the beginning of the window, or of the process; there is always one.
    private var samples: [Sample]
    private var last = Totals()
    public private(set) var state = State.ok
    /// Since when it has been so, in seconds since 1970; nil: since the start.
    public private(set) var since: Int64?
    /// What has come of the last five minutes.
    public private(set) var counts = Totals()

    /// - Parameter now: when counting begins.
    public init(fewest: Int, now: MonotonicTime) {
        self.fewest = fewest
        samples = [Sample(totals: Totals(), at: now)]
    }

    /// Looks at the totals anew.
    ///
    /// - Parameters:
    ///   - now: the present instant.
    ///   - wall: the same in seconds since 1970.
    public mutating func look(_ totals: Totals, now: MonotonicTime, wall: Int64) {
        while samples.count > 1, now - samples[1].at >= Self.length { samples.removeFirst() }
        counts = totals - before(now, Self.length)
        let state = judged(totals - before(now, Self.recent), counts, isNews: totals != last)
        if state != self.state { (self.state, since) = (state, wall) }
        last = totals
        if now - samples[samples.count - 1].at >= Self.pause { samples.append(Sample(totals: totals, at: now)) }
    }

    /// The totals of so long before, or of the beginning.
    private func before(_ now: MonotonicTime, _ time: Duration) -> Totals {
        (samples.last { now - $0.at >= time } ?? samples[0]).totals
    }

    private func judged(_ minute: Totals, _ all: Totals, isNews: Bool) -> State {
        // While nothing is done, failures that grow old are no sign that it works again.
        guard isNews else { return state }
        let counts = minute.count >= fewest ? minute : all
        guard counts.count >= fewest else { return counts.failed == 0 ? .ok : state }
        if counts.done == 0 { return .down }
        // What is half and half is not told again and again.
        let limit = state == .ok ? 2 : 4
        return counts.failed * limit >= counts.count ? .failing : .ok
    }
}

import Testing

@testable import System

@Suite struct `A clock in common` {
    private static let noon: Int64 = 1_790_000_000_000

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    /// A look, by milliseconds since noon; the own time of day is far off unless it is said.
    private func take(_ clock: CommonClock, _ said: Int64, _ before: Int64, _ after: Int64, own: Int64 = -30_000) {
        clock.take(
            (Self.noon + said) * 1000, between: at(before), and: at(after),
            wall: WallClock(milliseconds: Self.noon + own))
    }

    private func time(_ clock: CommonClock, at milliseconds: Int64) -> Int64? {
        clock.time(at: at(milliseconds)).map { $0.milliseconds - Self.noon }
    }

    @Test func `goes on by the clock that never jumps, from what a look has shown`() {
        let clock = CommonClock(limitSeconds: 60)
        #expect(clock.now == nil && clock.lead(of: .now) == 0)
        take(clock, 500, 1000, 1040)
        #expect(time(clock, at: 1040) == 520)
        #expect(time(clock, at: 61_040) == 60_520)
    }

    @Test func `is narrowed down by each look, and begun anew by one that contradicts them`() {
        let clock = CommonClock(limitSeconds: 60)
        take(clock, 0, 1000, 1040)
        // One that took long tells nothing new, and a quick one does.
        take(clock, 1200, 1100, 3100)
        #expect(time(clock, at: 1020).map { (-1...1).contains($0) } == true)
        take(clock, 2095, 3100, 3102)
        #expect(time(clock, at: 3101).map { (2094...2096).contains($0) } == true)
        take(clock, 9000, 4000, 4002)
        #expect(time(clock, at: 4001) == 9000)
    }

    @Test func `is one's own time of day where that may be it, and stays so when that jumps`() {
        let clock = CommonClock(limitSeconds: 60)
        take(clock, 0, 1000, 1040, own: 33)
        #expect(time(clock, at: 1040) == 33)
        take(clock, 5000, 6000, 6040, own: 5250)
        #expect(time(clock, at: 6040).map { (5031...5035).contains($0) } == true)
    }

    @Test func `stays as it was where a look is further off than it may be`() {
        let clock = CommonClock(limitSeconds: 60)
        take(clock, 0, 1000, 1000)
        take(clock, 60_001, 2000, 2000, own: 0)
        #expect(time(clock, at: 2000) == 1000)
    }

    @Test func `is what a clock says that has one, whatever its own reading`() {
        let common = CommonClock(limitSeconds: 60)
        let own = WallClock(seconds: 1_790_000_000, nanoseconds: 5_000_000)
        let clock = Clock(reading: { own }, common: common)
        #expect(clock.milliseconds == own.milliseconds)
        common.take((own.milliseconds + 7000) * 1000, between: .now, and: .now, wall: own)
        #expect((7000..<67_000).contains(clock.milliseconds - own.milliseconds))
        #expect(WallClock(milliseconds: -1).seconds == -1 && WallClock(milliseconds: -1).nanoseconds == 999_000_000)
    }
}

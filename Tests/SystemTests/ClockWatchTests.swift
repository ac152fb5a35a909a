import System
import Testing

@Suite struct `Whether the time of day can be relied on` {
    private func look(_ watch: inout ClockWatch, wall: Int64, _ instant: Int64) -> Bool {
        watch.isSteady(wall: wall * 1000, at: MonotonicTime(nanoseconds: instant * 1_000_000_000))
    }

    @Test func `is told when it has gone along with the other clock for two minutes`() {
        var watch = ClockWatch()
        #expect(!look(&watch, wall: 1_790_000_000, 50))
        #expect(!look(&watch, wall: 1_790_000_119, 169))
        #expect(look(&watch, wall: 1_790_000_120, 170))
        // Slewed, by less than is taken for a jump.
        #expect(look(&watch, wall: 1_790_000_181, 230))
    }

    @Test func `is asked anew after each jump, forward or back`() {
        var watch = ClockWatch()
        #expect(!look(&watch, wall: 1_793_456_000, 0))
        // It was forty days ahead when the process began.
        #expect(!look(&watch, wall: 1_790_000_060, 60))
        #expect(!look(&watch, wall: 1_790_000_179, 179))
        #expect(look(&watch, wall: 1_790_000_180, 180))
        #expect(!look(&watch, wall: 1_793_456_240, 240))
        #expect(!look(&watch, wall: 1_793_456_359, 359))
    }
}

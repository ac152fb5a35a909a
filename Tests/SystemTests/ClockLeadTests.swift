import System
import Testing

@Suite struct `How far a clock is ahead of another` {
    @Test func `is narrowed down by each look, and begun anew by one that contradicts them`() {
        let lead = ClockLead(limitSeconds: 60)
        #expect(lead.milliseconds == 0)
        lead.take(10...50)
        #expect(lead.milliseconds == 30)
        // One that took long tells nothing new, and a quick one does.
        lead.take(-400...600)
        #expect(lead.milliseconds == 30)
        lead.take(14...18)
        #expect(lead.milliseconds == 16)
        lead.take(-2_010 ... -1_990)
        #expect(lead.milliseconds == -2_000)
        lead.take(60_001...60_001)
        #expect(lead.milliseconds == -2_000)
    }

    @Test func `is taken from every reading of the clock`() {
        let lead = ClockLead(limitSeconds: 60)
        let clock = Clock(reading: { WallClock(seconds: 1_790_000_000, nanoseconds: 5_000_000) }, lead: lead)
        #expect(clock.milliseconds == 1_790_000_000_005)
        lead.take(3_006...3_006)
        #expect(clock.milliseconds == 1_789_999_996_999 && clock.seconds == 1_789_999_996)
        #expect(WallClock(milliseconds: -1).seconds == -1 && WallClock(milliseconds: -1).nanoseconds == 999_000_000)
    }
}

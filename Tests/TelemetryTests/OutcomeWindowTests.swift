import System
import Telemetry
import Testing

@Suite struct `How it goes by what came of the last minutes` {
    private struct Course {
        var window = OutcomeWindow(fewest: 5, now: MonotonicTime(nanoseconds: 0))
        var totals = OutcomeWindow.Totals()
        var second: Int64 = 0

        /// So many come to this within so many seconds.
        mutating func pass(_ seconds: Int64, done: Int = 0, failed: Int = 0) {
            second += seconds
            totals.done += done
            totals.failed += failed
            window.look(totals, now: MonotonicTime(nanoseconds: second * 1_000_000_000), wall: 1000 + second)
        }
    }

    @Test func `is down when all fail, by the next look, and since then`() {
        var course = Course()
        course.pass(5, done: 40)
        #expect(course.window.state == .ok && course.window.since == nil)
        for _ in 0..<12 { course.pass(5) }
        course.pass(5, failed: 150)
        #expect(course.window.state == .down && course.window.since == 1070)
        #expect(course.window.counts == OutcomeWindow.Totals(done: 40, failed: 150))
        course.pass(5, failed: 10)
        #expect(course.window.since == 1070)
    }

    @Test func `is what it was while fewer have failed than tell something`() {
        var course = Course()
        course.pass(5, failed: 4)
        #expect(course.window.state == .ok)
        course.pass(200, failed: 1)
        #expect(course.window.state == .down)
    }

    @Test func `fails when half do, and is well again when fewer than a quarter do`() {
        var course = Course()
        course.pass(5, done: 11, failed: 9)
        #expect(course.window.state == .ok)
        course.pass(5, failed: 2)
        #expect(course.window.state == .failing)
        course.pass(5, done: 22)
        #expect(course.window.state == .failing)
        course.pass(60, done: 9, failed: 2)
        #expect(course.window.state == .ok)
    }

    @Test func `stays what it was while nothing is done`() {
        var course = Course()
        course.pass(5, failed: 20)
        for _ in 0..<100 { course.pass(5) }
        #expect(course.window.state == .down && course.window.counts.count == 0)
        course.pass(5, done: 1)
        #expect(course.window.state == .ok)
    }

    @Test func `goes by the last minute where that has enough`() {
        var course = Course()
        for _ in 0..<40 { course.pass(5, failed: 10) }
        for _ in 0..<5 { course.pass(5, done: 10) }
        #expect(course.window.state == .failing)
        for _ in 0..<6 { course.pass(5, done: 10) }
        #expect(course.window.state == .ok)
    }

    @Test func `is told when it goes bad and when it is well again, and not when it gets worse`() {
        let watch = HealthWatch(fewest: 5, now: MonotonicTime(nanoseconds: 0))
        func look(_ second: Int64, _ done: Int, _ failed: Int) -> Bool {
            let health = watch.look(
                OutcomeWindow.Totals(done: done, failed: failed), lastReason: "why",
                now: MonotonicTime(nanoseconds: second * 1_000_000_000), wall: second)
            #expect(health.lastReason == (failed == 0 ? nil : "why"))
            return watch.isNews(health)
        }
        #expect(!look(5, 10, 0))
        #expect(look(10, 10, 10))
        #expect(!look(15, 10, 20))
        #expect(!look(80, 10, 60))
        #expect(look(150, 200, 60))
        #expect(!look(155, 201, 60))
    }
}

import EventLoop
import Providers
import System
import Testing

@Suite struct `A token bucket` {
    private let start = MonotonicTime(nanoseconds: 5_000_000_000)

    private func taken(_ bucket: inout TokenBucket, at now: MonotonicTime) -> Int {
        var count = 0
        while count < 100, bucket.take(now: now) { count += 1 }
        return count
    }

    @Test func `gives its burst at once and then nothing`() {
        var bucket = TokenBucket(burst: 5, every: .seconds(60), now: start)
        #expect(taken(&bucket, at: start) == 5)
        #expect(taken(&bucket, at: start + .seconds(59)) == 0)
    }

    @Test func `gives one more after each interval`() {
        var bucket = TokenBucket(burst: 5, every: .seconds(60), now: start)
        _ = taken(&bucket, at: start)
        #expect(taken(&bucket, at: start + .seconds(60)) == 1)
        #expect(taken(&bucket, at: start + .seconds(119)) == 0)
        #expect(taken(&bucket, at: start + .seconds(240)) == 3)
    }

    @Test func `holds no more than its burst however long nothing is taken`() {
        var bucket = TokenBucket(burst: 5, every: .seconds(60), now: start)
        #expect(taken(&bucket, at: start + .seconds(86_400)) == 5)
        #expect(taken(&bucket, at: start + .seconds(86_400)) == 0)
    }

    @Test func `gives at least one`() {
        var bucket = TokenBucket(burst: 0, every: .milliseconds(1), now: start)
        #expect(taken(&bucket, at: start) == 1)
        #expect(taken(&bucket, at: start + .milliseconds(1)) == 1)
    }
}

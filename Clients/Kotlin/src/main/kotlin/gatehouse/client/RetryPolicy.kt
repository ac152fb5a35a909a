package gatehouse.client

import java.util.concurrent.ThreadLocalRandom

/**
 * How often a call is sent again whose answer was lost. The server gives the same new tokens again
 * (`session.refreshRepeat`); what comes within a minute is not counted as late. All in milliseconds.
 */
class RetryPolicy(val patience: Long = 40_000, val firstPause: Long = 200, val longestPause: Long = 5_000)

/** The attempts at one call so far. */
internal class Attempts(private val policy: RetryPolicy) {
    private val start = System.nanoTime()
    private var count = 0
    private var pause = policy.firstPause

    /** Returns when it is time for the next attempt; throws the failure where that is of no use or too late. */
    fun pause(failure: ClientException) {
        count++
        // Where not even the first attempt was sent there is nothing to be had by hurry.
        val isOpen = failure.leavesOpen || (failure.kind == ClientException.Kind.UNREACHABLE && count > 1)
        // Half of it is left to chance, so that phones that have lost a server together don't come back together.
        val wait = maxOf(
            pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1), (failure.refusal?.retryAfter ?: 0) * 1000L)
        val elapsed = (System.nanoTime() - start) / 1_000_000
        if (!isOpen || elapsed + wait > policy.patience) throw failure
        pause = minOf(pause * 2, policy.longestPause)
        Thread.sleep(wait)
    }
}

import gatehouse.client.ClientException
import java.util.concurrent.Callable
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException
import kotlin.concurrent.thread

/** What is claimed, and whether it holds. */
object Claims {
    var passed = 0
    var failed = 0
}

/** A claim, and what shows it; whatever has not ended after a minute hangs. */
fun check(claim: String, action: () -> Unit) {
    val ended = java.util.concurrent.CompletableFuture<Throwable?>()
    thread(isDaemon = true) { ended.complete(runCatching(action).exceptionOrNull()) }
    val problem = try { ended.get(60, TimeUnit.SECONDS) } catch (late: TimeoutException) { late }
    if (problem == null) Claims.passed++ else Claims.failed++
    println((if (problem == null) "ok   " else "FAIL ") + claim + (problem?.let { ": $it" } ?: ""))
}

fun expect(holds: Boolean, what: () -> String = { "it does not hold" }) { if (!holds) throw AssertionError(what()) }
fun <T> equal(seen: T, wanted: T) = expect(seen == wanted) { "$seen instead of $wanted" }

fun refused(kind: ClientException.Kind, action: () -> Unit) {
    val error = runCatching(action).exceptionOrNull()
    expect((error as? ClientException)?.kind == kind) { "$error instead of $kind" }
}

fun <T> together(count: Int, action: (Int) -> T): List<T> {
    val threads = Executors.newFixedThreadPool(count)
    try {
        return threads.invokeAll((0 until count).map { Callable { action(it) } }).map { it.get() }
    } finally {
        threads.shutdown()
    }
}

fun instead(status: String, body: String = "", header: String = "") =
    Fault.Instead("HTTP/1.1 $status\r\n${header}Content-Length: ${body.length}\r\n\r\n$body")

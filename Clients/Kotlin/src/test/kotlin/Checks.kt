import gatehouse.client.ClientException
import gatehouse.client.ClientException.Kind
import java.util.concurrent.Callable
import java.util.concurrent.Executors
import kotlin.system.exitProcess

private var passed = 0
private var failed = 0

fun check(claim: String, action: () -> Unit) {
    val problem = runCatching(action).exceptionOrNull()
    if (problem == null) passed++ else failed++
    println((if (problem == null) "ok   " else "FAIL ") + claim + (problem?.let { ": $it" } ?: ""))
}

fun expect(holds: Boolean, what: () -> String = { "it does not hold" }) { if (!holds) throw AssertionError(what()) }
fun <T> equal(seen: T, wanted: T) = expect(seen == wanted) { "$seen instead of $wanted" }
fun refused(kind: Kind, action: () -> Unit) {
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

/** Tells how it went, and ends the process. */
fun end(): Nothing {
    println("$passed passed, $failed failed")
    exitProcess(if (failed == 0) 0 else 1)
}

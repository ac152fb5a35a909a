import gatehouse.client.HttpClientTransport
import gatehouse.client.URLConnectionTransport
import kotlin.system.exitProcess

/** Every check against the servers that the environment names; the status is 1 when something does not hold. */
fun main() {
    sessions()
    refreshes()
    for ((name, transport) in transports()) lostAnswers(name, transport)
    refreshesByScript()
    stores()
    signOuts()
    registrations()
    browserSignIns()
    accounts()
    answers()
    defences()
    transportDefences()
    println("${Claims.passed} passed, ${Claims.failed} failed")
    exitProcess(if (Claims.failed == 0) 0 else 1)
}

fun transports(seconds: Long = 10) = listOf(
    "HttpURLConnection" to URLConnectionTransport(seconds.toInt() * 1000),
    "java.net.http" to HttpClientTransport(java.time.Duration.ofSeconds(seconds)))

import java.io.InputStream
import java.net.InetAddress
import java.net.ServerSocket
import java.net.Socket
import java.net.URI
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.Semaphore
import kotlin.concurrent.thread

/** What a network does to an answer. */
sealed interface Fault {
    /** The connection ends after so many bytes. */
    class Cut(val bytes: Int) : Fault
    /** Nothing comes after so many bytes, and the connection stays. */
    class Stall(val bytes: Int) : Fault
    /** Another answer comes; the server is not asked. */
    class Instead(val text: String) : Fault
    /** The answer comes when `release` is called, or is lost when `lose` is. */
    object Hold : Fault
}

/** Stands between a client and a server, takes each answer whole, and passes on what it is told to. */
class FaultyProxy(private val upstream: URI) {
    private val listener = ServerSocket(0, 512, InetAddress.getLoopbackAddress())
    private val faults = LinkedBlockingQueue<Fault>()
    private val signInFaults = LinkedBlockingQueue<Fault>()
    private val seen = CopyOnWriteArrayList<String>()
    private val released = Semaphore(0)
    val address: URI = URI("http://127.0.0.1:${listener.localPort}")
    @Volatile private var isLost = false
    @Volatile var answerBytes = 0
        private set

    init {
        thread(isDaemon = true) {
            while (true) {
                val client = listener.accept()
                thread(isDaemon = true) { serve(client) }
            }
        }
    }

    /** For the next answers to a refresh. */
    fun next(vararg next: Fault) { faults.clear(); faults.addAll(next) }
    /** For the next answer to a sign-in. */
    fun nextSignIn(fault: Fault) { signInFaults.add(fault) }
    fun release() = released.release()
    fun lose() {
        isLost = true
        release()
    }
    fun requests(line: String): Int = seen.count { it.startsWith(line) }
    val refreshes: Int get() = requests("POST /auth/token")

    private fun serve(client: Socket) { client.use { runCatching { while (exchange(it)) Unit } } }

    /** Whether the connection stays open. */
    private fun exchange(client: Socket): Boolean {
        val request = message(client.getInputStream()) ?: return false
        val line = String(request).lineSequence().first()
        seen += line
        val isRefresh = line.startsWith("POST /auth/token")
        val fault = when {
            isRefresh -> faults.poll()
            line.startsWith("POST /auth/signin") -> signInFaults.poll()
            else -> null
        }
        if (fault is Fault.Instead) {
            client.getOutputStream().write(fault.text.toByteArray())
            return false
        }
        val answer = Socket(upstream.host, upstream.port).use {
            it.getOutputStream().write(request)
            message(it.getInputStream())
        } ?: return false
        if (isRefresh) answerBytes = answer.size
        if (fault is Fault.Cut) {
            client.getOutputStream().write(answer, 0, minOf(fault.bytes, answer.size))
            return false
        }
        if (fault is Fault.Stall) {
            client.getOutputStream().write(answer, 0, minOf(fault.bytes, answer.size))
            // Until the client has had enough.
            while (client.getInputStream().read() >= 0) Unit
            return false
        }
        if (fault is Fault.Hold) {
            released.acquire()
            if (isLost) return false
        }
        client.getOutputStream().write(answer)
        return true
    }

    /** One request or answer, whole: its head, and as much after it as that says (RFC 9112 §6.2). */
    private fun message(stream: InputStream): ByteArray? {
        val head = StringBuilder()
        while (!head.endsWith("\r\n\r\n")) {
            val byte = stream.read()
            if (byte < 0) return null
            head.append(byte.toChar())
        }
        val length = Regex("(?i)\r\ncontent-length: *(\\d+)").find(head)?.groupValues?.get(1)?.toInt() ?: 0
        val body = stream.readNBytes(length)
        return if (body.size < length) null else head.toString().toByteArray(Charsets.ISO_8859_1) + body
    }
}

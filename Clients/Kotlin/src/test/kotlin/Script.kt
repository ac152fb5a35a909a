import gatehouse.client.*
import java.io.IOException
import java.util.Base64
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.atomic.AtomicLong

/** A server that a check plays itself, with a session of user 7 at it whose access token has expired. */
class Script(
    val store: BrokenStore = BrokenStore(),
    private val patience: Long = 40_000, private val server: Script.(Int) -> Answer,
) {
    /** What has been sent, as text. */
    val sent = CopyOnWriteArrayList<String>()
    private val time = AtomicLong(0)
    val session = another()

    init { store.save(stored("first")) }

    fun another() = GatehouseSession(
        Service(java.net.URI("https://signin.example.com")), store,
        { request ->
            sent += "$request ${String(request.body ?: ByteArray(0))}"
            server(sent.size)
        },
        RetryPolicy(patience, firstPause = 2, longestPause = 20), time::get)

    fun passExpiry() { time.addAndGet(3_600_000) }

    companion object {
        fun token(name: String): String {
            val claims = """{"sub":"7","jti":"$name"}""".toByteArray()
            return "e30.${Base64.getUrlEncoder().withoutPadding().encodeToString(claims)}.x"
        }

        /** One that was good until the beginning of time. */
        fun stored(name: String, expires: Long = 0): StoredSession = StoredSession.deserialized(
            """{"user":"7","access":"${token(name)}","refresh":"$name","expires":"$expires","stale":"$expires"}""")

        fun tokens(name: String) = Answer(
            200, emptyMap(),
            """{"access_token":"${token(name)}","refresh_token":"$name","expires_in":900}""".toByteArray())
    }
}

/** A store that fails when it is told to, as the keystore of a phone does: not by an IOException. */
class BrokenStore(private val failure: () -> Exception = { IOException("full") }) : SessionStore {
    val inner = MemorySessionStore()
    @Volatile var savesNothing = false
    @Volatile var clearsNothing = false
    override fun load() = inner.load()
    override fun save(session: StoredSession) { if (savesNothing) throw failure() else inner.save(session) }
    override fun clear() { if (clearsNothing) throw failure() else inner.clear() }
}

import gatehouse.client.*
import java.net.HttpURLConnection
import java.net.URI
import java.net.URLDecoder
import java.net.URLEncoder
import java.util.UUID
import java.util.concurrent.atomic.AtomicLong

fun address(name: String): URI = URI(System.getenv(name) ?: error("scripts/check-app-clients starts the servers"))

/** What an app's SDK does on the phone, as the simulation plays it: a code of a user whom no other test has. */
fun code(user: String = "u" + UUID.randomUUID().toString().take(8)): SignInRequest {
    val redirectUri = "com.example.app:/callback"
    // RFC 7636 Appendix B.
    val query = mapOf(
        "response_type" to "code", "client_id" to "gatehouse-demo", "redirect_uri" to redirectUri, "prompt" to "none",
        "scope" to "openid profile email", "code_challenge" to "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method" to "S256", "login_hint" to user)
    val text = query.entries.joinToString("&") { (name, value) -> "$name=${URLEncoder.encode(value, "UTF-8")}" }
    val connection = URI("${address("PLAIN_URL")}/authorize?$text").toURL().openConnection() as HttpURLConnection
    connection.instanceFollowRedirects = false
    val back = connection.getHeaderField("Location") ?: error("no code but ${connection.responseCode}")
    fun member(name: String) =
        Regex("[?&]$name=([^&]*)").find(back)?.groupValues?.get(1)?.let { URLDecoder.decode(it, "UTF-8") }
    return SignInRequest.code(
        member("code") ?: error("no code"), "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", redirectUri, "plain",
        iss = member("iss"))
}

/** What an SDK hands to the app, as the simulation plays it: an ID token with a nonce that the app has drawn. */
fun idToken(user: String, postedNonce: String? = null): SignInRequest {
    val nonce = UUID.randomUUID().toString()
    val connection = URI("${address("AUTH0_URL")}/native").toURL().openConnection() as HttpURLConnection
    connection.doOutput = true
    val form = "client_id=gatehouse-auth0-app&login_hint=$user&nonce=$nonce"
    connection.outputStream.use { it.write(form.toByteArray()) }
    val answer = String(connection.inputStream.use { it.readBytes() })
    fun member(name: String) = Regex("\"$name\" *: *\"([^\"]*)\"").find(answer)?.groupValues?.get(1)
    return SignInRequest.idToken(
        member("id_token") ?: error("no ID token"), postedNonce ?: nonce, "auth0", accessToken = member("access_token"))
}

/** A session behind a proxy, with a clock of its own. */
class Phone(
    server: URI = address("GATEHOUSE_URL"), val store: SessionStore = MemorySessionStore(),
    private val transport: Transport = HttpClientTransport(), private val patience: Long = 40_000,
) {
    val proxy = FaultyProxy(server)
    private val time = AtomicLong(System.currentTimeMillis())
    val session = another()

    /** The same app in another process. */
    fun another() = GatehouseSession(
        Service(proxy.address), store, transport, RetryPolicy(patience, firstPause = 2, longestPause = 20), time::get)

    fun passExpiry() { time.addAndGet(3_600_000) }

    fun withExpiredToken(): Phone {
        session.signIn(code())
        passExpiry()
        return this
    }
}

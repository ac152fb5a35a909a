import gatehouse.client.*
import java.net.HttpURLConnection
import java.net.URI
import java.net.URLDecoder
import java.net.URLEncoder
import java.util.UUID
import java.util.concurrent.atomic.AtomicLong

fun address(name: String): URI = URI(System.getenv(name) ?: error("scripts/check-app-clients starts the servers"))

// RFC 7636 Appendix B.
private const val VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
private val challenge = mapOf(
    "code_challenge" to "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method" to "S256")

fun anybody() = "u" + UUID.randomUUID().toString().take(8)

/** What an app's SDK does on the phone, as the simulation plays it: a code of a user whom no other test has. */
fun code(user: String = anybody()): SignInRequest {
    val redirectUri = "com.example.app:/callback"
    val query = mapOf(
        "response_type" to "code", "client_id" to "gatehouse-demo", "redirect_uri" to redirectUri, "prompt" to "none",
        "scope" to "openid profile email", "login_hint" to user)
    val back = Browser().follow("${address("PLAIN_URL")}/authorize", query + challenge)
    return SignInRequest.code(back["code"] ?: error("$back"), VERIFIER, redirectUri, "plain", iss = back["iss"])
}

/** What ZenKey's SDK gives to the app, once the user has approved a text at the carrier. */
fun approval(context: String, user: String, network: String = "310410"): SignInRequest {
    val (client, redirectUri) = "ccid-0123456789abcdef" to "ccid-0123456789abcdef://com.xci.provider.sdk"
    val query = mapOf(
        "response_type" to "code", "client_id" to client, "redirect_uri" to redirectUri, "prompt" to "none",
        "scope" to "openid", "login_hint" to user, "nonce" to "of the approval", "context" to context,
        "acr_values" to "a3")
    val back = Browser().follow("${address("CARRIER_URL")}/authorize", query + challenge)
    return SignInRequest.code(
        back["code"] ?: error("$back"), VERIFIER, redirectUri, "zenkey", mccmnc = network, nonce = "of the approval",
        iss = back["iss"])
}

const val SHOP = "https://shop.example/cb"

/** What comes back to the app, once a browser has been at the service and at the plain provider. */
fun browserCode(server: URI, user: String, scope: String, others: Map<String, String> = emptyMap()): BrowserCode {
    val browser = Browser()
    val query = mapOf(
        "response_type" to "code", "client_id" to "shop-android", "redirect_uri" to SHOP, "scope" to scope,
        "state" to "of the app", "nonce" to "of the app")
    val provider = browser.location("$server/auth/authorize", query + challenge + others)
    // What a person would do on the provider's page.
    val callback = browser.location(provider, mapOf("prompt" to "none", "login_hint" to user))
    val back = browser.follow(callback.replace("${address("PUBLIC_URL")}", "$server"), emptyMap())
    return BrowserCode(back["code"] ?: error("$back"), VERIFIER, SHOP, "shop-android")
}

/** As much of a browser as this takes: it has one cookie, and follows where it is told to. */
class Browser {
    private var cookie: String? = null

    /** Where an address sends it on to. */
    fun location(address: String, query: Map<String, String>): String {
        val text = query.entries.joinToString("&") { (name, value) -> "$name=${URLEncoder.encode(value, "UTF-8")}" }
        val separator = if (text.isEmpty()) "" else if ('?' in address) "&" else "?"
        val connection = URI("$address$separator$text").toURL().openConnection() as HttpURLConnection
        connection.instanceFollowRedirects = false
        cookie?.let { connection.setRequestProperty("Cookie", it) }
        val location = connection.getHeaderField("Location")
        connection.getHeaderField("Set-Cookie")?.let { cookie = it.substringBefore(';') }
        return location ?: error("no redirect but ${connection.responseCode}")
    }

    /** What it is sent on with. */
    fun follow(address: String, query: Map<String, String>): Map<String, String> =
        location(address, query).substringAfter('?').split('&')
            .associate { it.substringBefore('=') to URLDecoder.decode(it.substringAfter('='), "UTF-8") }
}

/** Has the operator lock a user. */
fun lock(user: Long) {
    val command = listOf(
        System.getenv("GATEHOUSE"), "users", "lock", "$user", "--config", System.getenv("CONFIGURATION"))
    val program = ProcessBuilder(command).redirectErrorStream(true).start()
    val said = String(program.inputStream.use { it.readBytes() })
    expect(program.waitFor() == 0) { said }
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

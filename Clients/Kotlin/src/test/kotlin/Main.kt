import gatehouse.client.*
import gatehouse.client.ClientException.Kind
import java.io.IOException
import java.net.URI
import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions
import java.util.concurrent.Callable
import java.util.concurrent.Executors
import kotlin.concurrent.thread
import kotlin.system.exitProcess

private var passed = 0
private var failed = 0

private fun check(claim: String, action: () -> Unit) {
    val problem = runCatching(action).exceptionOrNull()
    if (problem == null) passed++ else failed++
    println((if (problem == null) "ok   " else "FAIL ") + claim + (problem?.let { ": $it" } ?: ""))
}

private fun expect(holds: Boolean, what: () -> String = { "it does not hold" }) { if (!holds) throw AssertionError(what()) }
private fun <T> equal(seen: T, wanted: T) = expect(seen == wanted) { "$seen instead of $wanted" }
private fun refused(kind: Kind, action: () -> Unit) {
    val error = runCatching(action).exceptionOrNull()
    expect((error as? ClientException)?.kind == kind) { "$error instead of $kind" }
}

private fun <T> together(count: Int, action: (Int) -> T): List<T> {
    val threads = Executors.newFixedThreadPool(count)
    try {
        return threads.invokeAll((0 until count).map { Callable { action(it) } }).map { it.get() }
    } finally {
        threads.shutdown()
    }
}

private fun instead(status: String, body: String = "", header: String = "") =
    Fault.Instead("HTTP/1.1 $status\r\n${header}Content-Length: ${body.length}\r\n\r\n$body")

fun main() {
    sessions()
    refreshes()
    for ((name, transport) in listOf("HttpURLConnection" to URLConnectionTransport(), "java.net.http" to HttpClientTransport())) {
        lostAnswers(name, transport)
    }
    stores()
    defences()
    println("$passed passed, $failed failed")
    exitProcess(if (failed == 0) 0 else 1)
}

private fun sessions() {
    check("a code begins a session, which knows its user") {
        val phone = Phone()
        val signedIn = phone.session.signIn(code())
        expect(signedIn.isNewUser)
        equal(phone.session.user().id, signedIn.user.id)
        expect(phone.session.user()["email"]?.contains("@") == true)
        equal(phone.another().user().id, signedIn.user.id)
    }
    check("the user is edited, and a value taken away") {
        val phone = Phone(transport = HttpClientTransport())
        phone.session.signIn(code())
        val odd = "A \"quoted\" näme \\"
        equal(phone.session.edit(mapOf("nickname" to odd))["nickname"], odd)
        equal(phone.session.edit(mapOf("nickname" to null))["nickname"], null)
    }
    check("a sign-out is one on both sides") {
        val phone = Phone()
        phone.session.signIn(code())
        val kept = phone.store.load()!!
        phone.session.signOut()
        equal(phone.store.load(), null)
        refused(Kind.NOT_SIGNED_IN) { phone.session.accessToken() }
        phone.store.save(kept)
        refused(Kind.SESSION_ENDED) { phone.another().user() }
    }
    check("a sign-out that the server can't be told is one here, and is told") {
        val phone = Phone()
        phone.session.signIn(code())
        val nobody = GatehouseSession(Service(URI("http://127.0.0.1:1")), phone.store)
        refused(Kind.SIGNED_OUT_HERE_ONLY) { nobody.signOut() }
        equal(phone.store.load(), null)
    }
    check("a refusal has the server's reason, and a code is sent once") {
        val phone = Phone()
        val request = code()
        phone.session.signIn(request)
        val error = runCatching { phone.session.link(request) }.exceptionOrNull() as ClientException
        equal(error.refusal?.code, "invalid_grant")
        equal(phone.proxy.requests("POST /users/me/identities"), 1)
        equal(phone.proxy.refreshes, 0)
    }
}

private fun refreshes() {
    check("200 callers with an expired token make one refresh, five times") {
        val phone = Phone().withExpiredToken()
        for (round in 1..5) {
            equal(together(200) { phone.session.accessToken() }.toSet().size, 1)
            equal(phone.proxy.refreshes, round)
            phone.passExpiry()
        }
    }
    check("a caller that is interrupted leaves, and the refresh goes on for the others") {
        val phone = Phone().withExpiredToken()
        phone.proxy.next(Fault.Hold)
        var left = false
        val impatient = thread { try { phone.session.accessToken() } catch (_: InterruptedException) { left = true } }
        while (phone.proxy.refreshes == 0) Thread.yield()
        impatient.interrupt()
        impatient.join()
        expect(left)
        var token: String? = null
        val patient = thread { token = phone.session.accessToken() }
        phone.proxy.release()
        patient.join()
        expect(token != null)
        equal(phone.proxy.refreshes, 1)
    }
    check("another process takes what the first has got") {
        val phone = Phone().withExpiredToken()
        val other = phone.another()
        equal(other.userId, phone.session.userId)
        equal(phone.session.accessToken(), other.accessToken())
        equal(phone.proxy.refreshes, 1)
    }
    check("a refresh that comes after a sign-out brings nobody back") {
        val phone = Phone().withExpiredToken()
        phone.proxy.next(Fault.Hold)
        var error: Throwable? = null
        val caller = thread { error = runCatching { phone.session.accessToken() }.exceptionOrNull() }
        while (phone.proxy.refreshes == 0) Thread.yield()
        phone.session.signOut()
        phone.proxy.release()
        caller.join()
        equal((error as? ClientException)?.kind, Kind.NOT_SIGNED_IN)
        equal(phone.store.load(), null)
    }
}

private fun lostAnswers(name: String, transport: Transport) {
    check("an answer lost at every byte boundary signs nobody out within the grace ($name)") {
        val lost = together(8) { first ->
            val phone = Phone(transport = transport).withExpiredToken()
            var former = phone.session.accessToken()
            val length = phone.proxy.answerBytes
            expect(length > 800)
            for (boundary in first until length step 8) {
                val count = phone.proxy.refreshes
                phone.passExpiry()
                phone.proxy.next(Fault.Cut(boundary))
                val token = phone.session.accessToken()
                expect(token != former && phone.proxy.refreshes >= count + 2) { "nothing was lost at $boundary" }
                former = token
            }
            length
        }
        println("     of $lost bytes")
    }
    check("a server without a grace ends the session then, by invalid_grant ($name)") {
        val phone = Phone(address("GATEHOUSE_WITHOUT_GRACE_URL"), transport = transport).withExpiredToken()
        phone.proxy.next(Fault.Cut(600))
        refused(Kind.SESSION_ENDED) { phone.session.accessToken() }
        equal(phone.store.load(), null)
    }
    check("what a proxy answers in the server's place ends no session ($name)") {
        val phone = Phone(transport = transport).withExpiredToken()
        phone.proxy.next(
            instead("503 No"), instead("200 OK", "<html"), instead("401 No", "<html", "WWW-Authenticate: Bearer\r\n"),
            instead("500 Oops", """{"error_code": "invalid_grant"}"""), instead("307 Go", "", "Location: /auth/token\r\n"))
        phone.session.accessToken()
        equal(phone.proxy.refreshes, 6)
    }
    check("no redirect is followed with a refresh token ($name)") {
        val phone = Phone(transport = transport).withExpiredToken()
        val elsewhere = FaultyProxy(address("GATEHOUSE_URL"))
        phone.proxy.next(instead("307 Go", "", "Location: ${elsewhere.address}/auth/token\r\n"))
        phone.session.accessToken()
        equal(elsewhere.requests(""), 0)
    }
    check("a server that is not there is told at once ($name)") {
        val phone = Phone().withExpiredToken()
        val nobody = GatehouseSession(Service(URI("http://127.0.0.1:1")), phone.store, transport) { Long.MAX_VALUE / 2 }
        refused(Kind.UNREACHABLE) { nobody.accessToken() }
    }
}

private class FullStore : SessionStore {
    val inner = MemorySessionStore()
    @Volatile var isFull = false
    override fun load() = inner.load()
    override fun save(session: StoredSession) { if (isFull) throw IOException("full") else inner.save(session) }
    override fun clear() = inner.clear()
}

private fun stores() {
    check("a full store is told, and costs no session and no second refresh") {
        val store = FullStore()
        val phone = Phone(store = store).withExpiredToken()
        store.isFull = true
        repeat(3) { refused(Kind.STORE_FAILED) { phone.session.accessToken() } }
        store.isFull = false
        phone.session.accessToken()
        equal(phone.proxy.refreshes, 1)
    }
    check("a file is for its owner alone, and a link in its way is not followed") {
        val folder = Files.createTempDirectory("gatehouse-client")
        val file = folder.resolve("session")
        Files.createSymbolicLink(folder.resolve("session.new"), folder.resolve("elsewhere"))
        val phone = Phone(store = FileSessionStore(file))
        phone.session.signIn(code())
        equal(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)), "rw-------")
        phone.another().user()
        phone.session.signOut()
        expect(Files.list(folder).use { it.count() } == 0L)
        Files.writeString(file, "{")
        refused(Kind.STORE_FAILED) { phone.another().accessToken() }
    }
}

private fun defences() {
    check("no address is taken that a token must not travel to") {
        for (address in listOf(
            "http://signin.example.com", "http://127.0.0.1.example.com", "ftp://127.0.0.1", "https://user:word@example.com",
            "https://example.com/?a=b", "https://example.com/#a", "signin.example.com")) {
            refused(Kind.INVALID_ADDRESS) { Service(URI(address)) }
        }
        Service(URI("http://[::1]:8080"))
    }
    check("no token goes to a server that the client was not told of") {
        val service = Service(URI("https://signin.example.com"), listOf(URI("https://api.example.com")))
        val session = GatehouseSession(service, MemorySessionStore())
        for (address in listOf(
            "https://evil.example/", "http://api.example.com/", "https://api.example.com:444/", "https://signin.example.com@evil.example/")) {
            refused(Kind.FOREIGN_SERVER) { session.authorized(Request("GET", URI(address))) }
        }
        refused(Kind.NOT_SIGNED_IN) { session.authorized(Request("GET", URI("https://API.example.com:443/v1"))) }
    }
    check("no answer is taken that is another user's") {
        val phone = Phone().withExpiredToken()
        val other = Phone().withExpiredToken()
        val tokens = """{"access_token":"${other.session.accessToken()}","refresh_token":"x","expires_in":900}"""
        val kept = phone.store.load()
        phone.proxy.next(instead("200 OK", tokens))
        refused(Kind.ANOTHER_USER) { phone.session.accessToken() }
        expect(phone.store.load() === kept)
        equal(phone.session.user().id, kept?.userId)
    }
    check("no text shows a token, a code or a person") {
        val phone = Phone()
        val request = code()
        val signedIn = phone.session.signIn(request)
        val said = "$request ${phone.store.load()} ${signedIn.user} ${runCatching { phone.session.signIn(request) }}"
        expect(!said.contains(phone.session.accessToken()) && !said.contains(signedIn.user["email"]!!))
        expect(said.contains("user ${signedIn.user.id}"))
    }
}

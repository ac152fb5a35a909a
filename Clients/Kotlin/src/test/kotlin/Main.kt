import gatehouse.client.*
import gatehouse.client.ClientException.Kind
import java.net.URI
import kotlin.concurrent.thread

fun main() {
    sessions()
    refreshes()
    lostAnswers("HttpURLConnection", URLConnectionTransport())
    lostAnswers("java.net.http", HttpClientTransport())
    stores()
    defences()
    end()
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
    check("an ID token of a provider's SDK begins one, and the same token no second") {
        val phone = Phone()
        val request = idToken()
        val signedIn = phone.session.signIn(request)
        equal(phone.session.user().id, signedIn.user.id)
        val error = runCatching { phone.session.signIn(request) }.exceptionOrNull() as ClientException
        equal(error.refusal?.code, "invalid_grant")
        equal(phone.session.user().id, signedIn.user.id)
    }
    check("the user is edited, and a value taken away") {
        val phone = Phone()
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
        val nobody = GatehouseSession(Service(URI("http://127.0.0.1:1")), phone.store, HttpClientTransport())
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
    check("a server without a grace ends the session then, by invalid_grant") {
        val phone = Phone(address("GATEHOUSE_WITHOUT_GRACE_URL")).withExpiredToken()
        phone.proxy.next(Fault.Cut(600))
        refused(Kind.SESSION_ENDED) { phone.session.accessToken() }
        equal(phone.store.load(), null)
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
    check("another process two refreshes ahead is followed, not taken for a thief ($name)") {
        val phone = Phone(transport = transport).withExpiredToken()
        val other = phone.another()
        phone.proxy.next(Fault.Hold, Fault.Pass, Fault.Pass)
        var token: String? = null
        val caller = thread { token = runCatching { phone.session.accessToken() }.getOrNull() }
        while (phone.proxy.refreshes == 0) Thread.yield()
        repeat(2) {
            other.accessToken()
            phone.passExpiry()
        }
        val latest = other.accessToken()
        phone.proxy.lose()
        caller.join()
        equal(token, latest)
        other.user()
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


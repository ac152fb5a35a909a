import gatehouse.client.*
import gatehouse.client.ClientException.Kind
import java.net.URI
import kotlin.concurrent.thread

fun lostAnswers(name: String, transport: Transport) {
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
        phone.proxy.next(Fault.Hold)
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
            instead("500 Oops", """{"error_code": "invalid_grant"}"""),
            instead("307 Go", "", "Location: /auth/token\r\n"))
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

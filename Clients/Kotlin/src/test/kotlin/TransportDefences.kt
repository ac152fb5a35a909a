import gatehouse.client.*
import gatehouse.client.ClientException.Kind
import java.io.OutputStream
import java.net.HttpURLConnection
import java.net.ProtocolException
import java.net.URI
import java.net.URL

/** Android's, where an answer breaks off. */
private class Breaking(url: URL) : HttpURLConnection(url) {
    override fun connect() = Unit
    override fun disconnect() = Unit
    override fun usingProxy() = false
    override fun getOutputStream(): OutputStream = OutputStream.nullOutputStream()
    override fun getResponseCode(): Int = throw ProtocolException("unexpected end of stream")
}

fun transportDefences() {
    val question = Request("POST", URI("https://signin.example.com/auth/signin"), body = ByteArray(1))
    check("an answer that breaks off as on Android is a lost one, and no request that was not sent") {
        refused(Kind.ANSWER_LOST) { URLConnectionTransport(open = ::Breaking).send(question) }
    }
    check("what HttpURLConnection can't send is told as what it is") {
        val error = runCatching { URLConnectionTransport().send(question.copy(method = "PATCH")) }.exceptionOrNull()
        expect(error is UnsupportedOperationException) { "$error" }
    }
    for ((name, transport) in transports(seconds = 1)) {
        check("an answer that stands still is a lost one ($name)") {
            for (bytes in listOf(0, 40, 600)) {
                val phone = Phone(transport = transport).withExpiredToken()
                phone.proxy.next(Fault.Stall(bytes))
                phone.session.accessToken()
                expect(phone.proxy.refreshes >= 2) { "nothing stood still" }
            }
        }
        check("a sign-in whose answer is lost is told as that, and is not sent again ($name)") {
            // HttpURLConnection has an answer that has not begun sent for again, and can't be told not to.
            // It takes a head that breaks off for a whole one, so that the cut is in the body.
            for (bytes in if (transport is HttpClientTransport) listOf(0, 1, 400) else listOf(400)) {
                val phone = Phone(transport = transport)
                phone.proxy.nextSignIn(Fault.Cut(bytes))
                refused(Kind.ANSWER_LOST) { phone.session.signIn(code()) }
                equal(phone.proxy.requests("POST /auth/signin"), 1)
            }
        }
    }
}

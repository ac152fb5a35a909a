import gatehouse.client.*
import gatehouse.client.ClientException.Kind
import java.net.URI

fun defences() {
    check("no address is taken that a token must not travel to") {
        for (address in listOf(
            "http://signin.example.com", "http://127.0.0.1.example.com", "ftp://127.0.0.1",
            "https://user:word@example.com",
            "https://example.com/?a=b", "https://example.com/#a", "signin.example.com")) {
            refused(Kind.INVALID_ADDRESS) { Service(URI(address)) }
        }
        Service(URI("http://[::1]:8080"))
    }
    check("no token goes to a server that the client was not told of") {
        val service = Service(URI("https://signin.example.com"), listOf(URI("https://api.example.com")))
        val session = GatehouseSession(service, MemorySessionStore(), HttpClientTransport())
        for (address in listOf(
            "https://evil.example/", "http://api.example.com/", "https://api.example.com:444/",
            "https://signin.example.com@evil.example/")) {
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

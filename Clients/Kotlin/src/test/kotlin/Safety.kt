import gatehouse.client.*
import gatehouse.client.ClientException.Kind
import java.io.IOException
import java.net.URI
import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions

private class FullStore : SessionStore {
    val inner = MemorySessionStore()
    @Volatile var isFull = false
    @Volatile var isStuck = false
    override fun load() = inner.load()
    override fun save(session: StoredSession) { if (isFull) throw IOException("full") else inner.save(session) }
    override fun clear() { if (isStuck) throw IOException("stuck") else inner.clear() }
}

fun stores() {
    check("a full store is told, and costs no session and no second refresh") {
        val store = FullStore()
        val phone = Phone(store = store).withExpiredToken()
        store.isFull = true
        repeat(3) { refused(Kind.STORE_FAILED) { phone.session.accessToken() } }
        store.isFull = false
        phone.session.accessToken()
        equal(phone.proxy.refreshes, 1)
    }
    check("a session that no store took at its sign-in is given up at the server, and the one before stays") {
        val store = FullStore()
        val phone = Phone(store = store)
        val before = phone.session.signIn(code())
        store.isFull = true
        refused(Kind.STORE_FAILED) { phone.session.signIn(code()) }
        equal(phone.proxy.requests("POST /auth/revoke"), 1)
        equal(phone.session.user().id, before.user.id)
    }
    check("a store that can't be cleared keeps nobody signed in, and the server is told") {
        val store = FullStore()
        val phone = Phone(store = store)
        phone.session.signIn(code())
        store.isStuck = true
        refused(Kind.STORE_FAILED) { phone.session.signOut() }
        equal(phone.proxy.requests("POST /auth/revoke"), 1)
        refused(Kind.STORE_FAILED) { phone.session.accessToken() }
        refused(Kind.SESSION_ENDED) { phone.another().user() }
        store.isStuck = false
        refused(Kind.NOT_SIGNED_IN) { phone.session.accessToken() }
        equal(store.load(), null)
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

fun defences() {
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

import gatehouse.client.*
import gatehouse.client.ClientException.Kind
import java.net.URI
import java.security.GeneralSecurityException

/** A session is over where it should be: at the server, too. */
fun signOuts() {
    fun isOver(session: StoredSession) {
        val store = MemorySessionStore().apply { save(session) }
        val stranger = GatehouseSession(Service(address("GATEHOUSE_URL")), store, HttpClientTransport())
        refused(Kind.SESSION_ENDED) { stranger.user() }
    }
    check("a sign-out tells the server even when the store can't be cleared") {
        val store = BrokenStore { GeneralSecurityException("keystore") }
        val phone = Phone(store = store)
        phone.session.signIn(code())
        val kept = store.load()!!
        store.clearsNothing = true
        refused(Kind.STORE_FAILED) { phone.session.signOut() }
        isOver(kept)
        refused(Kind.STORE_FAILED) { phone.session.accessToken() }
        store.clearsNothing = false
        refused(Kind.NOT_SIGNED_IN) { phone.session.accessToken() }
        equal(store.load(), null)
    }
    check("a session that can't be stored at sign-in is ended at the server") {
        var kept: StoredSession? = null
        val store = object : SessionStore {
            override fun load(): StoredSession? = null
            override fun save(session: StoredSession) { kept = session; throw GeneralSecurityException("keystore") }
            override fun clear() = Unit
        }
        val phone = Phone(store = store)
        refused(Kind.STORE_FAILED) { phone.session.signIn(code()) }
        refused(Kind.NOT_SIGNED_IN) { phone.session.accessToken() }
        isOver(kept!!)
    }
    check("a sign-in ends the session before at the server, and not where it can't be stored") {
        val store = BrokenStore { GeneralSecurityException("keystore") }
        val phone = Phone(store = store)
        phone.session.signIn(code())
        val first = store.load()!!
        store.savesNothing = true
        refused(Kind.STORE_FAILED) { phone.session.signIn(code()) }
        phone.session.user()
        store.savesNothing = false
        phone.session.signIn(code())
        isOver(first)
        phone.session.user()
    }
    check("a sign-out with a refresh token that has been replaced ends its successor, too") {
        val phone = Phone().withExpiredToken()
        val store = MemorySessionStore().apply { save(phone.store.load()!!) }
        Phone(store = store).also { it.passExpiry() }.session.accessToken()
        phone.session.signOut()
        isOver(store.load()!!)
    }
    check("a full keystore is told, and its session goes on once it has room") {
        val store = BrokenStore { GeneralSecurityException("keystore") }
        val phone = Phone(store = store).withExpiredToken()
        store.savesNothing = true
        repeat(3) { refused(Kind.STORE_FAILED) { phone.session.accessToken() } }
        store.savesNothing = false
        phone.session.accessToken()
        equal(phone.proxy.refreshes, 1)
    }
    check("a sign-out that the server can't be told is one here, and is told") {
        val phone = Phone()
        phone.session.signIn(code())
        val nobody = GatehouseSession(Service(URI("http://127.0.0.1:1")), phone.store, HttpClientTransport())
        refused(Kind.SIGNED_OUT_HERE_ONLY) { nobody.signOut() }
        equal(phone.store.load(), null)
    }
}

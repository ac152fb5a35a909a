import gatehouse.client.*
import gatehouse.client.ClientException.Kind
import java.net.URI

fun sessions() {
    check("a code begins a session, which knows its user") {
        val phone = Phone()
        val signedIn = phone.session.signIn(code())
        expect(signedIn.isNewUser)
        equal(phone.session.user().id, signedIn.user.id)
        expect(phone.session.user()["email"]?.contains("@") == true)
        equal(phone.another().user().id, signedIn.user.id)
    }
    check("an ID token of an SDK begins a session") {
        val phone = Phone()
        val user = "u" + java.util.UUID.randomUUID().toString().take(8)
        val first = phone.session.signIn(idToken(user))
        expect(first.isNewUser)
        equal(phone.session.user().id, first.user.id)
        val second = Phone().session.signIn(idToken(user))
        expect(!second.isNewUser)
        equal(second.user.id, first.user.id)
    }
    check("an ID token with another nonce is refused, and the reason is told") {
        val phone = Phone()
        val error = runCatching { phone.session.signIn(idToken("ada", postedNonce = "another")) }.exceptionOrNull()
        equal((error as? ClientException)?.refusal?.let { "${it.code} ${it.reason}" }, "invalid_id_token nonce")
        equal(phone.store.load(), null)
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

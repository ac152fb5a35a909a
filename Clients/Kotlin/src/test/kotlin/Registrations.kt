import gatehouse.client.*
import gatehouse.client.ClientException.Kind

/** What a sign-in of somebody unknown is refused with. */
private fun unlinked(signIn: () -> Unit): UnlinkedUser {
    val error = runCatching(signIn).exceptionOrNull()
    return (error as? UnlinkedUserException)?.user ?: throw AssertionError("$error instead of a ticket")
}

fun registrations() {
    val server = address("GATEHOUSE_BY_TICKET_URL")
    check("somebody unknown is told what the provider said, and registers once") {
        val phone = Phone(server)
        val name = anybody()
        val user = unlinked { phone.session.signIn(code(name)) }
        expect(user.attributes.email?.contains("@") == true) { "no e-mail address" }
        equal(user.expires, 600)
        refused(Kind.NOT_SIGNED_IN) { phone.session.accessToken() }
        val grant = phone.session.register(user.ticket, mapOf("nickname" to "Countess"))
        equal(phone.session.user().id, grant.userId)
        equal(phone.session.user()["nickname"], "Countess")
        phone.passExpiry()
        phone.session.accessToken()
        val other = Phone(server)
        refused(Kind.REFUSED) { other.session.register(user.ticket) }
        equal(other.session.signIn(code(name)).user.id, grant.userId)
    }
    check("a ticket is one more identity of the user who is signed in") {
        val phone = Phone(server)
        val grant = phone.session.register(unlinked { phone.session.signIn(code()) }.ticket)
        val name = anybody()
        val other = unlinked { phone.session.signIn(idToken(name)) }
        equal(phone.session.userId, grant.userId)
        equal(phone.session.link(other.ticket).provider, "auth0")
        val again = phone.session.signIn(idToken(name))
        expect(again.user.id == grant.userId && !again.isNewUser)
    }
    check("somebody unknown registers with the app that they came to by the browser") {
        val phone = Phone(server)
        val code = browserCode(server, anybody(), "openid offline_access account.read")
        val grant = phone.session.register(unlinked { phone.session.signIn(code) }.ticket)
        expect("account.read" in grant.scopes) { "${grant.scopes}" }
        phone.passExpiry()
        equal(phone.session.user().id, grant.userId)
    }
    check("somebody unknown is in no text") {
        val error = runCatching { Phone(server).session.signIn(code()) }.exceptionOrNull() as UnlinkedUserException
        val said = "$error ${error.user} ${error.user.ticket} ${error.user.attributes} ${error.refusal}"
        expect(error.user.attributes.email!! !in said && "plain." !in said) { said }
    }
}

fun browserSignIns() {
    val server = address("GATEHOUSE_URL")
    check("a sign-in through the browser opens a session of the app, which is renewed and ended as such") {
        val phone = Phone()
        val scope = "openid offline_access account.read account.identities"
        val grant = phone.session.signIn(browserCode(server, anybody(), scope))
        equal(phone.session.user().id, grant.userId)
        equal(grant.scopes.toSet(), scope.split(" ").toSet())
        equal(grant.receipt, null)
        val kept = StoredSession.deserialized(phone.store.load()!!.serialized())
        phone.store.save(kept)
        phone.passExpiry()
        val later = phone.another()
        equal(later.user().id, grant.userId)
        val address = later.linkByBrowser("plain", SHOP, "of the app", mapOf("max_age" to "0"))
        expect(address.url.path == "/auth/link" && address.expires > 0 && "token=" !in "$address")
        later.signOut()
        equal(phone.store.load(), null)
        phone.store.save(kept)
        refused(Kind.SESSION_ENDED) { phone.another().user() }
    }
    check("a sign-in through the browser has a receipt where the user has approved a text with it") {
        val code = browserCode(
            server, anybody(), "openid offline_access transactions",
            mapOf("context" to "Pay 1.00 to Bo?", "acr_values" to "a3"))
        val receipt = Phone().session.signIn(code).receipt
        expect(receipt != null && receipt.jwt.split(".").size == 3 && receipt.jwt !in "$receipt")
    }
    check("a sign-in through the browser without a refresh token is given up, and told") {
        val phone = Phone()
        refused(Kind.NOT_RENEWABLE) { phone.session.signIn(browserCode(server, anybody(), "openid account.read")) }
        equal(phone.store.load(), null)
        equal(phone.proxy.requests("POST /auth/revoke"), 1)
    }
}

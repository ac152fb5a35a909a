import gatehouse.client.*
import gatehouse.client.ClientException.Kind

fun accounts() {
    fun signedIn(user: String) = Phone().also { it.session.signIn(code(user)) }
    fun isOver(phone: Phone) = refused(Kind.SESSION_ENDED) { phone.session.user() }

    check("a user sees their sessions, and ends one, all others, and all") {
        val name = anybody()
        val phone = signedIn(name)
        val others = List(4) { signedIn(name) }
        val sessions = phone.session.sessions()
        equal(sessions.size, 5)
        equal(sessions.map { it.isCurrent }, listOf(true, false, false, false, false))
        expect(sessions[0].provider == "plain" && sessions[0].createdAt < sessions[0].expiresAt)
        repeat(2) { phone.session.end(sessions[4]) }
        isOver(others[3])
        equal(phone.session.endOtherSessions(), 3)
        equal(phone.session.endOtherSessions(), 0)
        others.take(3).forEach(::isOver)
        phone.session.user()
        equal(phone.session.signOutEverywhere(), 1)
        equal(phone.store.load(), null)
        refused(Kind.NOT_SIGNED_IN) { phone.session.sessions() }
    }
    check("a user signs out by ending this very session") {
        val phone = signedIn(anybody())
        phone.session.end(phone.session.sessions().single())
        equal(phone.store.load(), null)
        refused(Kind.NOT_SIGNED_IN) { phone.session.accessToken() }
    }
    check("a user stays signed in where a session is ended that was this one before") {
        val name = anybody()
        val phone = signedIn(name)
        val before = phone.session.sessions().single()
        phone.session.signIn(code(name))
        phone.session.end(before)
        expect(before.isCurrent && phone.store.load() != null)
        phone.session.user()
    }
    check("a user is told that they have to authenticate anew, and stays signed in") {
        val name = anybody()
        // This provider tells no time of authentication.
        val phone = Phone().also { it.session.signIn(idToken(name)) }
        Phone().session.signIn(idToken(name))
        val error = runCatching { phone.session.endOtherSessions() }.exceptionOrNull()
        expect(error is InsufficientUserAuthenticationException && error.maximumAge == 300) { "$error" }
        equal(phone.proxy.refreshes, 0)
        equal(phone.session.sessions().size, 2)
    }
    check("a user makes their two accounts one, and the other session is gone") {
        val (phone, other) = List(2) { signedIn(anybody()) }
        val absorbed = other.session.user().id
        val merged = phone.session.merge(other.session)
        equal(merged.userId, phone.session.user().id)
        equal(merged.absorbedUserId, absorbed)
        equal(other.store.load(), null)
        refused(Kind.NOT_SIGNED_IN) { other.session.user() }
        // A token of its own user's makes nothing one.
        val name = anybody()
        val (first, second) = List(2) { signedIn(name) }
        refused(Kind.REFUSED) { first.session.merge(second.session) }
        second.session.user()
    }
    check("a user who is locked is told so, and is not signed in any more") {
        val name = anybody()
        val phone = Phone()
        val user = phone.session.signIn(code(name)).user
        lock(user.id)
        refused(Kind.LOCKED) { phone.session.user() }
        equal(phone.store.load(), null)
        refused(Kind.NOT_SIGNED_IN) { phone.session.accessToken() }
        refused(Kind.LOCKED) { phone.session.signIn(code(name)) }
    }
    check("a user gets a receipt for what they have approved") {
        val phone = Phone()
        val (name, text) = anybody() to "Pay 12.00 to Bob"
        phone.session.signIn(approval(text, name))
        val receipt = phone.session.approve(text, approval(text, name))
        expect(receipt.jwt.split(".").size == 3 && receipt.jwt !in "$receipt")
        refused(Kind.REFUSED) { phone.session.approve("Pay 1200.00 to Bob", approval(text, name)) }
    }
    check("a user chooses a carrier where none serves the network") {
        val request = approval("", anybody(), network = "999999")
        val error = runCatching { Phone().session.signIn(request) }.exceptionOrNull()
        val page = (error as? ProviderNotFoundException)?.discoveryUI ?: throw AssertionError("$error")
        val address = page.address("ccid-1", "ccid-1://com.xci.provider.sdk", "a+b&c d")
        expect("$address".endsWith(
            "client_id=ccid-1&redirect_uri=ccid-1%3A%2F%2Fcom.xci.provider.sdk&state=a%2Bb%26c%20d&prompt=true"))
    }
}

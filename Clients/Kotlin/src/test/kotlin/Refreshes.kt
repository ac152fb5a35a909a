import gatehouse.client.*
import gatehouse.client.ClientException.Kind
import kotlin.concurrent.thread

fun refreshes() {
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

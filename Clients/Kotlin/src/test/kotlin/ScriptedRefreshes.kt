import gatehouse.client.*
import gatehouse.client.ClientException.Kind
import java.io.IOException

fun refreshesByScript() {
    check("what an HTTP library throws is a lost answer, and the request is sent again") {
        val script = Script { count -> if (count < 3) throw IOException("reset") else Script.tokens("second") }
        equal(script.session.accessToken(), Script.token("second"))
        equal(script.sent.toSet().size, 1)
    }
    check("a transport that breaks lets nobody wait, and the next call goes on") {
        val script = Script { count ->
            if (count == 1) throw SecurityException("no permission")
            Script.tokens("second")
        }
        expect(runCatching { script.session.accessToken() }.exceptionOrNull() is SecurityException)
        equal(script.session.accessToken(), Script.token("second"))
    }
    check("the store is read again before each attempt, and another process's tokens are taken") {
        val script = Script { count ->
            if (count > 1) throw AssertionError("a refresh token was sent that another process has replaced")
            store.save(Script.stored("other's", expires = 900_000))
            throw IOException("reset")
        }
        equal(script.session.accessToken(), Script.token("other's"))
    }
    check("who is refused while another process has signed in anew goes on with that") {
        val script = Script { count ->
            if (count > 1) throw AssertionError("it was asked again")
            store.save(Script.stored("other's", expires = 900_000))
            Answer(400, emptyMap(), """{"error_code":"invalid_grant"}""".toByteArray())
        }
        equal(script.session.accessToken(), Script.token("other's"))
    }
    check("who is locked is told so, and is not signed in any more") {
        val script = Script { Answer(400, emptyMap(), """{"error":"invalid_grant","error_code":"locked"}""".toByteArray()) }
        refused(Kind.LOCKED) { script.session.accessToken() }
        refused(Kind.NOT_SIGNED_IN) { script.session.accessToken() }
    }
    check("what a full store has held back is not handed out once it has expired") {
        val script = Script { count -> Script.tokens(if (count == 1) "second" else "third") }
        script.store.savesNothing = true
        refused(Kind.STORE_FAILED) { script.session.accessToken() }
        script.store.savesNothing = false
        script.passExpiry()
        equal(script.session.accessToken(), Script.token("third"))
        expect(script.sent.last().endsWith("refresh_token=second"))
    }
    check("a request is sent again only where the server says that the token is not good") {
        val challenges = mapOf(
            "Bearer" to 2, "Bearer error=\"invalid_token\"" to 2, "bearer realm=\"x\", error=invalid_token" to 2,
            "Basic realm=\"x\", Bearer error=\"invalid_token\"" to 2,
            "Bearer error=\"insufficient_user_authentication\", max_age=\"300\"" to 1,
            "Bearer error=insufficient_scope, error_description=\"no, error=invalid_token\"" to 1,
            "Basic realm=\"x\"" to 1, "" to 1)
        for ((challenge, wanted) in challenges) {
            val script = Script { _ ->
                if ("/auth/token" in sent.last()) return@Script Script.tokens("r${sent.size}")
                val headers = if (challenge.isEmpty()) emptyMap() else mapOf("www-authenticate" to challenge)
                Answer(401, headers, ByteArray(0))
            }
            equal(script.session.authorized(script.session.service.request("GET", "/users/me")).status, 401)
            expect(script.sent.count { "/users/me" in it } == wanted) { "$challenge: ${script.sent}" }
        }
    }
    check("a token that is no header's value is not taken, and in no message") {
        val body = """{"access_token":"e30.eyJzdWIiOiI3In0.x\nsecret","refresh_token":"b","expires_in":900}"""
        val script = Script(patience = 50) { Answer(200, emptyMap(), body.toByteArray()) }
        val error = runCatching { script.session.accessToken() }.exceptionOrNull()
        equal((error as? ClientException)?.kind, Kind.UNUSABLE_ANSWER)
        expect("secret" !in error.toString())
    }
}

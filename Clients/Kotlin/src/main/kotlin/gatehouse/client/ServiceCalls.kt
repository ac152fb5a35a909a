package gatehouse.client

import java.io.IOException
import java.net.URI
import java.util.Base64

/** The tokens of an answer (RFC 6749 §5.1). */
internal class Tokens(private val members: Map<*, *>) {
    val access: String get() = text("access_token")
    val refresh: String get() = text("refresh_token")
    val expiresInMillis: Long get() = (members["expires_in"] as? Long ?: throw unusable()) * 1000

    /** Whose the access token is (RFC 9068 §2.2, `sub`): read, not verified; it tells a mistaken answer. */
    val userId: Long?
        get() = try {
            val payload = access.split(".").let { if (it.size == 3) it[1] else "" }
            val claims = Json.read(String(Base64.getUrlDecoder().decode(payload))) as? Map<*, *>
            (claims?.get("sub") as? String)?.toLongOrNull()
        } catch (_: IOException) {
            null
        } catch (_: IllegalArgumentException) {
            null
        }

    /** RFC 6749 §A.12, §A.17: nothing else may be a header's value, and what refuses it would show it. */
    private fun text(name: String) =
        (members[name] as? String)?.takeIf { text -> text.isNotEmpty() && text.all { it in '!'..'~' } }
            ?: throw unusable()
    private fun unusable() = ClientException(ClientException.Kind.UNUSABLE_ANSWER)
}

/** The calls a session consists of, and how their answers are read. */
internal class ServiceCalls(val service: Service, private val transport: Transport, val retry: RetryPolicy) {
    /** Sent once: a code counts once. */
    fun signIn(request: SignInRequest): Pair<Tokens, SignedIn> {
        val members = members(exchange(service.json("POST", "/auth/signin", request.members)))
        val user = User.of(members["user"] as? Map<*, *>)
            ?: throw ClientException(ClientException.Kind.UNUSABLE_ANSWER)
        return Tokens(members) to SignedIn(user, members["new_user"] == true, members["migrated"] == true)
    }

    /** RFC 6749 §6. */
    fun refresh(refreshToken: String): Tokens =
        Tokens(members(exchange(
            service.form("/auth/token", "grant_type" to "refresh_token", "refresh_token" to refreshToken))))

    /** RFC 7009: ends the session of the token. Sent again as long as the answer is lost. */
    fun revoke(refreshToken: String) {
        val attempts = Attempts(retry)
        while (true) {
            try {
                members(exchange(service.form("/auth/revoke", "token" to refreshToken)))
                return
            } catch (failure: ClientException) {
                attempts.pause(failure)
            }
        }
    }

    /** RFC 6750 §2.1. */
    fun send(request: Request, accessToken: String): Answer =
        exchange(request.with("Authorization", "Bearer $accessToken"))

    /** What a library throws says not how far the request has come, so that its answer counts as lost. */
    private fun exchange(request: Request): Answer =
        try {
            transport.send(request)
        } catch (_: IOException) {
            throw ClientException(ClientException.Kind.ANSWER_LOST)
        }

    companion object {
        /** RFC 6750 §3: what is said to whoever bears a token, and in it the error. */
        private val bearer = Regex("(?:^|, *)Bearer\\b(.*)", RegexOption.IGNORE_CASE)
        private val error = Regex("[ ,]error *= *\"?([^\", ]*)", RegexOption.IGNORE_CASE)

        /** A 401 may also be about what the request brings, such as a code, which must not be sent twice. */
        fun asksForNewToken(answer: Answer): Boolean {
            val challenge = bearer.find(answer.headers["www-authenticate"] ?: "")?.groupValues?.get(1) ?: return false
            return answer.status == 401 && error.find(challenge)?.groupValues?.get(1) in setOf(null, "invalid_token")
        }

        fun members(answer: Answer): Map<*, *> {
            val members = try {
                Json.read(String(answer.body)) as? Map<*, *>
            } catch (_: IOException) {
                null
            }
            if (answer.status in 200..299 && members != null) return members
            val code = members?.get("error_code") as? String
            if (answer.status < 400 || members == null || code == null) {
                throw ClientException(ClientException.Kind.UNUSABLE_ANSWER)
            }
            throw ClientException(
                if (code == "locked") ClientException.Kind.LOCKED else ClientException.Kind.REFUSED,
                Refusal(
                    answer.status, code, members["reason"] as? String, members["request_id"] as? String,
                    (members["discovery_ui"] as? String)?.let { runCatching { URI(it) }.getOrNull() },
                    answer.headers["retry-after"]?.toIntOrNull()))
        }
    }
}

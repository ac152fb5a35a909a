package gatehouse.client

import java.io.IOException
import java.net.URI
import java.util.Base64

/** The tokens of an answer (RFC 6749 §5.1). */
internal class Tokens(private val members: Map<*, *>) {
    val access: String get() = text("access_token")
    val refresh: String get() = text("refresh_token")
    val expiresInMillis: Long get() = (members["expires_in"] as? Long ?: throw unusable()) * 1000

    /** Whose the access token is (RFC 9068 §2.2, `sub`): read, not verified; it tells a mistaken answer from a right one. */
    val userId: Long?
        get() = try {
            val payload = access.split(".").let { if (it.size == 3) it[1] else "" }
            ((Json.read(String(Base64.getUrlDecoder().decode(payload))) as? Map<*, *>)?.get("sub") as? String)?.toLongOrNull()
        } catch (_: IOException) {
            null
        } catch (_: IllegalArgumentException) {
            null
        }

    private fun text(name: String) = members[name] as? String ?: throw unusable()
    private fun unusable() = ClientException(ClientException.Kind.UNUSABLE_ANSWER)
}

/** The calls a session consists of, and how their answers are read. */
internal class ServiceCalls(val service: Service, private val transport: Transport, val retry: RetryPolicy) {
    /** Sent once: a code counts once. */
    fun signIn(request: SignInRequest): Pair<Tokens, SignedIn> {
        val members = members(transport.send(service.json("POST", "/auth/signin", request.members)))
        val user = User.of(members["user"] as? Map<*, *>)
            ?: throw ClientException(ClientException.Kind.UNUSABLE_ANSWER)
        return Tokens(members) to SignedIn(user, members["new_user"] == true, members["migrated"] == true)
    }

    /** RFC 6749 §6. */
    fun refresh(refreshToken: String): Tokens =
        Tokens(members(transport.send(
            service.form("/auth/token", "grant_type" to "refresh_token", "refresh_token" to refreshToken))))

    /** RFC 7009: ends the session of the token. Sent again as long as the answer is lost. */
    fun revoke(refreshToken: String) {
        val attempts = Attempts(retry)
        while (true) {
            try {
                members(transport.send(service.form("/auth/revoke", "token" to refreshToken)))
                return
            } catch (failure: ClientException) {
                attempts.pause(failure)
            }
        }
    }

    /** RFC 6750 §2.1. */
    fun send(request: Request, accessToken: String): Answer =
        transport.send(request.with("Authorization", "Bearer $accessToken"))

    companion object {
        /** A 401 may also be about what the request brings, such as a code, which must not be sent twice (RFC 6750 §3.1). */
        fun asksForNewToken(answer: Answer): Boolean {
            val challenge = answer.headers["www-authenticate"] ?: return false
            return answer.status == 401 && challenge.startsWith("bearer", ignoreCase = true) &&
                ("error=" !in challenge || "error=\"invalid_token\"" in challenge)
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
                ClientException.Kind.REFUSED,
                Refusal(
                    answer.status, code, members["reason"] as? String, members["request_id"] as? String,
                    (members["discovery_ui"] as? String)?.let { runCatching { URI(it) }.getOrNull() },
                    answer.headers["retry-after"]?.toIntOrNull()))
        }
    }
}

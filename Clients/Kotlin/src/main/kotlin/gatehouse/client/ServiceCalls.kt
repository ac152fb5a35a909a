package gatehouse.client

import java.io.IOException
import java.util.Base64

/** The tokens of an answer (RFC 6749 §5.1). */
internal class Tokens(val members: Map<*, *>) {
    val access: String get() = text("access_token")
    val refresh: String get() = text("refresh_token")
    val expiresInMillis: Long get() = (members["expires_in"] as? Long ?: throw unusable()) * 1000

    /** The user's number: the refresh token has it beside a `sub` that is none, and the access token has it or not. */
    val userId: Long?
        get() {
            val beside = (members["refresh_token"] as? String)?.let { claim("uid", it) }
            return (beside ?: claim("sub", access))?.toLongOrNull()
        }

    /** An app of the service's gets a refresh token where it asks for one and may have it. */
    val isRenewable: Boolean get() = "refresh_token" in members

    /** RFC 6749 §A.12, §A.17: nothing else may be a header's value, and what refuses it would show it. */
    private fun text(name: String) =
        (members[name] as? String)?.takeIf { text -> text.isNotEmpty() && text.all { it in '!'..'~' } }
            ?: throw unusable()
    private fun unusable() = ClientException(ClientException.Kind.UNUSABLE_ANSWER)
}

/** A claim of a JWT of the service's: `sid` is the session's name. Read, not verified; it tells a mistaken answer. */
internal fun claim(name: String, token: String): String? =
    try {
        val payload = token.split(".").let { if (it.size == 3) it[1] else "" }
        val claims = Json.read(String(Base64.getUrlDecoder().decode(payload))) as? Map<*, *>
        claims?.get(name) as? String
    } catch (_: IOException) {
        null
    } catch (_: IllegalArgumentException) {
        null
    }

/** The calls a session consists of, and how their answers are read. */
internal class ServiceCalls(val service: Service, private val transport: Transport, val retry: RetryPolicy) {
    /** Sent once, as the two that follow: what it brings counts once. */
    fun signIn(request: SignInRequest): Pair<Tokens, SignedIn> {
        val members = members(exchange(service.json("POST", "/auth/signin", request.members)))
        val user = User.of(members["user"] as? Map<*, *>)
            ?: throw ClientException(ClientException.Kind.UNUSABLE_ANSWER)
        return Tokens(members) to SignedIn(user, members)
    }

    /** RFC 6749 §4.1.3. */
    fun redeem(code: BrowserCode): Tokens = Tokens(present("/auth/token", code.clientId, code.fields))

    fun register(ticket: LinkTicket, values: Map<String, String>): Tokens {
        val told = buildMap {
            putAll(values)
            put("link_ticket", ticket.text)
            if (ticket.clientId == null) remove("client_id") else put("client_id", ticket.clientId)
        }
        return Tokens(members(exchange(service.json("POST", "/users", told)), ticket.clientId))
    }

    /** RFC 6749 §6. */
    fun refresh(refreshToken: String, clientId: String?): Tokens =
        Tokens(present(
            "/auth/token", clientId, listOf("grant_type" to "refresh_token", "refresh_token" to refreshToken)))

    /** RFC 7009: ends the session of the token. Sent again as long as the answer is lost. */
    fun revoke(token: String, clientId: String?) {
        val attempts = Attempts(retry)
        while (true) {
            try {
                present("/auth/revoke", clientId, listOf("token" to token))
                return
            } catch (failure: ClientException) {
                attempts.pause(failure)
            }
        }
    }

    /** What is a client's is shown with its name (RFC 6749 §3.2.1). */
    private fun present(path: String, clientId: String?, fields: List<Pair<String, String>>): Map<*, *> =
        members(
            exchange(service.form(path, fields + listOfNotNull(clientId?.let { "client_id" to it }))), clientId)

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
        /** RFC 6750 §3: what is said to the bearer of a token, and in it the error. */
        private val bearer = Regex("(?:^|, *)Bearer\\b(.*)", RegexOption.IGNORE_CASE)
        private val error = Regex("[ ,]error *= *\"?([^\", ]*)", RegexOption.IGNORE_CASE)

        /** A 401 may also be about what the request brings, such as a code, which must not be sent twice. */
        fun asksForNewToken(answer: Answer): Boolean {
            val challenge = bearer.find(answer.headers["www-authenticate"] ?: "")?.groupValues?.get(1) ?: return false
            return answer.status == 401 && error.find(challenge)?.groupValues?.get(1) in setOf(null, "invalid_token")
        }

        private fun unusable() = ClientException(ClientException.Kind.UNUSABLE_ANSWER)

        /** `clientId` is the app's that asked, which a ticket is good for; null for who posts codes. */
        fun members(answer: Answer, clientId: String? = null): Map<*, *> =
            value(answer, clientId) as? Map<*, *> ?: throw unusable()

        /** An object, or a list. */
        fun value(answer: Answer, clientId: String? = null): Any {
            val value = try {
                Json.read(String(answer.body))
            } catch (_: IOException) {
                null
            }
            if (answer.status in 200..299 && value != null) return value
            throw refusal(answer, value as? Map<*, *>, clientId)
        }

        private fun refusal(answer: Answer, members: Map<*, *>?, clientId: String?): ClientException {
            val challenge = bearer.find(answer.headers["www-authenticate"] ?: "")?.groupValues?.get(1) ?: ""
            val refusal = (members?.get("error_code") as? String)?.let {
                Refusal(
                    answer.status, it, members["reason"] as? String, members["request_id"] as? String,
                    answer.headers["retry-after"]?.toIntOrNull())
            }
            // Of a 401 a JVM's HttpURLConnection shows no body.
            if (answer.status == 401 && error.find(challenge)?.groupValues?.get(1) == STEP_UP) {
                return InsufficientUserAuthenticationException(
                    challenged("max_age", challenge)?.toIntOrNull(), challenged("acr_values", challenge), refusal)
            }
            if (answer.status < 400 || members == null || refusal == null) return unusable()
            return when (refusal.code) {
                "locked" -> ClientException(ClientException.Kind.LOCKED, refusal)
                "unlinked_user" -> UnlinkedUser.of(members, clientId)?.let { UnlinkedUserException(it, refusal) }
                "provider_not_found" ->
                    ProviderNotFoundException(DiscoveryUI.of(members["discovery_ui"] as? String), refusal)
                else -> null
            } ?: ClientException(ClientException.Kind.REFUSED, refusal)
        }

        private const val STEP_UP = "insufficient_user_authentication"

        /** A parameter of a challenge (RFC 9110 §11.6.1), in quotes as the service writes it. */
        private fun challenged(name: String, challenge: String): String? =
            Regex("[ ,]$name=\"([^\"]*)\"").find(challenge)?.groupValues?.get(1)
    }
}

package gatehouse.client

/**
 * What a provider's SDK, or an OAuth library, has given to the app, for `POST /auth/signin`. Its text shows none of it.
 */
class SignInRequest private constructor(internal val members: Map<String, String>) {
    /** With one more parameter by its name in the API, such as `client_id`, `acr_values`, `context`. */
    fun with(name: String, value: String): SignInRequest = SignInRequest(members + (name to value))

    override fun toString(): String = "sign-in request"

    companion object {
        /**
         * An authorization code. `iss` is what came back with it (RFC 9207), `mccmnc` the user's network, for ZenKey.
         */
        fun code(
            code: String, codeVerifier: String?, redirectUri: String?, provider: String? = null, mccmnc: String? = null,
            nonce: String? = null, iss: String? = null,
        ): SignInRequest = of(
            "code" to code, "code_verifier" to codeVerifier, "redirect_uri" to redirectUri, "provider" to provider,
            "mccmnc" to mccmnc, "nonce" to nonce, "iss" to iss)

        /** An ID token of an SDK; `nonce` is what the app has drawn, before it was hashed. */
        fun idToken(
            idToken: String, nonce: String?, provider: String, accessToken: String? = null, code: String? = null,
        ): SignInRequest = of(
            "id_token" to idToken, "nonce" to nonce, "provider" to provider, "access_token" to accessToken,
            "code" to code)

        private fun of(vararg members: Pair<String, String?>) =
            SignInRequest(buildMap { for ((name, value) in members) if (value != null) put(name, value) })
    }
}

/** The signed-in user: texts by their names in the API, such as `email_verified`. Its own text is the number. */
class User internal constructor(val id: Long, private val texts: Map<String, String>) {
    operator fun get(name: String): String? = texts[name]
    override fun toString(): String = "user $id"

    internal companion object {
        fun of(members: Map<*, *>?): User? {
            val id = members?.get("user_id") as? Long ?: return null
            val texts = members.entries.filter { it.value is String || it.value is Boolean }
                .associate { (name, value) -> name.toString() to value.toString() }
            return User(id, texts)
        }
    }
}

/** A sign-in that succeeded: it has made the user (`isNewUser`), who has come from another carrier (`hasMigrated`). */
class SignedIn internal constructor(val user: User, val isNewUser: Boolean, val hasMigrated: Boolean)

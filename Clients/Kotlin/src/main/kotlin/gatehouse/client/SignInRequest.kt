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

/**
 * A sign-in that succeeded.
 *
 * @property isNewUser whether it has made the user.
 * @property hasMigrated whether the user has come from another carrier, and was recognised.
 * @property isMergeOffered whether the carrier says that the user had a number elsewhere by which another user is known
 * here: the two may be one person's accounts, who may make them one (`POST /users/me/merge`).
 * @property declinedScopes what the user has declined at the provider of the `scope` that the app has posted.
 */
class SignedIn internal constructor(val user: User, members: Map<*, *>) {
    val isNewUser: Boolean = members["new_user"] == true
    val hasMigrated: Boolean = members["migrated"] == true
    val isMergeOffered: Boolean = members["merge_offered"] == true
    val declinedScopes: List<String> = texts(members["declined_scopes"])
}

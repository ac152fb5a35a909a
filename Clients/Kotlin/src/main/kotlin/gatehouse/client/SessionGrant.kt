package gatehouse.client

import gatehouse.client.ClientException.Kind

/** What has come back to the app's redirect URI from the service's own `/auth/authorize`. Its text shows none of it. */
class BrowserCode(
    private val code: String, private val codeVerifier: String, private val redirectUri: String?,
    internal val clientId: String,
) {
    /** RFC 6749 §4.1.3, and the verifier of RFC 7636 §4.5. */
    internal val fields: List<Pair<String, String>>
        get() = listOf("grant_type" to "authorization_code", "code" to code, "code_verifier" to codeVerifier) +
            listOfNotNull(redirectUri?.let { "redirect_uri" to it })

    override fun toString(): String = "browser code"
}

/**
 * What an app has been granted by a sign-in through the browser, or by a registration.
 *
 * @property userId the user's number. Compare it with the user whom you had in mind where there is a receipt: another
 * one may have signed in.
 * @property scopes what of the scope was granted, of an app of the service's; empty of who posts codes.
 * @property declinedScopes what the user has declined at the provider of what was asked for.
 * @property isMergeOffered as of [SignedIn].
 * @property receipt proof of what the user has approved with the sign-in; without one nothing is approved.
 */
class SessionGrant internal constructor(val userId: Long, members: Map<*, *>) {
    val scopes: List<String> = (members["scope"] as? String)?.split(" ")?.filter { it.isNotEmpty() } ?: emptyList()
    val declinedScopes: List<String> = texts(members["declined_scopes"])
    val isMergeOffered: Boolean = members["merge_offered"] == true
    val receipt: Receipt? =
        (members["receipt"] as? String)?.let { Receipt.of(it, members["access_token"] as? String ?: "") }

    override fun toString(): String = "grant of user $userId"
}

/**
 * Proof that the user has approved a text, for your backend, which verifies it by the service's keys
 * (`/.well-known/jwks.json`). Its own text does not show it.
 *
 * @property jwt the JWT (`transaction-receipt+jwt`).
 */
class Receipt private constructor(val jwt: String) {
    override fun toString(): String = "receipt"

    internal companion object {
        /**
         * @param accessToken of the session that it was made under, whose user it is about
         * @throws ClientException of kind ANOTHER_USER where it is somebody else's: read, not verified.
         */
        fun of(jwt: String, accessToken: String): Receipt {
            val subject = claim("sub", jwt)
            if (subject == null || subject != claim("sub", accessToken)) throw ClientException(Kind.ANOTHER_USER)
            return Receipt(jwt)
        }
    }
}

internal fun texts(list: Any?): List<String> = (list as? List<*>)?.filterIsInstance<String>() ?: emptyList()

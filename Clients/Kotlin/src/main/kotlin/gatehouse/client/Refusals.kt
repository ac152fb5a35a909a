package gatehouse.client

import java.net.URI
import java.net.URLEncoder

/**
 * Nobody has this identity yet, and registration is by ticket: [GatehouseSession.register] makes a user of it, or
 * [link] adds it to the one who is signed in. May be logged, as any other: [user] shows nothing in its text.
 */
class UnlinkedUserException internal constructor(val user: UnlinkedUser, refusal: Refusal) :
    ClientException(Kind.UNLINKED_USER, refusal)

/**
 * No carrier serves that mobile network, or the user's carrier knows them no more. Let the user choose one on the page,
 * where there is one, and sign in again with the network that comes back.
 */
class ProviderNotFoundException internal constructor(val discoveryUI: DiscoveryUI?, refusal: Refusal) :
    ClientException(Kind.PROVIDER_NOT_FOUND, refusal)

/**
 * The session is good, and its user authenticated too long ago for this. Let them sign in again, with the `max_age`, in
 * seconds, and the `acr_values` that are told here (RFC 9470 §3), and do it once more.
 */
class InsufficientUserAuthenticationException internal constructor(
    val maximumAge: Int?, val acrValues: String?, refusal: Refusal?,
) : ClientException(Kind.INSUFFICIENT_USER_AUTHENTICATION, refusal)

/** The page on which users choose their mobile carrier (ZenKey's discovery UI). */
class DiscoveryUI private constructor(val page: URI) {
    /**
     * The address to open in a browser. It has the user choose even where the page remembers a choice (`prompt=true`),
     * for that one has just failed.
     *
     * @param clientId the app's client at ZenKey.
     * @param redirectUri where `mccmnc`, the network for the next sign-in, comes back to, with `state`.
     * @param state what the app has drawn; compare it with the one that comes back.
     */
    fun address(clientId: String, redirectUri: String, state: String): URI {
        val query = listOf(
            "client_id" to clientId, "redirect_uri" to redirectUri, "state" to state, "prompt" to "true")
            .joinToString("&") { (name, value) -> "$name=${encoded(value)}" }
        return URI(page.toString().substringBefore('#') + (if (page.rawQuery == null) "?" else "&") + query)
    }

    /** A blank is no plus sign outside of forms. */
    private fun encoded(text: String) = URLEncoder.encode(text, "UTF-8").replace("+", "%20")

    internal companion object {
        /** Null for an address that is neither https nor of this machine. */
        fun of(address: String?): DiscoveryUI? =
            address?.let { runCatching { URI(it) }.getOrNull() }?.takeIf(Service::mayBeOpened)?.let(::DiscoveryUI)
    }
}

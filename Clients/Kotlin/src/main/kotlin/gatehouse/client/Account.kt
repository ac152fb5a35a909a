package gatehouse.client

import gatehouse.client.ClientException.Kind
import java.net.URI

/** `GET /users/me`. */
fun GatehouseSession.user(): User = user(service.request("GET", "/users/me"))

/** `PATCH /users/me`: what is named is set, null takes a value away, the rest stays (RFC 7396). */
fun GatehouseSession.edit(attributes: Map<String, String?>): User = user(service.json("PATCH", "/users/me", attributes))

/** `POST /users/me/identities`: one more way to sign in. Takes a recent sign-in. */
fun GatehouseSession.link(request: SignInRequest): LinkedIdentity = link(request.members)

/**
 * Links the identity of a ticket to the user. Takes a recent sign-in; a ticket that is refused with
 * INSUFFICIENT_USER_AUTHENTICATION is not used up.
 */
fun GatehouseSession.link(ticket: LinkTicket): LinkedIdentity = link(mapOf("link_ticket" to ticket.text))

/**
 * Makes two accounts of one person one (`POST /users/me/merge`): this session's, and that of [other], another session
 * of this app, which ends and is cleared. Both take a recent sign-in by an identity that was not just added.
 *
 * Returns the number of the user that is no more, too: move what your own backend keeps under it.
 */
fun GatehouseSession.merge(other: GatehouseSession): MergedAccount {
    val members = members(service.json("POST", "/users/me/merge", mapOf("token" to other.accessToken())))
    val merged = MergedAccount(
        members["user_id"] as? Long ?: throw unusable(), members["merged_user_id"] as? Long ?: throw unusable())
    // It has ended with its account. What it has stored is good for nothing, and goes as far as it can.
    runCatching { other.signOut() }
    return merged
}

/**
 * Where a browser goes to add an identity (`POST /users/me/identities/authorize`), for apps that sign users in by the
 * browser. It comes back to the redirect URI with `linked_identity`, `state` and `iss`, or with `error`.
 *
 * @param provider the name of the provider's section.
 * @param redirectUri one that the app's section has.
 * @param state what the app has drawn; compare it with the one that comes back.
 * @param parameters for the provider, by their names in the API, such as `max_age` and `login_hint`.
 */
fun GatehouseSession.linkByBrowser(
    provider: String, redirectUri: String, state: String, parameters: Map<String, String> = emptyMap(),
): LinkAddress {
    val asked = parameters + mapOf("provider" to provider, "redirect_uri" to redirectUri, "state" to state)
    val members = members(service.json("POST", "/users/me/identities/authorize", asked))
    val url = (members["url"] as? String)?.let { runCatching { URI(it) }.getOrNull() }?.takeIf(Service::mayBeOpened)
    return LinkAddress(url ?: throw unusable(), (members["expires_in"] as? Long ?: throw unusable()).toInt())
}

/**
 * Proves that the user has just approved a text (`POST /auth/transaction`).
 *
 * @param context the text, which the provider has shown to the user.
 * @param request what the provider gave for it, with the nonce of its request.
 * @param acrValues the levels that it was asked for at; `a3` where nothing is said.
 * @param maximumAge how long ago, in seconds, the user may have authenticated; 300 where nothing is said.
 * @throws ClientException of kind ANOTHER_USER for a receipt that is not of this session's user, too
 */
fun GatehouseSession.approve(
    context: String, request: SignInRequest, acrValues: String? = null, maximumAge: Int? = null,
): Receipt {
    val accessToken = accessTokenAtHand ?: throw ClientException(Kind.NOT_SIGNED_IN)
    val asked = buildMap {
        putAll(request.members)
        put("context", context)
        acrValues?.let { put("acr_values", it) }
        maximumAge?.let { put("max_age", "$it") }
    }
    val jwt = members(service.json("POST", "/auth/transaction", asked))["receipt"] as? String
    return Receipt.of(jwt ?: throw unusable(), accessToken)
}

/** Where the user is signed in, the oldest first (`GET /users/me/sessions`). */
fun GatehouseSession.sessions(): List<UserSession> {
    val list = ServiceCalls.value(authorized(service.request("GET", "/users/me/sessions"))) as? List<*>
    return list?.map { UserSession.of(it as? Map<*, *>) ?: throw unusable() } ?: throw unusable()
}

/**
 * Ends one of the user's sessions (`DELETE /users/me/sessions/{session_id}`); this one by signing out. One that has
 * ended already is no error. Another one takes a recent sign-in.
 */
fun GatehouseSession.end(session: UserSession) {
    if (session.id == name) return signOut()
    try {
        members(service.request("DELETE", "/users/me/sessions/${session.id}"))
    } catch (failure: ClientException) {
        // What was wanted is so.
        if (failure.refusal?.code != "not_found") throw failure
    }
}

/**
 * Ends all of the user's sessions but this one, each by itself: where one fails, those before it have ended. It takes a
 * recent sign-in where there are others. Returns how many there were.
 */
fun GatehouseSession.endOtherSessions(): Int {
    val sessions = sessions()
    // Of a list that does not say which one this is each might be.
    if (sessions.count { it.isCurrent } != 1) throw unusable()
    val others = sessions.filter { !it.isCurrent }
    others.forEach(::end)
    return others.size
}

/**
 * Ends all of the user's sessions, and so this one (`DELETE /users/me/sessions`). It takes a recent sign-in where there
 * are others. Returns how many there were.
 *
 * @throws ClientException of kind STORE_FAILED, too, where the store could not be cleared of what has ended
 */
fun GatehouseSession.signOutEverywhere(): Int =
    ending { members(service.request("DELETE", "/users/me/sessions"))["revoked"] as? Long ?: throw unusable() }.toInt()

private fun GatehouseSession.members(request: Request): Map<*, *> = ServiceCalls.members(authorized(request))

private fun GatehouseSession.user(request: Request): User = User.of(members(request)) ?: throw unusable()

private fun GatehouseSession.link(proof: Map<String, String>): LinkedIdentity {
    val members = members(service.json("POST", "/users/me/identities", proof))
    return LinkedIdentity(
        members["identity_id"] as? Long ?: throw unusable(), members["provider"] as? String ?: throw unusable())
}

private fun unusable() = ClientException(Kind.UNUSABLE_ANSWER)

/** One of the ways in which a user can sign in, and the name of its provider's section. */
class LinkedIdentity internal constructor(val id: Long, val provider: String)

/**
 * What has become of two accounts.
 *
 * @property userId the user that is left.
 * @property absorbedUserId the number that nobody has any more.
 */
class MergedAccount internal constructor(val userId: Long, val absorbedUserId: Long)

/**
 * Where a browser goes to add an identity to the user. Its text does not show it.
 *
 * @property url good once, for the browser that opens it first.
 * @property expires for how many seconds, from when the answer came.
 */
class LinkAddress internal constructor(val url: URI, val expires: Int) {
    override fun toString(): String = "link address"
}

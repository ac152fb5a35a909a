package gatehouse.client

/**
 * Somebody whom a provider has vouched for and whom nobody here is yet, where registration is by ticket.
 *
 * @property ticket for [GatehouseSession.register] or [link].
 * @property attributes what the provider said, to fill the registration form with.
 * @property expires for how many seconds the ticket is good, from when the answer came.
 */
class UnlinkedUser private constructor(
    val ticket: LinkTicket, val attributes: RegistrationAttributes, val expires: Int,
) {
    override fun toString(): String = "unlinked user"

    internal companion object {
        /**
         * Null for an answer without a ticket. `clientId` is the app's that redeemed the code of a sign-in through the
         * browser; null for who posts codes.
         */
        fun of(members: Map<*, *>, clientId: String?): UnlinkedUser? {
            val ticket = (members["link_ticket"] as? String)?.takeIf { it.isNotEmpty() } ?: return null
            val expires = members["expires"] as? Long ?: return null
            val said = members["zenkey_attributes"] as? Map<*, *> ?: emptyMap<Any, Any>()
            return UnlinkedUser(LinkTicket(ticket, clientId), RegistrationAttributes(said), expires.toInt())
        }
    }
}

/** Proof of an identity that is nobody's yet: good once, and for the client that got it. Its text shows none of it. */
class LinkTicket internal constructor(internal val text: String, internal val clientId: String?) {
    override fun toString(): String = "link ticket"
}

/** What a provider said of somebody unknown, as far as it did (`zenkey_attributes`). Its text shows none of it. */
class RegistrationAttributes internal constructor(private val members: Map<*, *>) {
    val name: String? get() = member("name")
    val givenName: String? get() = member("name", "given_name")
    val familyName: String? get() = member("name", "family_name")
    val email: String? get() = member("email")
    val phoneNumber: String? get() = member("phone")
    val postalCode: String? get() = member("postal_code")
    val birthdate: String? get() = member("birthdate")
    val lastFourSocial: String? get() = member("last_4_social")

    /** By the names of OpenID Connect Core §5.1.1, such as `locality`. */
    val address: Map<String, String>
        get() {
            val parts = (members["address"] as? Map<*, *>)?.get("value") as? Map<*, *> ?: return emptyMap()
            return buildMap { for ((name, value) in parts) if (value is String) put(name.toString(), value) }
        }

    override fun toString(): String = "registration attributes"

    private fun member(name: String, part: String = "value"): String? =
        (members[name] as? Map<*, *>)?.get(part) as? String
}

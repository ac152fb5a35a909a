package gatehouse.client

/**
 * One place where the user is signed in. Times are milliseconds since 1970.
 *
 * @property createdAt when the user signed in there.
 * @property expiresAt when its refresh token ends.
 * @property provider the name of the section of the provider that the user signed in with.
 * @property userAgent what the app there said it is, in `User-Agent`: anybody's text.
 * @property isCurrent whether it is this very session.
 */
class UserSession private constructor(
    val id: String, val createdAt: Long, val expiresAt: Long, val provider: String, val clientId: String,
    val userAgent: String?, val isCurrent: Boolean,
) {
    override fun toString(): String = "session $id"

    internal companion object {
        private val name = Regex("[0-9A-Za-z_-]+")

        /** Null for what is none. */
        fun of(members: Map<*, *>?): UserSession? {
            fun text(name: String) = members?.get(name) as? String
            fun time(name: String) = (members?.get(name) as? Long)?.let { it * 1000 }
            return UserSession(
                text("session_id")?.takeIf(name::matches) ?: return null, time("created_at") ?: return null,
                time("expires_at") ?: return null, text("provider") ?: return null, text("client_id") ?: return null,
                text("user_agent"), members?.get("current") as? Boolean ?: return null)
        }
    }
}

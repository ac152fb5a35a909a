package gatehouse.client

/**
 * What can go wrong, by its kind; what more there is to know of some is in a class of its own ([UnlinkedUserException],
 * [ProviderNotFoundException], [InsufficientUserAuthenticationException]). No text of it shows a token, a code or
 * anything about a person, so that all of it may be logged.
 */
open class ClientException(val kind: Kind, val refusal: Refusal? = null) :
    Exception(if (refusal == null) kind.sentence else "${kind.sentence} ${refusal.status} ${refusal.code}") {

    enum class Kind(internal val sentence: String) {
        INVALID_ADDRESS("The address is neither https nor http to this machine."),
        NOT_SIGNED_IN("Nobody is signed in here, or not any more."),
        /** Of a refresh, it has ended the session, which stays over when the lock ends. Show whom to ask. */
        LOCKED("The account, or the identity, is locked: signing in again does not help."),
        UNLINKED_USER("Nobody has this identity yet: register with the ticket, or link it."),
        PROVIDER_NOT_FOUND("No carrier serves this mobile network or knows the user: let the user choose one."),
        INSUFFICIENT_USER_AUTHENTICATION("The user authenticated too long ago for this: let them sign in again."),
        NOT_RENEWABLE("The sign-in has brought no refresh token, and was given up: ask for offline_access."),
        SESSION_ENDED("The server has ended the session: the user must sign in again."),
        REFUSED("The server has answered, and said no:"),
        UNREACHABLE("The request was not sent: there is no network, or no connection."),
        ANSWER_LOST("The request may have reached the server; the answer did not come, or not all of it."),
        UNUSABLE_ANSWER("The answer is not one of Gatehouse."),
        ANOTHER_USER("The session is another user's."),
        STORE_FAILED("The session store failed; what is in it stays."),
        FOREIGN_SERVER("The access token is not for this server."),
        SIGNED_OUT_HERE_ONLY("Signed out here; the server could not be told."),
    }

    /** Whether the server may have done what it was asked, or may yet do it, so that nothing is decided. */
    internal val leavesOpen: Boolean
        get() = kind == Kind.ANSWER_LOST || kind == Kind.UNUSABLE_ANSWER || refusal?.isTemporary == true

    /** Whether the refresh token opens nothing any more (RFC 6749 §5.2). */
    internal val endsSession: Boolean
        get() = kind == Kind.LOCKED || refusal?.let { it.code == "invalid_grant" && !it.isTemporary } == true
}

/**
 * A refusal, in the server's words.
 *
 * @property code the stable code, such as `insufficient_user_authentication`.
 * @property reason which rule an ID token breaks, for `invalid_id_token`.
 * @property requestId by what the server's log is searched.
 * @property retryAfter after how many seconds it may be tried again.
 */
class Refusal(
    val status: Int, val code: String, val reason: String?, val requestId: String?, val retryAfter: Int?,
) {
    internal val isTemporary: Boolean get() = status >= 500 || status == 429
}

package gatehouse.client

import gatehouse.client.ClientException.Kind
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ExecutionException

/**
 * The session of this app's user with Gatehouse. An app has one, and all of it asks this one for access tokens. Calls
 * block, so they belong on a thread that may wait; any number of threads may call.
 *
 * However many callers find the access token expired, one refresh is under way. A lost answer is asked for again; only
 * the server's `invalid_grant` ends the session. New tokens are in the store before anybody gets one. A caller that is
 * interrupted leaves, and the refresh goes on for the others.
 */
class GatehouseSession(
    val service: Service, private val store: SessionStore, transport: Transport,
    retry: RetryPolicy = RetryPolicy(), private val now: () -> Long = System::currentTimeMillis,
) {
    private val calls = ServiceCalls(service, transport, retry)

    // What follows is touched under this lock only, and no call to the server is made under it.
    private val lock = Any()
    private var current: StoredSession? = null
    /** What the store would not take, and the refresh token that it replaces: nobody has got it yet. */
    private var unsaved: Pair<StoredSession, String>? = null
    private var refreshing: CompletableFuture<StoredSession>? = null
    /** How often somebody has signed in or out here: what began before is of a session that is not this one. */
    private var epoch = 0
    /** What a sign-out could not clear is nobody's session any more, though the store still has it. */
    private var owesClearing = false

    /** Whose session there is, without a call to the server. */
    val userId: Long? get() = synchronized(lock) { loaded()?.userId }

    /** The one that there is, good or over, which says whose session it is. */
    internal val accessTokenAtHand: String? get() = synchronized(lock) { loaded()?.accessToken }

    /**
     * Signs a user in with what an SDK gave. After ANSWER_LOST the app begins a new sign-in: a code counts once. The
     * session before ends at the server too, once the new one is kept; where the server can't be told, it ends there
     * by itself.
     */
    fun signIn(request: SignInRequest): SignedIn {
        val requestedAt = now()
        val (tokens, signedIn) = calls.signIn(request)
        return opening(tokens, null, requestedAt) { userId ->
            if (userId != signedIn.user.id) throw ClientException(Kind.ANOTHER_USER)
            signedIn
        }
    }

    /**
     * Signs a user in by the code of a sign-in through the browser (`POST /auth/token`), likewise in the place of the
     * one before. NOT_RENEWABLE where there is no refresh token.
     */
    fun signIn(code: BrowserCode): SessionGrant {
        val requestedAt = now()
        val tokens = calls.redeem(code)
        return opening(tokens, code.clientId, requestedAt) { SessionGrant(it, tokens.members) }
    }

    /**
     * Makes a user of an identity that is nobody's yet, and signs them in (`POST /users`), in the place of the one
     * before.
     *
     * @param ticket of an [UnlinkedUserException]; it is good once.
     * @param values what the user typed, by its names in the API, such as `name` and `email`.
     */
    fun register(ticket: LinkTicket, values: Map<String, String> = emptyMap()): SessionGrant {
        val requestedAt = now()
        val tokens = calls.register(ticket, values)
        return opening(tokens, ticket.clientId, requestedAt) { SessionGrant(it, tokens.members) }
    }

    /** Opens a session in the place of the one before; `told` is what its answer says, and may refuse it. */
    private fun <Told> opening(tokens: Tokens, clientId: String?, requestedAt: Long, told: (Long) -> Told): Told {
        if (!tokens.isRenewable) {
            runCatching { calls.revoke(tokens.access, clientId) }
            throw ClientException(Kind.NOT_RENEWABLE)
        }
        val former: StoredSession?
        val result: Told
        try {
            val userId = tokens.userId ?: throw ClientException(Kind.UNUSABLE_ANSWER)
            result = told(userId)
            val session = session(userId, tokens, clientId, requestedAt)
            former = synchronized(lock) {
                val present = unsaved?.first ?: runCatching { stored() }.getOrNull() ?: current
                storing { store.save(session) }
                owesClearing = false
                replace(session)
                present
            }
        } catch (failure: ClientException) {
            // Nobody has it, so nobody should.
            runCatching { calls.revoke(tokens.refresh, clientId) }
            throw failure
        }
        former?.let { runCatching { calls.revoke(it.refreshToken, it.clientId) } }
        return result
    }

    /** Signs out: here first, then at the server. Nobody is signed in here after its failures either. */
    fun signOut() {
        var failure: ClientException? = null
        val ended = synchronized(lock) {
            val stored = unsaved?.first ?: runCatching { stored() }.getOrNull() ?: current
            replace(null)
            try { clearStore() } catch (error: ClientException) { failure = error }
            stored
        }
        if (ended != null) {
            try {
                calls.revoke(ended.refreshToken, ended.clientId)
            } catch (_: ClientException) {
                throw ClientException(Kind.SIGNED_OUT_HERE_ONLY)
            }
        }
        failure?.let { throw it }
    }

    /** An access token that is good for a minute at least; for less while the server can't be reached. */
    fun accessToken(): String = usable().accessToken

    /** Sends a request with the access token; once more, with a new one, where the server says that it is not good. */
    fun authorized(request: Request): Answer {
        if (!service.accepts(request.uri)) throw ClientException(Kind.FOREIGN_SERVER)
        val session = usable()
        val answer = calls.send(request, session.accessToken)
        if (!ServiceCalls.asksForNewToken(answer)) return answer
        return calls.send(request, refreshed(session).accessToken)
    }

    /** What the server calls this session, in the list of the user's. */
    internal val name: String? get() = synchronized(lock) { loaded()?.let { claim("sid", it.accessToken) } }

    /** Forgets the session that the action ends at the server; one that has begun here meanwhile stays. */
    internal fun <Told> ending(action: () -> Told): Told {
        val begun = synchronized(lock) { epoch }
        val told = action()
        synchronized(lock) {
            if (begun == epoch) {
                replace(null)
                clearStore()
            }
        }
        return told
    }

    private fun usable(): StoredSession {
        val session = synchronized(lock) { loaded() } ?: throw ClientException(Kind.NOT_SIGNED_IN)
        if (now() < session.staleAt) return session
        try {
            return refreshed(session)
        } catch (failure: ClientException) {
            val isTransient = failure.leavesOpen || failure.kind == Kind.UNREACHABLE
            val isCurrent = synchronized(lock) { current?.accessToken == session.accessToken }
            if (isTransient && isCurrent && now() < session.expiresAt) return session
            throw failure
        }
    }

    /** The session that follows the one whose access token was found wanting. Callers share one refresh. */
    private fun refreshed(session: StoredSession): StoredSession {
        val refresh = synchronized(lock) {
            val present = current ?: throw ClientException(Kind.NOT_SIGNED_IN)
            if (present.userId != session.userId) throw ClientException(Kind.ANOTHER_USER)
            if (present.accessToken != session.accessToken) return present
            refreshing ?: begin(session)
        }
        try {
            return refresh.get()
        } catch (failure: ExecutionException) {
            throw failure.cause ?: failure
        }
    }

    /** On a thread of its own: the caller may be interrupted. One that can't be started leaves nobody waiting. */
    private fun begin(session: StoredSession): CompletableFuture<StoredSession> {
        val result = CompletableFuture<StoredSession>()
        val begun = epoch
        val work = Runnable { refresh(session, begun, result) }
        Thread(work, "gatehouse-refresh").apply { isDaemon = true }.start()
        refreshing = result
        return result
    }

    /** Whatever it ends with, somebody waits for it: what a transport of the app's own throws, too. */
    private fun refresh(session: StoredSession, epoch: Int, result: CompletableFuture<StoredSession>) {
        val outcome = runCatching { persistently(session, epoch) }
        synchronized(lock) { if (refreshing === result) refreshing = null }
        outcome.fold(result::complete, result::completeExceptionally)
    }

    private fun persistently(session: StoredSession, epoch: Int): StoredSession {
        val attempts = Attempts(calls.retry)
        while (true) {
            try {
                return successor(session, epoch)
            } catch (failure: ClientException) {
                attempts.pause(failure)
            }
        }
    }

    /**
     * One attempt. The store is read again before each: a refresh token that another process has replaced, and whose
     * successor it has used, is a stolen one to the server.
     */
    private fun successor(session: StoredSession, epoch: Int): StoredSession {
        val former = synchronized(lock) {
            check(epoch)
            val present = present(session)
            if (present.accessToken != session.accessToken && now() < present.staleAt) return present
            present
        }
        val requestedAt = now()
        val tokens = try {
            calls.refresh(former.refreshToken, former.clientId)
        } catch (failure: ClientException) {
            if (!failure.endsSession) throw failure
            synchronized(lock) { endUnlessReplaced(former, epoch, failure) }
            return successor(session, epoch)
        }
        if (tokens.userId != former.userId) throw ClientException(Kind.ANOTHER_USER)
        return synchronized(lock) {
            check(epoch)
            keep(session(former.userId, tokens, former.clientId, requestedAt), former)
        }
    }

    /** What is to be refreshed: what the store has, or what it would not take and takes now. */
    private fun present(session: StoredSession): StoredSession {
        val stored = takeStored() ?: throw ClientException(Kind.NOT_SIGNED_IN)
        if (stored.userId != session.userId) throw ClientException(Kind.ANOTHER_USER)
        val held = unsaved?.let { (held, replaced) -> held.takeIf { replaced == stored.refreshToken } }
        return if (held == null) stored else keep(held, stored)
    }

    /** The server says that it is over; unless somebody has signed in anew in another process that shares the store. */
    private fun endUnlessReplaced(former: StoredSession, epoch: Int, reason: ClientException) {
        check(epoch)
        if (takeStored()?.refreshToken != former.refreshToken) return
        // Waiting callers are told the reason, and not only that nobody is signed in.
        refreshing = null
        replace(null)
        runCatching { clearStore() }
        throw if (reason.kind == Kind.LOCKED) reason else ClientException(Kind.SESSION_ENDED)
    }

    /** In the store first, then in use. What the store does not take is held back, and offered again. */
    private fun keep(session: StoredSession, former: StoredSession): StoredSession {
        unsaved = session to former.refreshToken
        storing { store.save(session) }
        unsaved = null
        current = session
        return session
    }

    /** A user who signed out meanwhile stays signed out: the server has ended that session, or will be told. */
    private fun check(epoch: Int) {
        if (epoch != this.epoch) throw ClientException(Kind.NOT_SIGNED_IN)
    }

    private fun session(userId: Long, tokens: Tokens, clientId: String?, requestedAt: Long): StoredSession {
        val expiresAt = requestedAt + tokens.expiresInMillis
        return StoredSession(
            userId, tokens.access, tokens.refresh, expiresAt, expiresAt - minOf(60_000, tokens.expiresInMillis / 4),
            clientId)
    }

    private fun loaded(): StoredSession? = current ?: takeStored()

    private fun takeStored(): StoredSession? = stored().also { current = it }

    private fun stored(): StoredSession? {
        if (owesClearing) clearStore()
        return storing { store.load() }
    }

    private fun clearStore() {
        owesClearing = true
        storing { store.clear() }
        owesClearing = false
    }

    /** Keystores throw more than what writes files does. No cause: what it says is not ours to vouch for. */
    private fun <T> storing(action: () -> T): T =
        try { action() } catch (_: Exception) { throw ClientException(Kind.STORE_FAILED) }

    private fun replace(session: StoredSession?) {
        epoch++
        current = session
        unsaved = null
        refreshing?.completeExceptionally(ClientException(Kind.NOT_SIGNED_IN))
        refreshing = null
    }
}

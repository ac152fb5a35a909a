package gatehouse.client

import java.io.IOException
import java.nio.file.Files
import java.nio.file.NoSuchFileException
import java.nio.file.Path
import java.nio.file.StandardCopyOption
import java.nio.file.StandardOpenOption
import java.nio.file.attribute.PosixFilePermissions

/**
 * A session as it is kept. Its text shows no token. Times are milliseconds since 1970. One of a sign-in through the
 * browser is renewed and ended under the `client_id` of its app.
 */
class StoredSession(
    val userId: Long, internal val accessToken: String, internal val refreshToken: String, internal val expiresAt: Long,
    internal val staleAt: Long, internal val clientId: String? = null,
) {
    override fun toString(): String = "session of user $userId"

    /** For stores; it holds the tokens. */
    fun serialized(): String =
        Json.write(
            buildMap {
                put("user", "$userId")
                put("access", accessToken)
                put("refresh", refreshToken)
                put("expires", "$expiresAt")
                put("stale", "$staleAt")
                clientId?.let { put("client", it) }
            })

    companion object {
        /** @throws IOException when that is no session. */
        fun deserialized(text: String): StoredSession {
            val members = Json.read(text) as? Map<*, *>
            fun member(name: String) = members?.get(name) as? String ?: throw IOException("not a session")
            fun number(name: String) = member(name).toLongOrNull() ?: throw IOException("not a session")
            return StoredSession(
                number("user"), member("access"), member("refresh"), number("expires"), number("stale"),
                members?.get("client") as? String)
        }
    }
}

/**
 * Where a session is kept. `save` is all or nothing: when it fails, what was there before is still there. `load` throws
 * when it can't read, or the user would look signed out. Whatever they throw is told as STORE_FAILED.
 */
interface SessionStore {
    @Throws(IOException::class) fun load(): StoredSession?
    @Throws(IOException::class) fun save(session: StoredSession)
    @Throws(IOException::class) fun clear()
}

/** A store that ends with the process. */
class MemorySessionStore : SessionStore {
    @Volatile private var session: StoredSession? = null
    override fun load(): StoredSession? = session
    override fun save(session: StoredSession) { this.session = session }
    override fun clear() { session = null }
}

/** A session in a file of mode 0600; on Android below `Context.noBackupFilesDir`, which no other app reads. */
class FileSessionStore(private val file: Path) : SessionStore {
    override fun load(): StoredSession? =
        try {
            StoredSession.deserialized(String(Files.readAllBytes(file)))
        } catch (_: NoSuchFileException) {
            null
        }

    /** Beside the file first, and then in its place. One that a crash has left, or somebody's link, is taken away. */
    override fun save(session: StoredSession) {
        val draft = file.resolveSibling("${file.fileName}.new")
        Files.deleteIfExists(draft)
        val mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        Files.newByteChannel(draft, setOf(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode).use {
            val bytes = java.nio.ByteBuffer.wrap(session.serialized().toByteArray())
            while (bytes.hasRemaining()) it.write(bytes)
            (it as? java.nio.channels.FileChannel)?.force(true)
        }
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING)
    }

    override fun clear() { Files.deleteIfExists(file) }
}

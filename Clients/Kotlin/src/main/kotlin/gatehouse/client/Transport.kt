package gatehouse.client

import java.io.IOException
import java.net.ConnectException
import java.net.HttpURLConnection
import java.net.NoRouteToHostException
import java.net.ProtocolException
import java.net.URI
import java.net.URL
import java.net.URLConnection
import java.net.UnknownHostException
import javax.net.ssl.SSLHandshakeException

/** A request; its text shows neither headers nor body. */
data class Request(
    val method: String, val uri: URI, val headers: Map<String, String> = emptyMap(), val body: ByteArray? = null,
) {
    fun with(name: String, value: String): Request = copy(headers = headers + (name to value))
    override fun toString(): String = "$method ${uri.path}"
    override fun equals(other: Any?): Boolean = this === other
    override fun hashCode(): Int = System.identityHashCode(this)
}

/** An answer, whatever its status; names of headers are in small letters. */
class Answer(val status: Int, val headers: Map<String, String>, val body: ByteArray) {
    override fun toString(): String = "answer $status"
}

/**
 * How requests are made. A transport follows no redirect, for the body of a request holds a token; it keeps neither
 * answers nor cookies; and it comes to an end, for all who need a token wait for one refresh.
 */
fun interface Transport {
    /** @throws ClientException of kind UNREACHABLE or ANSWER_LOST; an IOException counts as an answer lost */
    fun send(request: Request): Answer
}

/**
 * By `HttpURLConnection`, for Android. A JVM has `HttpClientTransport`: there this knows no PATCH, so that
 * [edit] fails, and sees no body of a 401, so that it learns of no session's end.
 *
 * Cookies are kept where the app has set a `CookieHandler`, which is one for all of its process.
 *
 * @param open how a connection is made, such as `Network::openConnection` of Android for one by the mobile network.
 */
class URLConnectionTransport(
    private val timeoutMillis: Int = 10_000, private val open: (URL) -> URLConnection = URL::openConnection,
) : Transport {
    override fun send(request: Request): Answer {
        val connection = open(request.uri.toURL()) as HttpURLConnection
        try {
            connection.requestMethod = request.method
        } catch (_: ProtocolException) {
            throw UnsupportedOperationException("HttpURLConnection sends no ${request.method} here")
        }
        try {
            connection.instanceFollowRedirects = false
            connection.useCaches = false
            connection.connectTimeout = timeoutMillis
            connection.readTimeout = timeoutMillis
            request.headers.forEach(connection::setRequestProperty)
            request.body?.let {
                connection.doOutput = true
                // Otherwise it posts again by itself where a connection ends before the answer: by then another process
                // may have used the successor of the refresh token, and what comes late is a stolen one to the server.
                connection.setFixedLengthStreamingMode(it.size)
                connection.outputStream.use { stream -> stream.write(it) }
            }
            val status = connection.responseCode
            if (status < 100) throw ClientException(ClientException.Kind.ANSWER_LOST)
            val length = connection.contentLength
            val stream = if (status >= 400) connection.errorStream else connection.inputStream
            val body = stream?.use { it.readBytes() } ?: ByteArray(0)
            // Where the connection ended early that is no error to it.
            if (stream != null && length > body.size) throw ClientException(ClientException.Kind.ANSWER_LOST)
            val headers = connection.headerFields.entries.filter { it.key != null }
                .associate { (name, values) -> name.lowercase() to values.joinToString(", ") }
            return Answer(status, headers, body)
        } catch (error: IOException) {
            throw ClientException(
                if (isUnsent(error)) ClientException.Kind.UNREACHABLE else ClientException.Kind.ANSWER_LOST)
        } finally {
            connection.disconnect()
        }
    }

    private fun isUnsent(error: IOException): Boolean =
        error is ConnectException || error is UnknownHostException || error is NoRouteToHostException ||
            error is SSLHandshakeException
}

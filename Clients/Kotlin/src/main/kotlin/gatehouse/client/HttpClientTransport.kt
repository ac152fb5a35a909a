package gatehouse.client

import java.io.IOException
import java.net.ConnectException
import java.net.http.HttpClient
import java.net.http.HttpConnectTimeoutException
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.time.Duration
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException

/**
 * By `java.net.http`, for a JVM of version 11 or later. Android has none: leave this file out there.
 *
 * @param timeout of the connection, and then of the whole answer.
 */
class HttpClientTransport(private val timeout: Duration = Duration.ofSeconds(10)) : Transport {
    private val client: HttpClient =
        HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).connectTimeout(timeout)
            .version(HttpClient.Version.HTTP_1_1).build()

    override fun send(request: Request): Answer {
        val body = request.body?.let(HttpRequest.BodyPublishers::ofByteArray) ?: HttpRequest.BodyPublishers.noBody()
        val builder = HttpRequest.newBuilder(request.uri).method(request.method, body)
        request.headers.forEach { (name, value) -> builder.header(name, value) }
        val answer = awaited(builder.build())
        val headers = answer.headers().map().entries
            .associate { (name, values) -> name.lowercase() to values.joinToString(", ") }
        return Answer(answer.statusCode(), headers, answer.body())
    }

    /** `HttpRequest.timeout` is for an answer's head alone, and its body may stand still for ever. */
    private fun awaited(request: HttpRequest): HttpResponse<ByteArray> {
        val pending = client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
        try {
            return pending.get(2 * timeout.toMillis(), TimeUnit.MILLISECONDS)
        } catch (_: TimeoutException) {
            throw ClientException(ClientException.Kind.ANSWER_LOST)
        } catch (failure: ExecutionException) {
            val isUnsent = failure.cause is ConnectException || failure.cause is HttpConnectTimeoutException
            if (failure.cause !is IOException) throw failure
            throw ClientException(
                if (isUnsent) ClientException.Kind.UNREACHABLE else ClientException.Kind.ANSWER_LOST)
        } finally {
            // A caller that leaves early wants no answer any more.
            pending.cancel(true)
        }
    }
}

package gatehouse.client

import java.io.IOException
import java.net.ConnectException
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.time.Duration

/** By `java.net.http`, for a JVM of version 11 or later. Android has none: leave this file out there. */
class HttpClientTransport(private val timeout: Duration = Duration.ofSeconds(10)) : Transport {
    private val client: HttpClient =
        HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).connectTimeout(timeout)
            .version(HttpClient.Version.HTTP_1_1).build()

    override fun send(request: Request): Answer {
        val body = request.body?.let(HttpRequest.BodyPublishers::ofByteArray) ?: HttpRequest.BodyPublishers.noBody()
        val builder = HttpRequest.newBuilder(request.uri).timeout(timeout).method(request.method, body)
        request.headers.forEach { (name, value) -> builder.header(name, value) }
        try {
            val answer = client.send(builder.build(), HttpResponse.BodyHandlers.ofByteArray())
            val headers = answer.headers().map().entries.associate { (name, values) -> name.lowercase() to values.joinToString(", ") }
            return Answer(answer.statusCode(), headers, answer.body())
        } catch (error: IOException) {
            throw ClientException(
                if (error is ConnectException) ClientException.Kind.UNREACHABLE else ClientException.Kind.ANSWER_LOST)
        }
    }
}

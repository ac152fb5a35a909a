package gatehouse.client

import java.net.URI

/**
 * Where Gatehouse is, and to whom else its tokens may be shown.
 *
 * @property address what the paths of the API are appended to: https, or http for a loopback address.
 * @property resourceServers further servers that take the access token; the same rule holds for them.
 * @param apiKey where the server has API keys (`X-API-KEY`).
 * @throws ClientException of kind INVALID_ADDRESS
 */
class Service(val address: URI, val resourceServers: List<URI> = emptyList(), private val apiKey: String? = null) {
    init {
        if (!(resourceServers + address).all(::isSafe)) throw ClientException(ClientException.Kind.INVALID_ADDRESS)
    }

    /** A request to Gatehouse, for [GatehouseSession.authorized]; `path` is one of the API. */
    fun request(method: String, path: String): Request =
        Request(
            method, URI(address.toString().trimEnd('/') + path),
            buildMap {
                put("Accept", "application/json")
                apiKey?.let { put("X-API-KEY", it) }
            })

    internal fun json(method: String, path: String, members: Map<String, String?>): Request =
        request(method, path).with("Content-Type", "application/json").copy(body = Json.write(members).toByteArray())

    /** As a form (RFC 6749 Appendix B). */
    internal fun form(path: String, fields: List<Pair<String, String>>): Request {
        val body = fields.joinToString("&") { (name, value) -> "$name=${java.net.URLEncoder.encode(value, "UTF-8")}" }
        return request("POST", path).with("Content-Type", "application/x-www-form-urlencoded")
            .copy(body = body.toByteArray())
    }

    /** Whether the access token may be sent there: an origin is scheme, host and port (RFC 6454 §4). */
    internal fun accepts(uri: URI): Boolean =
        uri.userInfo == null && (resourceServers + address).any { origin(it) == origin(uri) }

    internal companion object {
        private val loopback = setOf("127.0.0.1", "localhost", "[::1]")

        /** Whether nobody on the way reads what is sent there: https, or http to this machine. */
        fun mayBeOpened(uri: URI): Boolean {
            val host = uri.host?.lowercase() ?: return false
            return when (uri.scheme?.lowercase()) {
                "https" -> uri.userInfo == null
                "http" -> uri.userInfo == null && host in loopback
                else -> false
            }
        }

        /** Whether the address says nothing else than where that is, too. */
        private fun isSafe(uri: URI) = mayBeOpened(uri) && uri.query == null && uri.fragment == null

        private fun origin(uri: URI): String {
            val scheme = uri.scheme?.lowercase()
            val port = if (uri.port >= 0) uri.port else if (scheme == "https") 443 else 80
            return "$scheme://${uri.host?.lowercase()}:$port"
        }
    }
}

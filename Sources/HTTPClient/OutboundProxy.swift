internal import Syntax

/// A proxy by which https goes out: it is asked for a tunnel (CONNECT, RFC 9110 §9.3.6), in which TLS is with whom the
/// request is for. So it learns the host's name, and nothing of what is said.
public struct OutboundProxy: Sendable, Hashable, CustomStringConvertible {
    /// `http://HOST:PORT`.
    let address: String
    /// What it is told of who we are (RFC 7617), as one text; nil where it asks for nothing.
    let credentials: String?
    /// Where https goes without it.
    public var exceptions: [ProxyException] = []

    /// Reads `http://HOST:PORT` or `http://USER:PASSWORD@HOST:PORT`, user and password percent-encoded.
    ///
    /// - Returns: nil for anything else.
    public init?(_ text: String) {
        let scheme = "http://"
        guard text.hasPrefix(scheme) else { return nil }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var credentials: String?
        if let at = rest.lastIndex(of: "@") {
            guard let decoded = Self.decoded(rest[..<at]) else { return nil }
            credentials = decoded
            rest = rest[rest.index(after: at)...]
        }
        guard let server = ProxyException(String(rest)), let port = server.port else { return nil }
        address = scheme + Authority.text(host: server.host, port: port)
        self.credentials = credentials
    }

    /// `USER:PASSWORD`; nil where one of them is missing, or could not stand in a header field.
    private static func decoded(_ text: Substring) -> String? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        var scratch: [UInt8] = []
        var texts: [String] = []
        for part in parts {
            let bytes = Array(part.utf8)
            guard
                let value = PercentEncoding.decode(
                    bytes.span, 0..<bytes.count, plusIsSpace: false, scratch: &scratch),
                value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else { return nil }
            texts.append(value)
        }
        // A colon would end the user's name (RFC 7617 §2).
        return texts[0].utf8.contains(.colon) ? nil : texts.joined(separator: ":")
    }

    /// Where it is, and nothing of the password.
    public var description: String { address }

    /// Whether a request for that URL goes by it. What stays on this machine never does.
    func carries(_ url: EndpointURL) -> Bool {
        url.isSecure && !url.isLoopback && !exceptions.contains { $0.matches(url) }
    }
}

/// A host that is reached without the proxy, and what is below it; or one address; with a port, at that port alone.
public struct ProxyException: Sendable, Hashable, CustomStringConvertible {
    let host: String
    /// Nil for every port.
    let port: UInt16?

    /// Reads `HOST` or `HOST:PORT`, an IPv6 address in brackets.
    ///
    /// - Returns: nil for anything else, such as a pattern.
    public init?(_ text: String) {
        guard !text.utf8.contains(where: { [.slash, .questionMark, .asterisk].contains($0) }),
            let secure = try? EndpointURL(configured: "https://\(text)"),
            let plain = try? EndpointURL(configured: "http://\(text)")
        else { return nil }
        host = secure.host
        // Each scheme has a port of its own, where none is given.
        port = secure.port == plain.port ? secure.port : nil
    }

    public var description: String {
        port.map { Authority.text(host: host, port: $0) } ?? (host.utf8.contains(.colon) ? "[\(host)]" : host)
    }

    func matches(_ url: EndpointURL) -> Bool {
        guard port == nil || port == url.port else { return false }
        return url.host == host || IPAddress(host) == nil && url.host.hasSuffix("." + host)
    }
}

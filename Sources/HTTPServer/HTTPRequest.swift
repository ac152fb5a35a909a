public import EventLoop
public import System

/// A request, whole: its head was understood and its body has arrived.
public struct HTTPRequest: Sendable {
    /// HEAD is routed as GET; the connection drops the body of its answer.
    public let method: HTTPMethod
    /// As sent, percent-encoded, without the query; `*` for an OPTIONS request about the server itself.
    public let path: String
    /// As sent, without the question mark; nil when there is none.
    public let query: String?
    /// Transfer coding undone.
    public let body: [UInt8]
    /// The other end of the connection, which may be a proxy.
    public let peer: SocketAddress
    /// The client's X-Request-ID when that is 1 to 64 of `A-Z a-z 0-9 . _ -`, else one made here.
    public let id: String
    /// The SHA-256 of the certificate that the client has shown and that a known authority has issued; nil for none.
    public let clientCertificate: [UInt8]?
    /// When its first byte was read.
    public let receivedAt: MonotonicTime
    /// What the router found in the path.
    public var parameters = PathParameters()
    let head: RequestHead

    /// Makes a request without a connection, for tests and for calls in memory.
    public init(
        method: HTTPMethod, path: String, query: String? = nil, headers: [(String, String)] = [], body: [UInt8] = [],
        peer: SocketAddress, id: String, receivedAt: MonotonicTime
    ) {
        self.init(
            method: method, path: path, query: query, head: RequestHead(headers), body: body, peer: peer, id: id,
            receivedAt: receivedAt)
    }

    init(
        method: HTTPMethod, path: String, query: String?, head: RequestHead, body: [UInt8], peer: SocketAddress,
        id: String, receivedAt: MonotonicTime, clientCertificate: [UInt8]? = nil
    ) {
        self.clientCertificate = clientCertificate
        (self.method, self.path, self.query, self.head, self.body) = (method, path, query, head, body)
        (self.peer, self.id, self.receivedAt) = (peer, id, receivedAt)
    }

    /// The value of the first field with this name, whatever its case; nil when there is none.
    ///
    /// Bytes that are not UTF-8 come out as U+FFFD.
    public func header(_ name: String) -> String? {
        for field in head.fields where head.matches(field, name) { return head.text(field.value) }
        return nil
    }

    /// The values of all fields with this name, in order.
    public func headers(_ name: String) -> [String] {
        head.fields.filter { head.matches($0, name) }.map { head.text($0.value) }
    }
}

/// The methods that are understood (RFC 9110 §9, RFC 5789). Every other one is answered 501.
public enum HTTPMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
}

/// The header in which proxies tell the address of their client.
public enum ClientAddressHeader: String, Sendable, CaseIterable {
    case xForwardedFor = "X-Forwarded-For"
    /// RFC 7239.
    case forwarded = "Forwarded"
}

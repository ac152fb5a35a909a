public import Syntax
internal import System

/// The methods that the client sends.
public enum OutboundMethod: Sendable, Hashable {
    case get, post
}

/// A request to a provider.
public struct OutboundRequest: Sendable {
    /// What is sent, and where. Kept once: a request is handed on many times before it is on its way.
    public final class Content: Sendable {
        public let method: OutboundMethod
        public let url: EndpointURL
        /// Beside these the client sends `Host`, `Accept-Encoding`, `Content-Length`, and `Accept: */*` when there is
        /// none. A POST without a `Content-Type` is sent as a form.
        public let headers: [(name: String, value: String)]
        /// Sent with POST only.
        public let body: [UInt8]
        public let policy: OutboundPolicy

        init(
            _ method: OutboundMethod, _ url: EndpointURL, _ headers: [(name: String, value: String)], _ body: [UInt8],
            _ policy: OutboundPolicy
        ) {
            (self.method, self.url, self.headers, self.body, self.policy) = (method, url, headers, body, policy)
        }
    }

    public private(set) var content: Content
    /// From `send` to the last byte of the answer, all waiting included.
    public var timeout: Duration
    /// Whether a transfer that has begun goes on, and its result is awaited, when the task is cancelled. A code
    /// exchange does: its code is used up by the time the answer would be thrown away.
    public var finishesWhenCancelled: Bool
    /// Where the client notes when what has happened; nil where nobody wants to know.
    public var times: ExchangeTimes?

    public init(
        method: OutboundMethod, url: EndpointURL, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        timeout: Duration, policy: OutboundPolicy, finishesWhenCancelled: Bool = false
    ) {
        content = Content(method, url, headers, body, policy)
        (self.timeout, self.finishesWhenCancelled) = (timeout, finishesWhenCancelled)
    }

    /// Sends another field.
    public mutating func add(_ name: String, _ value: String) {
        content = Content(
            content.method, content.url, content.headers + [(name: name, value: value)], content.body, content.policy)
    }
}

extension OutboundRequest.Content {
    /// More than what a message has beside its URL, its fields and its body.
    private static let fixedBytes = 256

    /// The request as it goes out (RFC 9112 §2.1 and §3), its body included.
    ///
    /// - Throws: `malformedResponse` for a header field that would not be one field.
    func message() throws(HTTPClientError) -> [UInt8] {
        var size = url.text.utf8.count + url.server.utf8.count + body.count + Self.fixedBytes
        for (name, value) in headers {
            try Self.check(name: name.utf8.span, value: value.utf8.span)
            size += name.utf8.count + value.utf8.count + ": \r\n".utf8.count
        }
        let body = body
        return [UInt8](capacity: size) { message in
            message.append(text: method == .get ? "GET " : "POST ")
            appendTarget(to: &message)
            message.append(text: " HTTP/1.1\r\nHost: ")
            message.append(url.server.utf8.span.extracting(droppingLast: Self.defaultPort(url)))
            message.append(text: "\r\nAccept-Encoding: gzip, deflate\r\n")
            if !has("accept") { message.append(text: "Accept: */*\r\n") }
            for (name, value) in headers {
                message.append(text: name)
                message.append(text: value.isEmpty ? ":" : ": ")
                message.append(text: value)
                message.append(text: "\r\n")
            }
            if method == .post {
                if !has("content-type") {
                    message.append(text: "Content-Type: application/x-www-form-urlencoded\r\n")
                }
                message.append(text: "Content-Length: ")
                message.append(decimal: Int64(body.count))
                message.append(text: "\r\n\r\n")
                message.append(body.span)
            } else {
                message.append(text: "\r\n")
            }
        }
    }

    /// Path and query as they are in the URL; an empty path is `/` (RFC 9112 §3.2.1).
    private func appendTarget(to message: inout OutputSpan<UInt8>) {
        let text = url.text.utf8.span
        var start = url.scheme.utf8.count + "://".utf8.count
        while start < text.count, text[start] != .slash, text[start] != .questionMark { start += 1 }
        if start == text.count || text[start] != .slash { message.append(.slash) }
        message.append(text.extracting(start...))
    }

    /// How many bytes at the end of `host:port` say nothing (RFC 9110 §4.2).
    private static func defaultPort(_ url: EndpointURL) -> Int {
        switch (url.isSecure, url.port) {
        case (true, 443): ":443".utf8.count
        case (false, 80): ":80".utf8.count
        default: 0
        }
    }

    private func has(_ name: String) -> Bool {
        for field in headers where field.name.utf8.count == name.utf8.count {
            if field.name.utf8.span.equalsIgnoringCase(0..<name.utf8.count, name) { return true }
        }
        return false
    }

    /// RFC 9110 §5.5: a value with a line end or a NUL would end the field and begin another.
    private static func check(name: Span<UInt8>, value: Span<UInt8>) throws(HTTPClientError) {
        guard name.isToken, value.isFieldContent else { throw .malformedResponse }
    }
}

/// What a provider answered, whatever its status; redirects are answers like any other.
public struct OutboundResponse: Sendable {
    /// 200 to 999.
    public let status: Int
    /// Decompressed.
    public let body: [UInt8]
    private let fields: HeaderFields

    init(status: Int, fields: HeaderFields, body: [UInt8]) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }

    /// An answer made up, for doubles of the client.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        var fields = HeaderFields()
        for (name, value) in headers { fields.append(name: Array(name.utf8).span, value: Array(value.utf8).span) }
        self.init(status: status, fields: fields, body: body)
    }

    /// The value of the first field of that name, which is compared without regard to case (RFC 9110 §5.1).
    public func header(_ name: String) -> String? { fields.first(name) }
}

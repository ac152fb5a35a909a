internal import Syntax
internal import System

extension OutboundRequest {
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

internal import Syntax

extension OutboundRequest {
    /// The request as it goes out (RFC 9112 §2.1 and §3), its body included.
    ///
    /// - Throws: `malformedResponse` for a header field that would not be one field.
    func message() throws(HTTPClientError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headers.reduce(url.text.utf8.count + body.count + 256) { $0 + $1.value.utf8.count + 64 })
        bytes.append(contentsOf: method == .get ? "GET ".utf8 : "POST ".utf8)
        appendTarget(to: &bytes)
        bytes.append(contentsOf: " HTTP/1.1\r\nHost: ".utf8)
        bytes.append(contentsOf: url.server.utf8.dropLast(Self.defaultPort(url)))
        bytes.append(contentsOf: "\r\nAccept-Encoding: gzip, deflate\r\n".utf8)
        if !has("accept") { bytes.append(contentsOf: "Accept: */*\r\n".utf8) }
        for (name, value) in headers { try Self.append(name: name, value: value, to: &bytes) }
        if method == .post {
            if !has("content-type") {
                bytes.append(contentsOf: "Content-Type: application/x-www-form-urlencoded\r\n".utf8)
            }
            bytes.append(contentsOf: "Content-Length: \(body.count)\r\n\r\n".utf8)
            bytes.append(contentsOf: body)
        } else {
            bytes.append(contentsOf: "\r\n".utf8)
        }
        return bytes
    }

    /// Path and query as they are in the URL; an empty path is `/` (RFC 9112 §3.2.1).
    private func appendTarget(to bytes: inout [UInt8]) {
        let authority = url.text.utf8.dropFirst(url.scheme.utf8.count + "://".utf8.count)
        let target = authority.drop { $0 != .slash && $0 != .questionMark }
        if target.first != .slash { bytes.append(.slash) }
        bytes.append(contentsOf: target)
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
        headers.contains { $0.name.utf8.span.equalsIgnoringCase(0..<$0.name.utf8.count, name) }
    }

    private static func append(name: String, value: String, to bytes: inout [UInt8]) throws(HTTPClientError) {
        // RFC 9110 §5.5: a value with a line end or a NUL would end the field and begin another.
        guard !name.isEmpty, name.utf8.allSatisfy(\.isToken), isFieldValue(value.utf8.span) else {
            throw .malformedResponse
        }
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: value.isEmpty ? ":".utf8 : ": ".utf8)
        bytes.append(contentsOf: value.utf8)
        bytes.append(contentsOf: "\r\n".utf8)
    }

    private static func isFieldValue(_ value: Span<UInt8>) -> Bool {
        // Looked at whole, so that the compiler takes many bytes at a time.
        var found: UInt8 = 0
        for index in 0..<value.count {
            let byte = value[index]
            found |= byte < 0x20 && byte != .tab || byte == 0x7F ? 1 : 0
        }
        return found == 0
    }
}

import Syntax

/// What a request is about (RFC 9112 §3.2), as places in the head.
struct RequestTarget: Sendable {
    /// Empty when an absolute-form target has no path; that stands for `/`.
    let path: Range<Int>
    /// Without the question mark.
    let query: Range<Int>?
    /// Of an absolute-form target: it replaces the Host field (RFC 9112 §3.2.2).
    let authority: Range<Int>?

    init(_ bytes: Span<UInt8>, _ range: Range<Int>, _ method: HTTPMethod) throws(ProtocolError) {
        var start = range.lowerBound
        if bytes[start] == .slash {
            authority = nil
        } else if bytes[start] == .asterisk, range.count == 1, method == .options {
            (path, query, authority) = (range, nil, nil)
            return
        } else {
            let host = try Self.authority(bytes, range)
            (authority, start) = (host, host.upperBound)
        }
        let pathEnd = try Self.end(bytes, start..<range.upperBound, stopsAtQuery: true)
        path = start..<pathEnd
        if pathEnd < range.upperBound {
            query = pathEnd + 1..<range.upperBound
            _ = try Self.end(bytes, pathEnd + 1..<range.upperBound, stopsAtQuery: false)
        } else {
            query = nil
        }
    }

    /// Finds the authority of an absolute-form target, `http://authority/path`.
    private static func authority(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(ProtocolError) -> Range<Int> {
        var start: Int?
        for scheme in ["http://", "https://"] where range.count > scheme.utf8.count {
            let end = range.lowerBound + scheme.utf8.count
            if bytes.equalsIgnoringCase(range.lowerBound..<end, scheme) { start = end }
        }
        guard let start else {
            throw .malformed("The request target is neither in origin-form nor an http or https address.")
        }
        var end = start
        while end < range.upperBound, bytes[end] != .slash, bytes[end] != .questionMark { end += 1 }
        guard isAuthority(bytes, start..<end) else {
            throw .malformed("The authority of the request target is not valid.")
        }
        return start..<end
    }

    /// Where a path or a query ends: before the query, or at the end of the target. Nothing that RFC 3986 does not
    /// allow may come before.
    private static func end(
        _ bytes: Span<UInt8>, _ range: Range<Int>, stopsAtQuery: Bool
    ) throws(ProtocolError) -> Int {
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            if byte.isPathCharacter || byte == .slash {
                index += 1
            } else if byte == .percent, bytes.isPercentEncoded(at: index, before: range.upperBound) {
                // Nothing has a control character in its path, and many a reader behind one ends there.
                guard !stopsAtQuery || !isControl(bytes, index) else {
                    throw .malformed("The path of the request target has an encoded control character.")
                }
                index += 3
            } else if byte == .questionMark {
                if stopsAtQuery { break }
                index += 1
            } else {
                throw .malformed("The request target has a character that is not allowed there.")
            }
        }
        return index
    }

    /// Whether the percent-encoding that begins at `index` is that of a character which ends a text or a line for some
    /// readers: NUL, the two of a line's end, and DEL. What comes of any other control character is for the operation
    /// to say.
    private static func isControl(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        switch (bytes[index + 1], bytes[index + 2].lowercasedASCII) {
        case (UInt8(ascii: "0"), UInt8(ascii: "0")), (UInt8(ascii: "0"), UInt8(ascii: "a")),
            (UInt8(ascii: "0"), UInt8(ascii: "d")), (UInt8(ascii: "7"), UInt8(ascii: "f")):
            true
        default: false
        }
    }
}

extension RequestTarget {
    /// Whether it is a host and maybe a port (RFC 9110 §7.2): the authority of an absolute-form target, or the value of
    /// the Host field that stands for it. An empty host is none, since no http address has one (RFC 9110 §4.2.1), nor
    /// is user information before a host.
    static func isAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard let first = range.first else { return false }
        let hostEnd =
            bytes[first] == UInt8(ascii: "[") ? endOfAddress(bytes, range) : endOfName(bytes, range)
        guard let hostEnd else { return false }
        if hostEnd == range.upperBound { return true }
        return bytes[hostEnd] == .colon && isPort(bytes, hostEnd + 1..<range.upperBound)
    }

    /// The end of an IPv6 address in brackets.
    private static func endOfAddress(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var colons = 0
        for index in range.dropFirst() {
            let byte = bytes[index]
            if byte == UInt8(ascii: "]") {
                return colons >= 2 && index - range.lowerBound <= 46 ? index + 1 : nil
            }
            if byte == .colon { colons += 1 }
            guard byte.hexadecimalValue != nil || byte == .colon || byte == UInt8(ascii: ".") else { return nil }
        }
        return nil
    }

    /// The end of a registered name or an IPv4 address.
    private static func endOfName(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound, bytes[index] != .colon {
            if bytes[index].isNameCharacter {
                index += 1
            } else if bytes.isPercentEncoded(at: index, before: range.upperBound) {
                index += 3
            } else {
                return nil
            }
        }
        return index > range.lowerBound ? index : nil
    }

    private static func isPort(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var port = 0
        for index in range {
            guard bytes[index].isDigit else { return false }
            port = port * 10 + Int(bytes[index] & 0x0F)
            guard port <= 65_535 else { return false }
        }
        return true
    }
}

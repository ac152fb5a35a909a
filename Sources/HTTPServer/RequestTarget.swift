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
        guard HostField.isValid(bytes, start..<end) else {
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
}

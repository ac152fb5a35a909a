internal import Syntax

/// The first line of a request (RFC 9112 §3), its parts as places in the head.
struct RequestLine: Sendable {
    let method: HTTPMethod
    let target: RequestTarget
    /// Whether the client speaks HTTP/1.0; a later minor version is treated as 1.1 (RFC 9110 §2.5).
    let isVersion10: Bool

    /// What a request line has beside its target: the longest method, two spaces, the version, CRLF, and room for an
    /// unknown method to be told from garbage.
    static let bytesBesideTarget = 32

    /// Reads the line in `range`, which is without its CRLF.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>, targetLimit: Int) throws(ProtocolError) {
        guard
            let methodEnd = bytes.firstIndex(of: .space, in: range),
            bytes.extracting(range.lowerBound..<methodEnd).isToken,
            let targetEnd = bytes.firstIndex(of: .space, in: methodEnd + 1..<range.upperBound),
            targetEnd > methodEnd + 1
        else { throw .malformed("The request line is not a method, a target and a version with one space between.") }
        guard targetEnd - methodEnd - 1 <= targetLimit else { throw .targetTooLong }
        isVersion10 = try Self.isVersion10(bytes, targetEnd + 1..<range.upperBound)
        guard let method = Self.method(bytes, range.lowerBound..<methodEnd) else { throw .methodNotImplemented }
        self.method = method
        target = try RequestTarget(bytes, methodEnd + 1..<targetEnd, method)
    }

    /// What is wrong with a line that has grown past every allowed length, judged by its beginning alone, so that the
    /// answer does not depend on how much of it has arrived.
    static func violation(ofOverlong bytes: Span<UInt8>, _ range: Range<Int>) -> ProtocolError {
        guard
            let methodEnd = bytes.firstIndex(of: .space, in: range),
            bytes.extracting(range.lowerBound..<methodEnd).isToken,
            bytes.firstIndex(of: .space, in: methodEnd + 1..<range.upperBound) == nil
        else { return .malformed("The request line is too long.") }
        return .targetTooLong
    }

    private static func isVersion10(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(ProtocolError) -> Bool {
        let start = range.lowerBound
        guard
            range.count == 8, bytes.equals(start..<start + 5, "HTTP/"), bytes[start + 5].isDigit,
            bytes[start + 6] == UInt8(ascii: "."), bytes[start + 7].isDigit
        else { throw .malformed("The HTTP version is not well-formed.") }
        guard bytes[start + 5] == UInt8(ascii: "1") else { throw .versionNotSupported }
        return bytes[start + 7] == UInt8(ascii: "0")
    }

    /// Method names are case-sensitive (RFC 9110 §9.1).
    private static func method(_ bytes: Span<UInt8>, _ range: Range<Int>) -> HTTPMethod? {
        for method in [HTTPMethod].known where bytes.equals(range, method.rawValue) { return method }
        return nil
    }
}

extension [HTTPMethod] {
    /// The most frequent first.
    fileprivate static let known: [HTTPMethod] = [.get, .post, .head, .delete, .patch, .options, .put]
}

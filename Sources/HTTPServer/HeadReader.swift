internal import Syntax

/// Reads a request's head line by line, as far as it has arrived.
///
/// What it says does not depend on where the bytes were split: a line is judged when it is whole, or when it has grown
/// past what is allowed.
struct HeadReader: Sendable {
    /// RFC 9112 §2.2: a client may send an empty line too many after a body. No more than this.
    private static let emptyLinesAllowed = 2

    private var lineStart = 0
    private var scanned = 0
    private var emptyLines = 0
    private(set) var line: RequestLine?
    private(set) var fields: [RequestHead.Field] = []

    /// Whether something other than empty lines has come.
    func hasBegun(_ count: Int) -> Bool { line != nil || count > lineStart }

    mutating func replaceValue(of index: Int, with value: Range<Int>) {
        fields[index] = RequestHead.Field(name: fields[index].name, value: value)
    }

    /// Looks at what has arrived so far, always from the same start.
    ///
    /// - Returns: how long the head is, once it is whole.
    mutating func read(_ bytes: Span<UInt8>, _ limits: ConnectionLimits) throws(ProtocolError) -> Int? {
        while true {
            if line == nil, lineStart < bytes.count { try checkBeginning(bytes) }
            guard let lineFeed = bytes.firstIndex(of: .lineFeed, in: scanned..<bytes.count) else {
                try checkLength(bytes, bytes.count, limits)
                scanned = bytes.count
                return nil
            }
            try checkLength(bytes, lineFeed + 1, limits)
            // RFC 9112 §2.2 lets a server take LF alone for a line's end; one before us may not, so we refuse.
            guard lineFeed > lineStart, bytes[lineFeed - 1] == .carriageReturn else {
                throw .malformed("A line does not end with CR and LF.")
            }
            let text = lineStart..<lineFeed - 1
            (lineStart, scanned) = (lineFeed + 1, lineFeed + 1)
            if line == nil {
                try readFirst(bytes, text, limits)
            } else if text.isEmpty {
                return lineStart
            } else {
                try readField(bytes, text, limits)
            }
        }
    }

    private mutating func readFirst(
        _ bytes: Span<UInt8>, _ text: Range<Int>, _ limits: ConnectionLimits
    ) throws(ProtocolError) {
        if text.isEmpty {
            emptyLines += 1
            guard emptyLines <= Self.emptyLinesAllowed else { throw .malformed("Empty lines precede the request.") }
        } else {
            line = try RequestLine(bytes, text, targetLimit: limits.requestTargetBytes)
        }
    }

    private mutating func readField(
        _ bytes: Span<UInt8>, _ text: Range<Int>, _ limits: ConnectionLimits
    ) throws(ProtocolError) {
        guard fields.count < limits.headerFields else { throw .headTooLarge }
        if fields.isEmpty { fields.reserveCapacity(12) }
        fields.append(try RequestHead.Field(bytes, line: text))
    }

    /// Garbage, such as the beginning of a TLS handshake, is told by its first byte.
    private func checkBeginning(_ bytes: Span<UInt8>) throws(ProtocolError) {
        let first = bytes[lineStart]
        if first == .carriageReturn {
            guard lineStart + 1 >= bytes.count || bytes[lineStart + 1] == .lineFeed else {
                throw .malformed("A line does not end with CR and LF.")
            }
        } else if !first.isToken {
            throw .malformed("What was sent does not begin as an HTTP request.")
        }
    }

    /// - Parameter end: where the line that is being read ends, or how far it has come.
    private func checkLength(
        _ bytes: Span<UInt8>, _ end: Int, _ limits: ConnectionLimits
    ) throws(ProtocolError) {
        if line == nil {
            let lineLimit = lineStart + limits.requestTargetBytes + RequestLine.bytesBesideTarget
            if lineLimit <= limits.headerBytes, end > lineLimit {
                throw RequestLine.violation(ofOverlong: bytes, lineStart..<lineLimit)
            }
        }
        if end > limits.headerBytes { throw .headTooLarge }
    }
}

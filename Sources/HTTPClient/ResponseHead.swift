internal import Syntax

/// Collects the fields of an answer from the lines of its head, within bounds.
///
/// Interim answers (1xx) come first and are forgotten. Trailers come last and are not kept: they must not pass for
/// fields of the head (RFC 9110 §6.5.1).
struct ResponseHead {
    private enum Phase { case beforeStatusLine, fields, body }

    private let maximumBytes: Int
    private let maximumFields: Int
    private var bytes = 0
    private var phase = Phase.beforeStatusLine
    private(set) var fields = HeaderFields()

    init(limits: HTTPClientLimits) {
        maximumBytes = limits.headerBytes
        maximumFields = limits.headerFields
    }

    /// Gets ready for the next answer.
    mutating func reset() {
        bytes = 0
        phase = .beforeStatusLine
        // Not `removeAll`: the answer that was made of the fields shares their memory.
        fields = HeaderFields()
    }

    /// Takes one line, its end included.
    ///
    /// - Throws: `responseTooLarge`, or `malformedResponse` for what is neither `name: value` nor a folded line.
    mutating func receive(_ line: Span<UInt8>) throws(HTTPClientError) {
        bytes += line.count
        guard bytes <= maximumBytes else { throw .responseTooLarge }
        var end = line.count
        if end > 0, line[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > 0, line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        if phase != .fields {
            guard Self.isStatusLine(line) else { return }
            fields.removeAll()
            phase = .fields
        } else if end == 0 {
            phase = .body
        } else {
            try receiveField(line.extracting(..<end))
        }
    }

    private mutating func receiveField(_ line: Span<UInt8>) throws(HTTPClientError) {
        if line[0].isBlank {
            guard fields.extendLast(line.extracting(Self.trimmed(line, from: 0))) else { throw .malformedResponse }
            return
        }
        var colon = 0
        while colon < line.count, line[colon].isToken { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else { throw .malformedResponse }
        guard fields.count < maximumFields else { throw .responseTooLarge }
        fields.append(
            name: line.extracting(..<colon), value: line.extracting(Self.trimmed(line, from: colon + 1)))
        // RFC 9112 §6.3: whoever reads the other length takes part of the body for the next answer.
        guard !fields.lastDisagrees(named: "content-length") else { throw .malformedResponse }
    }

    private static func isStatusLine(_ line: Span<UInt8>) -> Bool {
        line.count > 5 && line[0] == UInt8(ascii: "H") && line[1] == UInt8(ascii: "T") && line[2] == UInt8(ascii: "T")
            && line[3] == UInt8(ascii: "P") && line[4] == UInt8(ascii: "/")
    }

    /// Where the text between leading and trailing blanks lies, from `start` on.
    private static func trimmed(_ line: Span<UInt8>, from start: Int) -> Range<Int> {
        var (start, end) = (start, line.count)
        while start < end, line[start].isBlank { start += 1 }
        while end > start, line[end - 1].isBlank { end -= 1 }
        return start..<end
    }
}

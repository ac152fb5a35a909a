internal import Syntax

/// Collects the fields of an answer from the lines of its head, within bounds.
struct ResponseHead {
    private let maximumFields: Int
    /// How many bytes of heads, trailers and the like may still come.
    private(set) var bytesLeft: Int
    private(set) var fields = HeaderFields()

    init(limits: HTTPClientLimits) {
        bytesLeft = limits.headerBytes
        maximumFields = limits.headerFields
    }

    /// Counts bytes that have come.
    mutating func count(_ bytes: Int) { bytesLeft -= bytes }

    /// Forgets an interim answer. What it has taken of the bytes stays taken.
    mutating func forgetFields() { fields.removeAll() }

    /// Takes one line that is not empty, without its end.
    ///
    /// - Throws: `responseTooLarge`, or `malformedResponse` for what is neither `name: value` nor a folded line, or
    ///   holds a control character (RFC 9110 §5.5).
    mutating func receiveField(_ line: Span<UInt8>) throws(HTTPClientError) {
        guard line.isFieldContent else { throw .malformedResponse }
        if line[0].isBlank {
            guard fields.extendLast(line.extracting(line.trimmingBlanks(0..<line.count))) else {
                throw .malformedResponse
            }
            return
        }
        var colon = 0
        while colon < line.count, line[colon].isToken { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == .colon else { throw .malformedResponse }
        guard fields.count < maximumFields else { throw .responseTooLarge }
        fields.append(
            name: line.extracting(..<colon), value: line.extracting(line.trimmingBlanks(colon + 1..<line.count)))
        // RFC 9112 §6.3: whoever reads the other length takes part of the body for the next answer.
        guard !fields.lastDisagrees(named: "content-length") else { throw .malformedResponse }
    }
}

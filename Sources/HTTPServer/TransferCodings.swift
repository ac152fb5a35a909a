internal import Syntax

/// What Transfer-Encoding fields name (RFC 9112 §6.1). The one that can be read is `chunked`, alone.
struct TransferCodings {
    private var chunked = 0
    private var unknown = 0
    private var isChunkedLast = false
    private var isMalformed = false

    /// Takes up one field, after those before it.
    init(_ bytes: Span<UInt8>, _ value: Range<Int>, after earlier: TransferCodings?) {
        if let earlier { self = earlier }
        bytes.forEachListElement(value) { element in
            isChunkedLast = bytes.equalsIgnoringCase(element, "chunked")
            if isChunkedLast {
                chunked += 1
            } else if element.isEmpty || bytes.equalsIgnoringCase(Self.name(bytes, element), "chunked") {
                isMalformed = true
            } else {
                unknown += 1
            }
        }
    }

    func check() throws(ProtocolError) {
        guard !isMalformed else { throw .malformed("Transfer-Encoding is not well-formed.") }
        // RFC 9112 §6.3: a request whose last coding is not chunked has no end that can be found.
        guard chunked <= 1, chunked == 0 || isChunkedLast else {
            throw .malformed("Transfer-Encoding names chunked twice, or not last.")
        }
        guard unknown == 0 else { throw .transferCodingNotImplemented }
    }

    /// An element without its parameters.
    private static func name(_ bytes: Span<UInt8>, _ element: Range<Int>) -> Range<Int> {
        let end = bytes.firstIndex(of: .semicolon, in: element) ?? element.upperBound
        return bytes.trimmingBlanks(element.lowerBound..<end)
    }
}

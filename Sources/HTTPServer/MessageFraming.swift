import Syntax

/// What the fields of a request say about where it ends and what becomes of the connection (RFC 9112 §6, §9.3).
struct MessageFraming: Sendable {
    enum Body: Sendable, Equatable {
        case none
        /// As many bytes.
        case length(Int)
        case chunked
    }

    let body: Body
    let keepsAlive: Bool
    /// Whether the client waits for an interim answer before it sends the body (RFC 9110 §10.1.1).
    let expectsContinue: Bool
    /// The Host field's place among the fields.
    let host: Int?

    init(
        _ line: RequestLine, _ fields: [RequestHead.Field], _ bytes: Span<UInt8>, bodyLimit: Int
    ) throws(ProtocolError) {
        var (host, length): (Int?, Int?) = (nil, nil)
        var (close, keepAlive, expectsContinue, hasType) = (false, false, false, false)
        var codings: TransferCodings?
        for (index, field) in fields.enumerated() {
            let name = field.name
            // The lengths tell most fields apart without comparing a letter.
            switch name.count {
            case 4 where bytes.equalsIgnoringCase(name, "host"):
                guard host == nil else { throw .malformed("The Host field is repeated.") }
                guard RequestTarget.isAuthority(bytes, field.value) else {
                    throw .malformed("The Host field is not valid.")
                }
                host = index
            case 6 where bytes.equalsIgnoringCase(name, "expect"):
                guard bytes.equalsIgnoringCase(field.value, "100-continue") else { throw .expectationFailed }
                expectsContinue = true
            case 10 where bytes.equalsIgnoringCase(name, "connection"):
                bytes.forEachListElement(field.value) { element in
                    if bytes.equalsIgnoringCase(element, "close") { close = true }
                    if bytes.equalsIgnoringCase(element, "keep-alive") { keepAlive = true }
                }
            case 12 where bytes.equalsIgnoringCase(name, "content-type"):
                // RFC 9110 §5.3: it is no list, and of two types each reader may take another.
                guard !hasType else { throw .malformed("The Content-Type field is repeated.") }
                hasType = true
            case 14 where bytes.equalsIgnoringCase(name, "content-length"):
                guard length == nil else { throw .malformed("The Content-Length field is repeated.") }
                length = try Self.length(bytes, field.value)
            case 17 where bytes.equalsIgnoringCase(name, "transfer-encoding"):
                codings = TransferCodings(bytes, field.value, after: codings)
            // Gateways of old read these names as if they had hyphens.
            case 14 where bytes.equalsIgnoringCase(name, "content_length"),
                17 where bytes.equalsIgnoringCase(name, "transfer_encoding"):
                throw .malformed("A field about the length has an underscore in its name.")
            default: break
            }
        }
        guard host != nil || line.isVersion10 else { throw .malformed("The Host field is missing.") }
        self.host = host
        self.expectsContinue = expectsContinue && !line.isVersion10
        keepsAlive = line.isVersion10 ? keepAlive && !close : !close
        body = try Self.body(line, length, codings, limit: bodyLimit)
    }

    private static func body(
        _ line: RequestLine, _ length: Int?, _ codings: TransferCodings?, limit: Int
    ) throws(ProtocolError) -> Body {
        if let codings {
            // RFC 9112 §6.1 and §6.3: both together is how requests are smuggled; 1.0 knows no transfer coding.
            guard length == nil else { throw .malformed("Both Content-Length and Transfer-Encoding are given.") }
            guard !line.isVersion10 else { throw .malformed("Transfer-Encoding is given in HTTP/1.0.") }
            try codings.check()
            return .chunked
        }
        // RFC 9112 §6.3: a request that says nothing of a body has none, whatever its method.
        guard let length else { return .none }
        guard length <= limit else { throw .bodyTooLarge }
        return length == 0 ? .none : .length(length)
    }

    /// RFC 9110 §8.6: digits and nothing else; one number, not a list of equal ones. Without zeros before it, since
    /// some take such a number for an octal one, and nobody writes it.
    private static func length(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(ProtocolError) -> Int {
        var length = 0
        for index in range {
            let byte = bytes[index]
            let (product, overflow) = length.multipliedReportingOverflow(by: 10)
            let (sum, more) = product.addingReportingOverflow(Int(byte & 0x0F))
            guard byte.isDigit, !overflow, !more else { throw .malformed("Content-Length is not a valid length.") }
            length = sum
        }
        guard !range.isEmpty, range.count == 1 || bytes[range.lowerBound] != UInt8(ascii: "0") else {
            throw .malformed("Content-Length is not a valid length.")
        }
        return length
    }
}

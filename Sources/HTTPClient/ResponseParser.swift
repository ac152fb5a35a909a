internal import Syntax
internal import System

/// Reads one answer (RFC 9112 §2 to §7) from a connection's bytes as they come, within bounds.
///
/// It is a value that knows neither sockets nor clocks. Interim answers (1xx) are skipped. Whatever leaves room for
/// another reading is refused, for a proxy on the way may have read it the other way.
struct ResponseParser {
    enum Progress: Equatable {
        case unfinished
        /// - Parameter keepsConnection: whether the next request may go out on the same connection.
        case finished(keepsConnection: Bool)
    }

    private enum Phase: Equatable {
        case statusLine, fields
        case body(left: Int), bodyUntilEnd
        case chunkSize, chunk(left: Int), chunkEnd, trailers
        case finished
    }

    /// The longest line with a chunk's size, extensions included.
    private static let chunkSizeLineBytes = 256

    private let maximumFields: Int
    private let maximumBodyBytes: Int
    private var phase = Phase.statusLine
    /// How many bytes of heads, trailers and the like may still come.
    private var headBytesLeft: Int
    private var fields = HeaderFields()
    /// A line whose end has not come.
    private var line: [UInt8] = []
    private var status = 0
    private var keepsConnection = false
    private var body: [UInt8] = []
    /// Whether any of the answer has come.
    private(set) var hasBegun = false

    /// - Parameter maximumBodyBytes: the longest body, as sent and again when it is decompressed.
    init(limits: HTTPClientLimits, maximumBodyBytes: Int) {
        self.maximumBodyBytes = max(1, maximumBodyBytes)
        maximumFields = limits.headerFields
        headBytesLeft = limits.headerBytes
    }

    /// Takes what has come.
    ///
    /// - Throws: `malformedResponse` or `responseTooLarge`.
    mutating func receive(_ bytes: Span<UInt8>) throws(HTTPClientError) -> Progress {
        hasBegun = true
        var position = 0
        while position < bytes.count {
            switch phase {
            case .body(let left):
                let part = bytes.extracting(position..<min(bytes.count, position + left))
                try append(part)
                position += part.count
                phase = part.count == left ? .finished : .body(left: left - part.count)
            case .chunk(let left):
                let part = bytes.extracting(position..<min(bytes.count, position + left))
                try append(part)
                position += part.count
                phase = part.count == left ? .chunkEnd : .chunk(left: left - part.count)
            case .bodyUntilEnd:
                try append(bytes.extracting(position...))
                position = bytes.count
            case .statusLine, .fields, .chunkSize, .chunkEnd, .trailers:
                position = try receiveLine(bytes, from: position)
            // Nobody has asked for more.
            case .finished: return .finished(keepsConnection: false)
            }
        }
        return phase == .finished ? .finished(keepsConnection: keepsConnection) : .unfinished
    }

    /// Hears that no more comes.
    ///
    /// - Throws: `connectionBroken` unless the end of the connection is that of the body (RFC 9112 §6.3 rule 8).
    func endOfStream() throws(HTTPClientError) {
        guard phase == .bodyUntilEnd else { throw .connectionBroken(requestSent: true) }
    }

    /// The answer that was read, decompressed.
    ///
    /// - Throws: `malformedResponse` or `responseTooLarge`.
    func response() throws(HTTPClientError) -> OutboundResponse {
        guard !body.isEmpty, let coding = fields.first("content-encoding")?.lowercased(), coding != "identity"
        else {
            return OutboundResponse(status: status, fields: fields, body: body)
        }
        guard ["gzip", "x-gzip", "deflate"].contains(coding) else { throw .malformedResponse }
        let inflated = try Inflater.inflate(body, atMost: maximumBodyBytes)
        return OutboundResponse(status: status, fields: fields, body: inflated)
    }

    private mutating func append(_ part: Span<UInt8>) throws(HTTPClientError) {
        guard part.count <= maximumBodyBytes - body.count else { throw .responseTooLarge }
        body.append(addingCapacity: part.count) { $0.append(part) }
    }

    /// - Returns: where the next line begins.
    private mutating func receiveLine(_ bytes: Span<UInt8>, from start: Int) throws(HTTPClientError) -> Int {
        let end = bytes.firstIndex(of: .lineFeed, in: start..<bytes.count)
        let part = bytes.extracting(start..<(end.map { $0 + 1 } ?? bytes.count))
        // An endless line is refused while it comes.
        guard line.count + part.count <= lineLimit else {
            throw phase == .chunkSize || phase == .chunkEnd ? .malformedResponse : .responseTooLarge
        }
        if end == nil {
            line.append(addingCapacity: part.count) { $0.append(part) }
        } else if line.isEmpty {
            try take(part)
        } else {
            line.append(addingCapacity: part.count) { $0.append(part) }
            let whole = line
            line = []
            try take(whole.span)
        }
        return start + part.count
    }

    private var lineLimit: Int {
        switch phase {
        case .chunkSize: Self.chunkSizeLineBytes
        case .chunkEnd: 2
        default: headBytesLeft
        }
    }

    /// - Parameter line: a whole one, its end included.
    private mutating func take(_ line: Span<UInt8>) throws(HTTPClientError) {
        var end = line.count - 1
        if end > 0, line[end - 1] == .carriageReturn { end -= 1 }
        let text = line.extracting(..<end)
        switch phase {
        case .chunkSize: try takeChunkSize(text)
        case .chunkEnd:
            guard text.isEmpty else { throw .malformedResponse }
            phase = .chunkSize
        case .statusLine:
            headBytesLeft -= line.count
            try takeStatusLine(text)
        case .fields:
            headBytesLeft -= line.count
            if text.isEmpty { try finishHead() } else { try fields.append(line: text, limit: maximumFields) }
        default:
            // Trailers are counted and dropped: they must not pass for fields of the head (RFC 9110 §6.5.1).
            headBytesLeft -= line.count
            if text.isEmpty { phase = .finished }
        }
    }

    /// `HTTP/1.x`, a blank, three digits, and whatever reason behind another blank (RFC 9112 §4).
    private mutating func takeStatusLine(_ line: Span<UInt8>) throws(HTTPClientError) {
        guard line.count >= 12, line.equals(0..<7, "HTTP/1."), line[7].isDigit, line[8] == .space,
            line.count == 12 || line[12] == .space
        else { throw .malformedResponse }
        var status = 0
        for index in 9..<12 {
            guard line[index].isDigit else { throw .malformedResponse }
            status = status * 10 + Int(line[index] - UInt8(ascii: "0"))
        }
        // Nobody has asked for another protocol.
        guard status >= 100, status != 101 else { throw .malformedResponse }
        self.status = status
        keepsConnection = line[7] != UInt8(ascii: "0")
        phase = .fields
    }

    /// Finds out how long the body is (RFC 9112 §6.3), and whether the connection goes on (§9.3).
    private mutating func finishHead() throws(HTTPClientError) {
        if status < 200 {
            fields.removeAll()
            phase = .statusLine
            return
        }
        if fields.has("connection", token: "close") {
            keepsConnection = false
        } else if fields.has("connection", token: "keep-alive") {
            keepsConnection = true
        }
        let length = fields.first("content-length")
        if status == 204 || status == 304 {
            phase = .finished
        } else if let coding = fields.first("transfer-encoding") {
            // Two lengths: a reader that goes by the other one takes part of this for the next answer.
            if length != nil { keepsConnection = false }
            guard coding.lowercased() == "chunked", !fields.hasAnother("transfer-encoding") else {
                throw .malformedResponse
            }
            phase = .chunkSize
        } else if let length {
            let count = try Self.length(length)
            guard count <= maximumBodyBytes else { throw .responseTooLarge }
            phase = count == 0 ? .finished : .body(left: count)
        } else {
            keepsConnection = false
            phase = .bodyUntilEnd
        }
    }

    private static func length(_ text: String) throws(HTTPClientError) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { throw .malformedResponse }
        // Only one that no integer holds is left.
        guard let count = Int(text) else { throw .responseTooLarge }
        return count
    }

    private mutating func takeChunkSize(_ line: Span<UInt8>) throws(HTTPClientError) {
        var (index, size) = (0, 0)
        while index < line.count, let digit = line[index].hexadecimalValue {
            guard size <= Int.max >> 4 else { throw .responseTooLarge }
            size = size << 4 | Int(digit)
            index += 1
        }
        guard index > 0, index == line.count || line[index] == .semicolon || line[index].isBlank else {
            throw .malformedResponse
        }
        // Extensions are counted with the head, or a body of small chunks could bring any number of them.
        headBytesLeft -= line.count - index
        guard size <= maximumBodyBytes - body.count, headBytesLeft >= 0 else { throw .responseTooLarge }
        phase = size == 0 ? .trailers : .chunk(left: size)
    }
}

/// A request as the parser hands it on.
struct ParsedRequest: Sendable {
    let method: HTTPMethod
    let path: String
    let query: String?
    let head: RequestHead
    let body: [UInt8]
    let isVersion10: Bool
    let keepsAlive: Bool
}

/// Makes requests of the bytes of one connection, in whatever pieces they arrive. It knows neither sockets nor clocks.
///
/// While it has nothing it holds no memory of its own. After it has thrown it is not asked again.
struct RequestParser: Sendable {
    enum Stage: Sendable { case idle, head, body }

    private struct Pending {
        let line: RequestLine
        let head: RequestHead
        let keepsAlive: Bool
        var left: Int
        var chunks: ChunkedDecoder?
        var body: [UInt8] = []
    }

    private var buffer: [UInt8] = []
    /// Where the bytes begin that belong to nothing yet.
    private var position = 0
    private var reader = HeadReader()
    private var pending: Pending?
    /// Whether the client of the pending request waits for `100 Continue`.
    private(set) var awaitsContinue = false

    /// Bytes that have arrived and are in no request yet.
    var bufferedBytes: Int { buffer.count - position }

    /// What part of a request has arrived; the rest is awaited.
    var stage: Stage {
        pending != nil ? .body : reader.hasBegun(bufferedBytes) ? .head : .idle
    }

    mutating func append(_ bytes: ArraySlice<UInt8>) {
        if buffer.isEmpty {
            buffer = Array(bytes)
        } else {
            buffer.append(contentsOf: bytes)
        }
    }

    /// Notes that `100 Continue` has been sent.
    mutating func acknowledgeContinue() { awaitsContinue = false }

    /// The next request, when all of it has arrived.
    mutating func next(_ limits: ConnectionLimits) throws(ProtocolError) -> ParsedRequest? {
        if pending == nil, let request = try readHead(limits) { return request }
        guard pending != nil else { return nil }
        return try readBody(limits)
    }

    /// - Returns: the request, when it has no body. One that has is `pending` then.
    private mutating func readHead(_ limits: ConnectionLimits) throws(ProtocolError) -> ParsedRequest? {
        // Taken out while it reads, since the bytes it reads are borrowed from the same parser.
        var reader = HeadReader()
        swap(&reader, &self.reader)
        guard let head = try Self.readHead(buffer.span.extracting(position..<buffer.count), &reader, limits) else {
            self.reader = reader
            return nil
        }
        let (line, framing) = (head.line, head.framing)
        let whole = RequestHead(bytes: takeHead(head.length), fields: reader.fields)
        let left: Int
        switch framing.body {
        case .none: return Self.request(line, whole, [], framing.keepsAlive)
        case .length(let length): left = length
        case .chunked: left = 0
        }
        pending = Pending(
            line: line, head: whole, keepsAlive: framing.keepsAlive, left: left,
            chunks: framing.body == .chunked ? ChunkedDecoder() : nil)
        awaitsContinue = framing.expectsContinue
        return nil
    }

    private static func readHead(
        _ bytes: Span<UInt8>, _ reader: inout HeadReader, _ limits: ConnectionLimits
    ) throws(ProtocolError) -> (length: Int, line: RequestLine, framing: MessageFraming)? {
        guard let length = try reader.read(bytes, limits), let line = reader.line else { return nil }
        let framing = try MessageFraming(line, reader.fields, bytes, bodyLimit: limits.bodyBytes)
        if let authority = line.target.authority, let host = framing.host {
            reader.replaceValue(of: host, with: authority)
        }
        return (length, line, framing)
    }

    private mutating func readBody(_ limits: ConnectionLimits) throws(ProtocolError) -> ParsedRequest? {
        guard var pending else { return nil }
        // Taken out while it grows, so that its body is never copied.
        self.pending = nil
        if bufferedBytes > 0 { awaitsContinue = false }
        let finished: Bool
        if var chunks = pending.chunks {
            position = try chunks.read(buffer, from: position, into: &pending.body, limits)
            pending.chunks = chunks
            finished = chunks.isFinished
        } else {
            let count = min(pending.left, bufferedBytes)
            pending.body.append(contentsOf: buffer[position..<position + count])
            position += count
            pending.left -= count
            finished = pending.left == 0
        }
        dropConsumed()
        guard finished else {
            self.pending = pending
            return nil
        }
        awaitsContinue = false
        return Self.request(pending.line, pending.head, pending.body, pending.keepsAlive)
    }

    /// Takes the head out of the buffer: the buffer itself when it holds nothing else, which is the everyday case.
    private mutating func takeHead(_ length: Int) -> [UInt8] {
        if position == 0, length == buffer.count {
            defer { buffer = [] }
            return buffer
        }
        defer {
            position += length
            dropConsumed()
        }
        return Array(buffer[position..<position + length])
    }

    private mutating func dropConsumed() {
        if position == buffer.count {
            (buffer, position) = ([], 0)
        } else if position > buffer.count / 2 {
            buffer.removeFirst(position)
            position = 0
        }
    }

    private static func request(
        _ line: RequestLine, _ head: RequestHead, _ body: [UInt8], _ keepsAlive: Bool
    ) -> ParsedRequest {
        ParsedRequest(
            method: line.method, path: line.target.path.isEmpty ? "/" : head.text(line.target.path),
            query: line.target.query.map(head.text), head: head, body: body, isVersion10: line.isVersion10,
            keepsAlive: keepsAlive)
    }
}

internal import Syntax

/// Undoes the chunked transfer coding (RFC 9112 §7.1) as the bytes arrive. Extensions and
/// trailer fields are checked and dropped.
struct ChunkedDecoder: Sendable {
    private enum Phase { case size, data(left: Int), dataEnd, trailers, finished }

    /// The longest chunk line without extensions: 16 digits, CRLF, and one byte to see that there are too many.
    private static let sizeLineBytes = 19

    /// Fields about where a message ends, whom it is for, who sends it and how it is read (RFC 9110 §6.5.1): after the
    /// body they are too late, and a server that passes them on as header fields changes what the request says.
    private static let noTrailers = [
        "content-length", "transfer-encoding", "host", "authorization", "client-authorization", "x-api-key", "cookie",
        "content-type", "content-encoding", "expect", "connection",
    ]

    private var phase = Phase.size
    /// How much of an unfinished line has been searched for its end.
    private var scanned = 0
    private var extensionBytes = 0
    private var trailerBytes = 0
    private var trailerFields = 0

    var isFinished: Bool {
        if case .finished = phase { true } else { false }
    }

    /// Decodes what has arrived in `buffer` from `start` on.
    ///
    /// - Returns: where it stopped; an unfinished line is left to be seen again with its rest.
    mutating func read(
        _ buffer: [UInt8], from start: Int, into body: inout [UInt8], _ limits: ConnectionLimits
    ) throws(ProtocolError) -> Int {
        let bytes = buffer.span
        var position = start
        while position < bytes.count {
            switch phase {
            case .size:
                let limit = Self.sizeLineBytes + limits.headerBytes - extensionBytes
                guard let line = try line(bytes, position, limit, .malformed("Chunk extensions are too long."))
                else { return position }
                position = line.upperBound + 2
                let size = try readSize(bytes, line)
                guard size <= limits.bodyBytes - body.count else { throw .bodyTooLarge }
                phase = size == 0 ? .trailers : .data(left: size)
            case .data(let left):
                let count = min(left, bytes.count - position)
                body.append(contentsOf: buffer[position..<position + count])
                position += count
                phase = count == left ? .dataEnd : .data(left: left - count)
            case .dataEnd:
                guard bytes[position] == .carriageReturn else { throw .malformed("A chunk is longer than its size.") }
                guard position + 1 < bytes.count else { return position }
                guard bytes[position + 1] == .lineFeed else { throw .malformed("A chunk is longer than its size.") }
                position += 2
                phase = .size
            case .trailers:
                let limit = limits.headerBytes - trailerBytes
                guard let line = try line(bytes, position, limit, .headTooLarge) else { return position }
                position = line.upperBound + 2
                try readTrailer(bytes, line, limits)
            case .finished: return position
            }
        }
        return position
    }

    /// The line that begins at `start`, without its CRLF; nil when its end has not arrived.
    private mutating func line(
        _ bytes: Span<UInt8>, _ start: Int, _ limit: Int, _ tooLong: ProtocolError
    ) throws(ProtocolError) -> Range<Int>? {
        let lineFeed = bytes.firstIndex(of: .lineFeed, in: start + scanned..<bytes.count)
        guard (lineFeed.map { $0 + 1 } ?? bytes.count) - start <= limit else { throw tooLong }
        guard let lineFeed else {
            scanned = bytes.count - start
            return nil
        }
        scanned = 0
        guard lineFeed > start, bytes[lineFeed - 1] == .carriageReturn else {
            throw .malformed("A line of the chunked body does not end with CR and LF.")
        }
        return start..<lineFeed - 1
    }

    private mutating func readSize(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(ProtocolError) -> Int {
        var (index, size) = (line.lowerBound, 0)
        while index < line.upperBound, let digit = bytes[index].hexadecimalValue {
            guard size <= Int.max >> 4 else { throw .malformed("A chunk size is too large.") }
            size = size << 4 | Int(digit)
            index += 1
        }
        guard
            index > line.lowerBound, index - line.lowerBound <= 16,
            index == line.upperBound || bytes[index] == .semicolon || bytes[index].isBlank
        else { throw .malformed("A chunk size is not a hexadecimal number.") }
        extensionBytes += line.upperBound - index
        guard ChunkExtensions.areWellFormed(bytes, index..<line.upperBound) else {
            throw .malformed("What follows a chunk size is no chunk extension.")
        }
        return size
    }

    private mutating func readTrailer(
        _ bytes: Span<UInt8>, _ line: Range<Int>, _ limits: ConnectionLimits
    ) throws(ProtocolError) {
        if line.isEmpty {
            phase = .finished
            return
        }
        trailerBytes += line.count + 2
        trailerFields += 1
        guard trailerFields <= limits.headerFields else { throw .headTooLarge }
        let name = try RequestHead.Field(bytes, line: line).name
        for forbidden in Self.noTrailers where bytes.equalsIgnoringCase(name, forbidden) {
            throw .malformed("The trailer section has a field that only a header section may have.")
        }
    }
}

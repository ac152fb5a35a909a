public import JSON

/// Why a request of a test has no answer.
public enum HTTPTestError: Error, Equatable {
    case noConnection
    case reset
    case timeout
    /// The connection ended before anything came.
    case endWithoutAnswer
    /// What came, up to its thousandth byte, is no answer of HTTP/1.1, or not the whole of one.
    case noAnswer(String)
}

/// An answer as a client has it, whether it asked over a socket or in memory.
public struct HTTPTestAnswer: Sendable {
    public let status: Int
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]
    /// Whether the answer may be sent compressed; nil where it came over a socket, which does not tell.
    public let isCompressible: Bool?

    public init(
        status: Int, headers: [(name: String, value: String)], body: [UInt8], isCompressible: Bool? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isCompressible = isCompressible
    }

    /// - Parameter name: in any case.
    public func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// The cookies that a browser has after this answer, as it sends them along; nil where it has none. One is known
    /// by its name, and goes when its time is over.
    ///
    /// - Parameter kept: those before it.
    public func cookies(after kept: String?) -> String? {
        var pairs = kept.map { $0.split(separator: "; ").map(String.init) } ?? []
        for (name, set) in headers where name.lowercased() == "set-cookie" {
            let pair = String(set.prefix { $0 != ";" })
            pairs.removeAll { $0.hasPrefix(pair.prefix { $0 != "=" } + "=") }
            if !set.contains("Max-Age=0") { pairs.append(pair) }
        }
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The body read as JSON; null where it is none.
    public var json: JSONValue { (try? JSONValue(parsing: body.span)) ?? .null }

    /// A member of a JSON object.
    public subscript(name: String) -> JSONValue? { json[name] }

    /// The code of an error, as OAuth answers it.
    public var error: String? { self["error"]?.string }

    public var announcedLength: Int? { header("Content-Length").flatMap { Int($0) } }

    /// Cut short, an answer acknowledges nothing.
    public var isWhole: Bool { announcedLength.map { $0 == body.count } ?? true }
}

extension HTTPTestAnswer {
    /// Reads an answer whose body ends with the bytes.
    ///
    /// - Throws: ``HTTPTestError/endWithoutAnswer`` without a byte,
    ///   ``HTTPTestError/noAnswer(_:)`` without a whole head.
    init(_ bytes: [UInt8]) throws(HTTPTestError) {
        guard !bytes.isEmpty else { throw .endWithoutAnswer }
        guard let end = Self.endOfHead(in: bytes) else { throw .noAnswer(beginning: bytes) }
        try self.init(head: bytes[..<end], body: Array(bytes[end...]))
    }

    /// - Parameter head: with the empty line at its end.
    init(head: ArraySlice<UInt8>, body: [UInt8]) throws(HTTPTestError) {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
            throw .noAnswer(beginning: head)
        }
        let headers = lines.dropFirst().map { line in
            let halves = line.split(separator: ":", maxSplits: 1)
            return (name: String(halves[0]), value: String(halves.last?.drop { $0 == " " } ?? ""))
        }
        self.init(status: status, headers: headers, body: body)
    }

    static func endOfHead(in bytes: [UInt8]) -> Int? { bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound }
}

extension HTTPTestError {
    static func noAnswer(beginning bytes: some Sequence<UInt8>) -> HTTPTestError {
        .noAnswer(String(decoding: Array(bytes.prefix(1000)), as: UTF8.self))
    }
}

internal import Syntax
internal import System

/// What an answer owes to the request and the connection it belongs to.
struct ResponseContext: Sendable {
    let requestID: String
    /// HEAD: the answer to GET without its body.
    let dropsBody: Bool
    let isVersion10: Bool
    var acceptsGzip: Bool
    var closes: Bool
}

/// Writes answers as they go over the wire (RFC 9112 §4, §6).
enum ResponseWriter {
    /// A body up to this length is copied behind its head, since that costs less than describing it to the system.
    static let maximumCopiedBody = 2048

    /// Appends the head of one answer to `output`, and a short body.
    ///
    /// - Parameters:
    ///   - gzip: the compressed body, where that is what the client gets.
    ///   - date: the Date field's line.
    ///   - commonFields: the lines of the fields that every answer has unless it says otherwise.
    ///   - transportFields: the lines of those that every answer has.
    /// - Returns: the body to be sent behind `output`; empty when there is none or it is in there.
    static func write(
        _ response: HTTPResponse, _ context: ResponseContext, gzip: [UInt8]?, date: [UInt8], commonFields: [UInt8],
        transportFields: [UInt8], into output: inout [UInt8]
    ) -> [UInt8] {
        writeStatusLine(response.status, into: &output)
        for (name, value) in response.headers { writeField(name, value, into: &output) }
        if response.hasCommonFields { output.append(contentsOf: commonFields) }
        output.append(contentsOf: transportFields)
        output.append(contentsOf: date)
        output.append(contentsOf: "X-Request-ID: ".utf8)
        output.append(contentsOf: context.requestID.utf8)
        output.append(contentsOf: "\r\n".utf8)
        let body = gzip ?? response.body
        if !response.status.forbidsBody {
            output.append(contentsOf: "Content-Length: ".utf8)
            output.append(decimal: Int64(body.count))
            output.append(contentsOf: "\r\n".utf8)
        }
        if gzip != nil { output.append(contentsOf: "Content-Encoding: gzip\r\n".utf8) }
        if response.suitsGzip { output.append(contentsOf: "Vary: Accept-Encoding\r\n".utf8) }
        if context.closes {
            output.append(contentsOf: "Connection: close\r\n".utf8)
        } else if context.isVersion10 {
            output.append(contentsOf: "Connection: keep-alive\r\n".utf8)
        }
        output.append(contentsOf: "\r\n".utf8)
        if context.dropsBody || response.status.forbidsBody { return [] }
        if body.count > maximumCopiedBody { return body }
        output.append(contentsOf: body)
        return []
    }

    private static func writeStatusLine(_ status: HTTPStatus, into output: inout [UInt8]) {
        if status == .ok {
            output.append(contentsOf: "HTTP/1.1 200 OK\r\n".utf8)
        } else {
            output.append(contentsOf: "HTTP/1.1 ".utf8)
            output.append(decimal: Int64(status.code))
            output.append(.space)
            output.append(contentsOf: status.reasonPhrase.utf8)
            output.append(contentsOf: "\r\n".utf8)
        }
    }

    /// A field of the application's. Nothing in it can end the line or the head; what is the connection's to say, and
    /// what is no name, is left out.
    static func writeField(_ name: String, _ value: String, into output: inout [UInt8]) {
        guard name.utf8.span.isToken, !isConnections(name) else { return }
        output.append(contentsOf: name.utf8)
        output.append(contentsOf: ": ".utf8)
        let start = output.count
        output.append(contentsOf: value.utf8)
        // The bytes are looked at where they came from: looking at them here would ask about the array for each.
        if !value.utf8.span.isFieldContent {
            for index in start..<output.count where !output[index].isFieldContent { output[index] = .space }
        }
        output.append(contentsOf: "\r\n".utf8)
    }

    private static func isConnections(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: name.equalsIgnoringCase("Date")
        case 10: name.equalsIgnoringCase("Connection")
        case 14: name.equalsIgnoringCase("Content-Length")
        case 17: name.equalsIgnoringCase("Transfer-Encoding")
        default: false
        }
    }
}

extension HTTPStatus {
    /// Whether an answer with this status never has a body (RFC 9110 §6.4.1).
    fileprivate var forbidsBody: Bool { code == 204 || code == 304 || code < 200 }
}

/// What of an answer the client has still to take: of the head a copy, since it was rendered into a buffer that others
/// use, and the body itself, which other answers may share.
struct UnsentAnswer {
    private(set) var head: [UInt8] = []
    private(set) var body: [UInt8] = []
    /// How many bytes of both have been taken.
    var offset = 0

    init() {}

    /// - Parameter sent: how many bytes of both were taken at the first try. When that was all, nothing is kept.
    init(head: [UInt8], body: [UInt8], sent: Int) {
        guard sent < head.count + body.count else { return }
        if sent < head.count { self.head = Array(head[sent...]) }
        self.body = body
        offset = max(0, sent - head.count)
    }

    var isEmpty: Bool { offset == head.count + body.count }
}

internal import System

/// One request and what has come of its answer, until the caller that waits for it is told.
final class Exchange {
    typealias Outcome = Result<OutboundResponse, HTTPClientError>

    let id: UInt64
    let request: OutboundRequest
    let deadline: MonotonicTime
    /// The request's bytes; they hold secrets, and go with the exchange.
    let message: [UInt8]
    /// How many of them the connection has taken.
    var sentBytes = 0
    var parser: ResponseParser
    /// Where it stands among the pool's exchanges.
    var position = 0
    /// How often it had a connection to go out on.
    var timesSent = 0
    /// The connection that it is on, or that is opened for it.
    var connection: OutboundConnection?
    /// Whether the waiting caller has been told.
    private(set) var isOver = false
    private let continuation: CheckedContinuation<Outcome, Never>

    /// - Throws: `malformedResponse` for a header field that would not be one field; then nobody was told.
    init(
        _ request: OutboundRequest, id: UInt64, limits: HTTPClientLimits,
        _ continuation: CheckedContinuation<Outcome, Never>
    ) throws(HTTPClientError) {
        (self.id, self.request, self.continuation) = (id, request, continuation)
        message = try request.content.message()
        deadline = .now + request.timeout
        parser = ResponseParser(limits: limits, maximumBodyBytes: request.content.policy.maximumBodyBytes)
    }

    /// Whether all of the request is on its way.
    var isSent: Bool { sentBytes == message.count }

    /// Whether any byte of the request can have left.
    var mayHaveBeenSent: Bool { timesSent > 0 }

    /// Whether it may go out once more where an idle connection turned out dead. The server may have acted on it
    /// nevertheless, and a code counts once: so only a GET (RFC 9110 §9.2.2), of whose answer nothing has come.
    var isRepeatable: Bool { request.content.method == .get && !parser.hasBegun }

    /// Whether its connection has not taken a byte of it, nor given one: what nobody can have acted on goes out again
    /// whatever it is (RFC 9110 §9.2.2). One byte taken is enough to make that unknown, since a server that closes
    /// acknowledges late or never what it has read.
    var isUnsent: Bool { sentBytes == 0 && !parser.hasBegun }

    /// Gets ready to be sent.
    func begin(on connection: OutboundConnection) {
        self.connection = connection
        sentBytes = 0
        timesSent += 1
    }

    /// What came of it when the parser has all of the answer.
    func outcome() -> Outcome {
        do throws(HTTPClientError) {
            return .success(try parser.response())
        } catch {
            return .failure(error)
        }
    }

    func finish(_ outcome: Outcome) {
        isOver = true
        continuation.resume(returning: outcome)
    }
}

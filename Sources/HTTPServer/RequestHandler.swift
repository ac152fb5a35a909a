public import EventLoop

/// What answers requests. One handler serves one loop and runs on it, so it must not block.
public protocol RequestHandler: Sendable {
    /// Fields that every answer has, unless it says otherwise (``HTTPResponse/hasCommonFields``).
    var commonFields: [(name: String, value: String)] { get }

    /// Answers a request. Its task is cancelled when the client is gone.
    func respond(to request: HTTPRequest) async -> HTTPResponse

    /// The answer to a request that was refused before there was one. The connection closes after it.
    func refuse(_ violation: ProtocolViolation, requestID: String, peer: SocketAddress) -> HTTPResponse
}

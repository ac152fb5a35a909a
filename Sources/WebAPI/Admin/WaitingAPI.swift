internal import Accounts
public import EventLoop
public import HTTPServer
internal import SignIn

/// What the listener for operators answers while the store is not there yet: the process lives, and is not ready.
public struct WaitingAPI: RequestHandler {
    public let commonFields = WebAPI.browserRules
    public let transportFields: [(name: String, value: String)] = []

    public init() {}

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        if request.method == .get, ["/healthz", "/livez"].contains(request.path) { return .healthy }
        return ErrorAnswer(.storageUnavailable(.cannotConnect(.unreachable))).response(requestID: request.id)
    }

    public func refuse(_ violation: ProtocolError, requestID: String, peer: SocketAddress) -> HTTPResponse {
        ErrorAnswer(violation: violation).response(requestID: requestID)
    }
}

public import EventLoop
public import HTTPServer
internal import SignIn

/// `GET /livez`: 200 while every loop takes up work within a second. Nothing else counts: a process that waits for its
/// store, or for a provider, is not helped by being started anew.
struct LivenessEndpoint: Sendable {
    let pulse: LoopPulse

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        guard await pulse.areAlive() else { throw .overloaded }
        return .healthy
    }
}

/// `GET /startupz`: 200 once the store is open, its schema is this version's and the keys are loaded; who answers here
/// has got so far.
struct StartupEndpoint: Sendable {
    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse { .healthy }
}

/// The probes and nothing else, for a listener that need not be kept from anybody.
public struct ProbesAPI: RequestHandler {
    public let commonFields = WebAPI.browserRules
    public let transportFields: [(name: String, value: String)] = []
    private let everybody: WebAPI

    init(_ everybody: WebAPI) {
        self.everybody = everybody
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse { await everybody.respond(to: request) }

    public func refuse(_ violation: ProtocolError, requestID: String, peer: SocketAddress) -> HTTPResponse {
        everybody.refuse(violation, requestID: requestID, peer: peer)
    }
}

internal import EventLoop
internal import HTTPServer

/// Finds the endpoint for each request on one port and loop.
struct SimulationHandler: RequestHandler {
    /// Pages have their own, and to a server a carrier's answers need none.
    let commonFields: [(name: String, value: String)] = []
    let transportFields: [(name: String, value: String)] = []
    private let router: Router

    init(_ routes: [Route]) {
        router = Router(routes)
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        switch router.match(request.method, request.path) {
        case .found(let route, let parameters):
            var request = request
            request.parameters = parameters
            return await route.endpoint(request)
        case .methodNotAllowed(let allow):
            var response = OAuthError(
                "invalid_request", "The method is not allowed here.", status: .methodNotAllowed
            ).response
            response.headers.append(("Allow", allow.map(\.rawValue).joined(separator: ", ")))
            return response
        case .notFound:
            return OAuthError("invalid_request", "There is nothing here.", status: .notFound).response
        }
    }

    func refuse(_ violation: ProtocolError, requestID: String, peer: SocketAddress) -> HTTPResponse {
        OAuthError("invalid_request", "The request is no proper HTTP.", status: violation.status).response
    }
}

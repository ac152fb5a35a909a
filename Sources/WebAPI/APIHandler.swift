internal import HTTPServer
internal import SignIn

/// What every API of this service does with a request beside its endpoints: it finds the route, refuses what has none,
/// and writes that down.
struct APIHandler: Sendable {
    /// No browser may guess the type of an answer, frame it, or send its address on.
    static let commonFields = [
        (name: "X-Content-Type-Options", value: "nosniff"),
        (name: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'"),
        (name: "Referrer-Policy", value: "no-referrer"),
    ]

    let router: Router
    let listeners: RequestListeners
    let log: RequestLog

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        switch router.match(request.method, request.path) {
        case .found(let route, let parameters):
            var request = request
            request.parameters = parameters
            return await route.endpoint(request)
        case .methodNotAllowed(let allow): return refuse(.methodNotAllowed(allow: allow.map(\.rawValue)), request)
        case .notFound: return refuse(.unknownPath, request)
        }
    }

    func refuse(_ error: ServiceError, _ request: HTTPRequest) -> HTTPResponse {
        let response = ErrorAnswer(error).response(requestID: request.id)
        listeners.tell(request, "none", response, error, nil)
        return response
    }

    func refuse(_ violation: ProtocolError, requestID: String) -> HTTPResponse {
        let answer = ErrorAnswer(violation: violation)
        log.write(violation, answer.status, requestID: requestID)
        return answer.response(requestID: requestID)
    }
}

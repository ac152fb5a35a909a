public import Accounts
public import EventLoop
public import HTTPServer
public import Logging
public import Providers
public import SignIn

/// The HTTP API for operators, on a listener of its own. What it tells of identities never has a subject in it.
public struct AdminAPI: RequestHandler {
    private let router: Router
    private let token: AdminToken
    private let log: RequestLog

    /// - Parameters:
    ///   - readiness: shared with whoever stops the server.
    ///   - providers: all configured ones.
    public init(
        repository: any AccountRepository, readiness: ServiceReadiness, providers: [Provider], token: AdminToken,
        clock: Clock, logger: Logger
    ) {
        let log = RequestLog(logger: logger)
        self.log = log
        self.token = token
        router = Router(
            AdminRoutes(
                log: log, store: AdminStore(repository: repository, clock: clock), readiness: readiness,
                providers: providers
            ).all)
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        // Who has no token learns nothing, not even which paths there are.
        guard request.path == AdminRoutes.openPath || token.admit(request) else {
            return refuse(.invalidAdminToken, request)
        }
        switch router.match(request.method, request.path) {
        case .found(let route, let parameters):
            var request = request
            request.parameters = parameters
            return await route.endpoint(request)
        case .methodNotAllowed(let allow): return refuse(.methodNotAllowed(allow: allow), request)
        case .notFound: return refuse(.notFound, request)
        }
    }

    public func refuse(_ violation: ProtocolViolation, requestID: String, peer: SocketAddress) -> HTTPResponse {
        let answer = ErrorAnswer(.violation(violation))
        log.write(violation, answer.status, requestID: requestID)
        return answer.response(requestID: requestID)
    }

    private func refuse(_ error: APIError, _ request: HTTPRequest) -> HTTPResponse {
        let response = ErrorAnswer(error).response(requestID: request.id)
        log.write(request, route: "none", response, RequestNotes())
        return response
    }

    public let commonFields = [
        (name: "X-Content-Type-Options", value: "nosniff"),
        (name: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'"),
        (name: "Referrer-Policy", value: "no-referrer"),
    ]
}

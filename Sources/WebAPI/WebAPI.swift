public import EventLoop
public import HTTPServer
public import Logging
public import SignIn

/// The HTTP API of one loop: finds the route, asks the endpoint, tells errors, writes the log.
public struct WebAPI: RequestHandler {
    private let router: Router
    private let log: RequestLog

    /// - Parameters:
    ///   - useCases: with the HTTP client of this loop.
    ///   - limiter: how often one client may try; shared by all loops.
    ///   - clientAddress: whom a request comes from, behind proxies too.
    ///   - documentation: what the service says of itself; shared by all loops.
    public init(
        providers: ProviderDirectory, useCases: UseCases, apiKeys: APIKeys, limiter: AddressLimiter,
        clientAddress: ClientAddress, documentation: Documentation, logger: Logger
    ) {
        let log = RequestLog(logger: logger)
        self.log = log
        router = Router(
            Routes(
                log: log, apiKeys: apiKeys, useCases: useCases,
                code: CodeParameters(providers: providers, limiter: limiter, clientAddress: clientAddress),
                documentation: documentation
            ).all)
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
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

    /// Answers are for apps: no browser may guess their type, frame them, or send their address on.
    public let commonFields = [
        (name: "X-Content-Type-Options", value: "nosniff"),
        (name: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'"),
        (name: "Referrer-Policy", value: "no-referrer"),
    ]
}

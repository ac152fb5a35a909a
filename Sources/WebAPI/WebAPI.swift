public import EventLoop
public import HTTPServer
public import Logging
public import SignIn

/// The HTTP API of one loop: finds the route, asks the endpoint, tells errors, writes the log.
public struct WebAPI: RequestHandler {
    public let commonFields = Dispatch.commonFields
    private let dispatch: Dispatch

    /// - Parameters:
    ///   - useCases: with the HTTP client of this loop.
    ///   - limits: how often one client may try; shared by all loops.
    ///   - documentation: what the service says of itself; shared by all loops.
    ///   - failedSignIns: counts those; shared by all loops.
    public init(
        providers: ProviderDirectory, useCases: UseCases, apiKeys: APIKeys, limits: AddressLimits,
        documentation: Documentation, failedSignIns: FailedSignInCounter, logger: Logger
    ) {
        let log = RequestLog(logger: logger)
        let routes = Routes(
            log: log, apiKeys: apiKeys, useCases: useCases,
            code: CodeParameters(providers: providers, limits: limits), limits: limits,
            documentation: documentation, failedSignIns: failedSignIns)
        dispatch = Dispatch(router: Router(routes.all), log: log)
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse { await dispatch.respond(to: request) }

    public func refuse(_ violation: ProtocolViolation, requestID: String, peer: SocketAddress) -> HTTPResponse {
        dispatch.refuse(violation, requestID: requestID)
    }
}

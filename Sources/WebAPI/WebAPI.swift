public import EventLoop
public import HTTPServer
public import Logging
public import SignIn

/// The HTTP API of one loop: finds the route, asks the endpoint, tells errors, writes the log.
public struct WebAPI: RequestHandler {
    public let commonFields = APIHandler.commonFields
    private let handler: APIHandler

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
        let services = APIServices(
            useCases: useCases, code: CodeParameters(providers: providers, limits: limits), limits: limits,
            documentation: documentation)
        let routes = Operations.all.map { operation in
            operation.route(services, log) { path, handler in
                AppEndpoint(
                    path: path, handler: handler, log: log, apiKeys: apiKeys, clientAddress: limits.clientAddress,
                    failedSignIns: failedSignIns
                ).respond
            }
        }
        handler = APIHandler(router: Router(routes), log: log)
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse { await handler.respond(to: request) }

    public func refuse(_ violation: ProtocolError, requestID: String, peer: SocketAddress) -> HTTPResponse {
        handler.refuse(violation, requestID: requestID)
    }
}

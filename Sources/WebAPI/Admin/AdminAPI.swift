public import Accounts
public import EventLoop
public import HTTPServer
public import Logging
public import Providers
public import SignIn

/// The HTTP API for operators, on a listener of its own. What it tells of identities never has a subject in it.
public struct AdminAPI: RequestHandler {
    public let commonFields = Dispatch.commonFields
    private let dispatch: Dispatch
    private let token: AdminToken

    /// - Parameters:
    ///   - readiness: shared with whoever stops the server.
    ///   - providers: all configured ones.
    public init(
        repository: any AccountRepository, readiness: ServiceReadiness, providers: [Provider], token: AdminToken,
        clock: Clock, logger: Logger
    ) {
        let log = RequestLog(logger: logger)
        self.token = token
        let routes = AdminRoutes(
            log: log, store: AdminStore(repository: repository, clock: clock), readiness: readiness,
            providers: providers)
        dispatch = Dispatch(router: Router(routes.all), log: log)
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        // Who has no token learns nothing, not even which paths there are.
        guard request.path == AdminRoutes.openPath || token.admit(request) else {
            return dispatch.refuse(.invalidAdminToken, request)
        }
        return await dispatch.respond(to: request)
    }

    public func refuse(_ violation: ProtocolViolation, requestID: String, peer: SocketAddress) -> HTTPResponse {
        dispatch.refuse(violation, requestID: requestID)
    }
}

public import Accounts
public import EventLoop
public import HTTPServer
public import Logging
public import Providers
public import SignIn
public import Telemetry

/// The HTTP API for operators, on a listener of its own. What it tells of identities never has a subject in it.
public struct AdminAPI: RequestHandler {
    public let commonFields = APIHandler.commonFields
    private let operators: APIHandler
    private let everybody: APIHandler
    private let openPaths: Set<String>
    private let token: AdminToken
    private let limits: AddressLimits

    /// - Parameters:
    ///   - readiness: shared with whoever stops the server.
    ///   - providers: all configured ones.
    ///   - limits: how often one client may get the token wrong.
    ///   - version: this build's, for the documentation.
    ///   - wings: what wings bring, for the documentation.
    ///   - observers: hear of each request.
    public init(
        repository: any AccountRepository, readiness: ServiceReadiness, providers: [Provider], token: AdminToken,
        limits: AddressLimits, version: String, wings: APIExtensions, observers: Observers, clock: Clock,
        logger: Logger
    ) {
        let log = RequestLog(logger: logger)
        let listeners = RequestListeners(all: [log])
        self.token = token
        self.limits = limits
        let store = AdminStore(repository: repository, clock: clock)
        let documentation = AdminDocument.files(version: version, wings: wings)
        func handler(for operations: [Operation<AdminServices>], servesOperators: Bool) -> APIHandler {
            let services = AdminServices(
                store: store, readiness: readiness, providers: ProviderDirectory(providers),
                servesOperators: servesOperators,
                documentation: documentation)
            let routes = operations.map { operation in
                let shell = Shell(
                    route: operation.path, endpoint: operation.endpoint(services),
                    clientAddress: limits.clientAddress, observers: observers, listeners: listeners)
                return Route(operation.method, operation.path, shell.respond)
            }
            return APIHandler(router: Router(routes), listeners: listeners, log: log)
        }
        let open = AdminOperations.all.filter { $0.access == .probe }
        openPaths = Set(open.map(\.path))
        operators = handler(for: AdminOperations.all, servesOperators: true)
        everybody = handler(for: open, servesOperators: false)
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        do throws(ServiceError) {
            if try token.isOperator(request, limits) { return await operators.respond(to: request) }
        } catch {
            return operators.refuse(error, request)
        }
        // Who has no token learns nothing else, not even which paths there are.
        guard openPaths.contains(request.path) else {
            return operators.refuse(.invalidAdminToken, request)
        }
        return await everybody.respond(to: request)
    }

    public func refuse(_ violation: ProtocolError, requestID: String, peer: SocketAddress) -> HTTPResponse {
        operators.refuse(violation, requestID: requestID)
    }
}

public import Accounts
public import Apps
public import EventLoop
public import HTTPServer
public import Logging
public import Providers
internal import SignIn
public import System
public import Telemetry

/// The HTTP API for operators, on a listener of its own. What it tells of identities never has a subject in it.
public struct AdminAPI: RequestHandler {
    public let commonFields = WebAPI.browserRules
    public let transportFields: [(name: String, value: String)] = []
    private let operators: WebAPI
    private let everybody: WebAPI
    private let openPaths: Set<String>
    private let admission: OperatorAdmission

    /// - Parameters:
    ///   - readiness: shared with what stops the server.
    ///   - pulse: of the loops that answer apps.
    ///   - providers: all configured ones.
    ///   - operatorsAdmitted: who is let in.
    ///   - demandsReasons: whether looks at a person take a reason.
    ///   - limits: how often one client may get a token wrong.
    ///   - version: this build's, for the documentation.
    ///   - wings: what wings bring, for the documentation.
    ///   - observers: hear of each request.
    ///   - metrics: what scrapers are told.
    public init(
        repository: any AccountRepository, readiness: ServiceReadiness, pulse: LoopPulse, providers: [Provider],
        apps: AppRegistry,
        operators operatorsAdmitted: Operators, demandsReasons: Bool, limits: AddressLimits, version: String,
        wings: APIExtensions, observers: Observers, metrics: MetricRegistry, clock: Clock,
        logger: Logger
    ) {
        let log = RequestLog(logger: logger)
        let refusals = RefusalCounts()
        metrics.add(refusals)
        let listeners = RequestListeners(
            failedSignIns: nil, verdicts: ProviderVerdicts([]), signIns: nil, refusals: refusals, log: log)
        let admission = OperatorAdmission(
            operators: operatorsAdmitted, limits: limits, clock: clock, demandsReasons: demandsReasons)
        self.admission = admission
        let store = AdminStore(repository: repository, clock: clock)
        let documentation = AdminDocument.files(version: version, wings: wings)
        let unrouted = RouteCounts(route: "none", method: "_OTHER")
        var counts = [unrouted]
        func api(of operations: [Operation<AdminServices>], servesOperators: Bool) -> WebAPI {
            let services = AdminServices(
                store: store, readiness: readiness, pulse: pulse, providers: ProviderRegistry(providers), apps: apps,
                servesOperators: servesOperators,
                documentation: documentation, admission: admission, metrics: metrics)
            let routes = operations.map { operation in
                let ofRoute = RouteCounts(route: operation.path, method: operation.method.rawValue)
                counts.append(ofRoute)
                return Shell(
                    route: operation.path, endpoint: operation.endpoint(services),
                    clientAddress: limits.clientAddress, observers: observers, listeners: listeners, counts: ofRoute
                ).answers(operation.method, operation.path)
            }
            return WebAPI(
                Router(routes), listeners: listeners, unrouted: unrouted, crossOrigin: nil, hstsSeconds: nil)
        }
        let open = AdminOperations.all.filter { $0.access == .probe }
        openPaths = Set(open.map(\.path))
        operators = api(of: AdminOperations.all, servesOperators: true)
        everybody = api(of: open, servesOperators: false)
        metrics.add(RequestCounts(counts))
    }

    /// What everybody may ask of it, for a listener of its own.
    public var probes: ProbesAPI { ProbesAPI(everybody) }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        do throws(ServiceError) {
            if let person = try admission.admit(request) {
                // Who may read nothing is told what everybody is told of the rest.
                let isProbe = openPaths.contains(request.path) && !OperatorAct.read.isOpen(to: person.roles)
                return await (isProbe ? everybody : operators).respond(to: request)
            }
        } catch {
            return operators.refuse(error, request, from: network(of: request))
        }
        // Who has no token learns nothing else, not even which paths there are.
        guard openPaths.contains(request.path) else {
            return operators.refuse(.invalidAdminToken, request, from: network(of: request))
        }
        return await everybody.respond(to: request)
    }

    private func network(of request: HTTPRequest) -> ClientNetwork {
        admission.limits.clientAddress.network(of: request)
    }

    public func refuse(_ violation: ProtocolError, requestID: String, peer: SocketAddress) -> HTTPResponse {
        operators.refuse(violation, requestID: requestID, peer: peer)
    }
}

public import Apps
public import EventLoop
public import HTTPServer
public import Logging
public import Pages
internal import Providers
public import SignIn
public import Telemetry

/// An HTTP API of one loop: finds the route, refuses what has none, and has the shell of the endpoint answer the rest.
public struct WebAPI: RequestHandler {
    /// No browser may guess the type of an answer, frame it, or send its address on.
    static let browserRules = [
        (name: "X-Content-Type-Options", value: "nosniff"),
        (name: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'"),
        (name: "Referrer-Policy", value: "no-referrer"),
    ]

    public let commonFields = Self.browserRules
    public let transportFields: [(name: String, value: String)]
    private let router: Router
    private let listeners: RequestListeners
    /// Of what has no route.
    private let unrouted: RouteCounts
    /// Nil where no other origin's script may call.
    private let crossOrigin: CrossOrigin?

    /// - Parameter hstsSeconds: for how long a browser that has come by https comes by nothing else (RFC 6797 §6.1.1);
    ///   nil says nothing of it.
    init(
        _ router: Router, listeners: RequestListeners, unrouted: RouteCounts, crossOrigin: CrossOrigin?,
        hstsSeconds: Int?
    ) {
        (self.router, self.unrouted) = (router, unrouted)
        transportFields = hstsSeconds.map { [(name: "Strict-Transport-Security", value: "max-age=\($0)")] } ?? []
        (self.listeners, self.crossOrigin) = (listeners, crossOrigin)
    }

    /// The API for apps, browsers and providers.
    ///
    /// - Parameters:
    ///   - useCases: with the HTTP client of this loop.
    ///   - apps: our own apps, and who asks what tokens are good for.
    ///   - branding: whose pages people see.
    ///   - associationFiles: what phones fetch; shared by all loops.
    ///   - limits: how often one client may try; shared by all loops.
    ///   - documentation: what the service says of itself; shared by all loops.
    ///   - wings: what wings bring.
    ///   - hstsSeconds: for how long a browser that has come by https comes by nothing else (RFC 6797 §6.1.1); nil
    ///     where this service is not reached by https.
    ///   - failedSignIns: counts those; shared by all loops.
    ///   - metrics: where what is counted here is read.
    public init(
        providers: ProviderRegistry, useCases: UseCases, apps: AppRegistry, branding: Branding,
        associationFiles: AssociationFiles, apiKeys: APIKeys, limits: AddressLimits, documentation: Documentation,
        wings: APIExtensions, hstsSeconds: Int?, failedSignIns: FailedSignInCounter,
        metrics: MetricRegistry, logger: Logger
    ) {
        let signIns = SignInCounts(providers.all.map(\.configuration.name))
        let refusals = RefusalCounts()
        metrics.add(signIns)
        metrics.add(refusals)
        let log = RequestLog(logger: logger)
        let present = wings.present(at: providers).all
        let listeners = RequestListeners(
            failedSignIns: failedSignIns, verdicts: ProviderVerdicts(providers.all), signIns: signIns,
            refusals: refusals, log: log)
        let admission = Admission(
            apiKeys: apiKeys, apps: apps, sessions: useCases.sessions, providers: providers, limits: limits)
        let services = APIServices(
            useCases: useCases, code: CodeParameters(providers: providers, limits: limits), limits: limits, apps: apps,
            pages: BrowserPages(branding: branding, canBeTakenBack: present.contains(where: \.takesConsentBack)),
            metadata: IssuerMetadata(
                issuer: useCases.browser.issuer, hasIntrospectors: apps.hasIntrospectors,
                exchangesTokens: providers.exchangesTokens),
            associationFiles: associationFiles, documentation: documentation, admission: admission, log: log,
            registration: present.lazy.compactMap(\.registration).first)
        let unrouted = RouteCounts(route: "none", method: "_OTHER")
        var counts = [unrouted]
        func route(_ method: HTTPMethod, _ path: String, as name: String, _ endpoint: Endpoint) -> Route {
            let ofRoute = RouteCounts(route: name, method: method.rawValue)
            counts.append(ofRoute)
            return Shell(
                route: name, endpoint: endpoint, clientAddress: limits.clientAddress,
                observers: useCases.parts.observers, listeners: listeners, counts: ofRoute
            ).answers(method, path)
        }
        let routes = Operations.all(with: APIExtensions(present)).flatMap { operation in
            ([operation.path] + operation.otherPaths).map {
                route(operation.method, $0, as: operation.path, operation.endpoint(services))
            }
        }
        let ofWings = present.flatMap(\.metadataPaths)
        let ofPath = (IssuerMetadata.paths(of: useCases.browser.issuer) + ofWings).map {
            route(.get, $0, as: IssuerMetadata.paths[0], .open(services.metadata.answer))
        }
        let landings = apps.landings(at: useCases.browser.issuer)
        let ofApps = landings.map {
            route(.get, $0.path, as: $0.path, .page(LandingEndpoint(landing: $0, pages: services.pages).respond))
        }
        metrics.add(RequestCounts(counts))
        // First, since an app may have claimed `/`, where there is a page of ours otherwise.
        self.init(
            Router(ofApps + routes + ofPath), listeners: listeners, unrouted: unrouted,
            crossOrigin: CrossOrigin(
                apps: apps, landings: landings.map(\.path), operations: Operations.all(with: wings)),
            hstsSeconds: hstsSeconds)
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        // A browser names the origin of every script that calls another's.
        let origin = request.header("origin")
        if let origin, let answer = crossOrigin?.preflight(request, from: origin) { return answer }
        var response: HTTPResponse
        switch router.match(request.method, request.path) {
        // A request is not copied for the sake of parameters that its route has not.
        case .found(let route, PathParameters()): response = await route.endpoint(request)
        case .found(let route, let parameters):
            var request = request
            request.parameters = parameters
            response = await route.endpoint(request)
        case .methodNotAllowed(let allow): response = tell(allow + [.options], request)
        case .notFound: response = refuse(.unknownPath, request)
        }
        if let origin, let fields = crossOrigin?.fields(for: request, from: origin) { response.headers += fields }
        return response
    }

    /// Tells what a path answers to: a client that asks (RFC 9110 §9.3.7), and who has come with another method.
    ///
    /// - Parameter methods: of that path, or of the whole service.
    private func tell(_ methods: [HTTPMethod], _ request: HTTPRequest) -> HTTPResponse {
        let names = methods.map(\.rawValue)
        guard request.method == .options else { return refuse(.methodNotAllowed(allow: names), request) }
        let response = HTTPResponse(
            status: .noContent, headers: [(name: "Allow", value: names.joined(separator: ", "))])
        unrouted.count(request, response)
        listeners.tell(request, "none", response, nil, nil)
        return response
    }

    /// Refuses what is nobody's to answer.
    ///
    /// - Parameter network: whom it comes from, where that is to be told.
    func refuse(
        _ error: ServiceError, _ request: HTTPRequest, from network: ClientNetwork? = nil
    ) -> HTTPResponse {
        if let network {
            listeners.log.writeSecurity(error, requestID: request.id, route: "none", from: network, nil)
        }
        let response = ErrorAnswer(error).response(requestID: request.id)
        unrouted.count(request, response)
        listeners.tell(request, "none", response, error, nil)
        return response
    }

    public func refuse(_ violation: ProtocolError, requestID: String, peer: SocketAddress) -> HTTPResponse {
        let answer = ErrorAnswer(violation: violation)
        listeners.log.write(violation, answer.status, requestID: requestID)
        return answer.response(requestID: requestID)
    }
}

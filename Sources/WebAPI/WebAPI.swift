public import Apps
public import EventLoop
public import HTTPServer
public import Logging
public import Pages
public import SignIn

/// The HTTP API of one loop: finds the route, asks the endpoint, tells errors, writes the log.
public struct WebAPI: RequestHandler {
    public let commonFields = APIHandler.commonFields
    private let handler: APIHandler
    private let crossOrigin: CrossOrigin

    /// - Parameters:
    ///   - useCases: with the HTTP client of this loop.
    ///   - apps: our own apps, and who asks what tokens are good for.
    ///   - branding: whose pages people see.
    ///   - associationFiles: what phones fetch; shared by all loops.
    ///   - limits: how often one client may try; shared by all loops.
    ///   - documentation: what the service says of itself; shared by all loops.
    ///   - wings: what wings bring.
    ///   - failedSignIns: counts those; shared by all loops.
    public init(
        providers: ProviderDirectory, useCases: UseCases, apps: AppDirectory, branding: Branding,
        associationFiles: AssociationFiles, apiKeys: APIKeys, limits: AddressLimits, documentation: Documentation,
        wings: APIExtensions, failedSignIns: FailedSignInCounter, logger: Logger
    ) {
        let log = RequestLog(logger: logger)
        let listeners = RequestListeners(all: [failedSignIns, log])
        let admission = Admission(
            apiKeys: apiKeys, apps: apps, sessions: useCases.sessions, providers: providers, limits: limits)
        let services = APIServices(
            useCases: useCases, code: CodeParameters(providers: providers, limits: limits), limits: limits, apps: apps,
            pages: BrowserPages(branding: branding),
            metadata: IssuerMetadata(
                issuer: useCases.browser.issuer, hasIntrospectors: apps.hasIntrospectors,
                exchangesTokens: providers.exchangesTokens),
            associationFiles: associationFiles, documentation: documentation, admission: admission, log: log)
        func route(_ method: HTTPMethod, _ path: String, as name: String, _ endpoint: Endpoint) -> Route {
            let shell = Shell(
                route: name, endpoint: endpoint, clientAddress: limits.clientAddress,
                observers: useCases.parts.observers, listeners: listeners)
            return Route(method, path, shell.respond)
        }
        let routes = Operations.present(wings, at: providers).flatMap { operation in
            ([operation.path] + operation.otherPaths).map {
                route(operation.method, $0, as: operation.path, operation.endpoint(services))
            }
        }
        let ofWings = wings.present.flatMap(\.metadataPaths)
        let ofPath = (IssuerMetadata.paths(of: useCases.browser.issuer) + ofWings).map {
            route(.get, $0, as: IssuerMetadata.paths[0], .open(services.metadata.answer))
        }
        let landings = apps.landings(at: useCases.browser.issuer)
        let ofApps = landings.map {
            route(.get, $0.path, as: $0.path, .page(LandingEndpoint(landing: $0, pages: services.pages).respond))
        }
        // First, since an app may have claimed `/`, where there is a page of ours otherwise.
        handler = APIHandler(router: Router(ofApps + routes + ofPath), listeners: listeners, log: log)
        crossOrigin = CrossOrigin(apps: apps, landings: Set(landings.map(\.path)))
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        if let answer = crossOrigin.preflight(request) { return answer }
        var response = await handler.respond(to: request)
        if let fields = crossOrigin.fields(for: request) { response.headers += fields }
        return response
    }

    public func refuse(_ violation: ProtocolError, requestID: String, peer: SocketAddress) -> HTTPResponse {
        handler.refuse(violation, requestID: requestID)
    }
}

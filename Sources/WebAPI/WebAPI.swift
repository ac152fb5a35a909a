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
    ///   - failedSignIns: counts those; shared by all loops.
    public init(
        providers: ProviderDirectory, useCases: UseCases, apps: AppDirectory, branding: Branding,
        associationFiles: AssociationFiles, apiKeys: APIKeys, limits: AddressLimits, documentation: Documentation,
        failedSignIns: FailedSignInCounter, logger: Logger
    ) {
        let log = RequestLog(logger: logger)
        let services = APIServices(
            useCases: useCases, code: CodeParameters(providers: providers, limits: limits), limits: limits, apps: apps,
            pages: BrowserPages(branding: branding),
            metadata: IssuerMetadata(
                issuer: useCases.browser.issuer, hasIntrospectors: apps.hasIntrospectors,
                exchangesTokens: providers.exchangesTokens),
            associationFiles: associationFiles, documentation: documentation, apiKeys: apiKeys, log: log)
        let answerer = Answerer(log: log, apiKeys: apiKeys, apps: apps, limits: limits, failedSignIns: failedSignIns)
        let operations = documentation.operations.filter { Operations.isThere($0, services) }
        let routes = operations.map { $0.route(services, log, answerer.answer) }
        let spellings = operations.filter { $0.description.tag == .keyService }.flatMap { operation in
            KeyServicePaths.spellings(of: operation.path).map {
                Route(operation.method, $0, operation.route(services, log, answerer.answer).endpoint)
            }
        }
        let metadata = OpenEndpoint(path: IssuerMetadata.paths[0], handler: services.metadata.answer, log: log)
        let besideKeys =
            useCases.keyService == nil ? [] : KeyServicePaths.metadataPaths(beside: documentation.keyServicePath)
        let ofPath = (IssuerMetadata.paths(of: useCases.browser.issuer) + besideKeys).map {
            Route(.get, $0, metadata.respond)
        }
        let landings = apps.landings(at: useCases.browser.issuer)
        let ofApps = LandingEndpoint.routes(landings, services.pages, answerer)
        // First, since an app may have claimed `/`, where there is a page of ours otherwise.
        handler = APIHandler(router: Router(ofApps + routes + spellings + ofPath), log: log)
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

/// What stands before the endpoints: whom they answer, how errors are told, what is logged.
struct Answerer: Sendable {
    let log: RequestLog
    let apiKeys: APIKeys
    let apps: AppDirectory
    let limits: AddressLimits
    let failedSignIns: FailedSignInCounter

    func answer(
        _ path: String, _ answering: Operations.Answering
    ) -> @Sendable (HTTPRequest) async -> HTTPResponse {
        switch answering {
        case .app(let handler): app(path, handler, apiKeys)
        case .keyless(let handler): app(path, handler, APIKeys([]))
        case .client(let handler):
            ClientEndpoint(
                path: path, handler: handler, log: log, apiKeys: apiKeys, apps: apps, limits: limits,
                failedSignIns: failedSignIns
            ).respond
        case .browser(let handler):
            BrowserEndpoint(
                path: path, handler: handler, log: log, clientAddress: limits.clientAddress,
                failedSignIns: failedSignIns
            ).respond
        }
    }

    private func app(
        _ path: String, _ handler: @escaping Handler, _ apiKeys: APIKeys
    ) -> @Sendable (HTTPRequest) async -> HTTPResponse {
        AppEndpoint(
            path: path, handler: handler, log: log, apiKeys: apiKeys, clientAddress: limits.clientAddress,
            failedSignIns: failedSignIns
        ).respond
    }
}

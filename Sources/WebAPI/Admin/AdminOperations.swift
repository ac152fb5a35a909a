internal import Apps
internal import HTTPServer
internal import Providers
internal import SignIn
internal import Telemetry

/// The admin listener's operations.
enum AdminOperations {
    static let all: [Operation<AdminServices>] = [
        .open(.get, "/healthz", for: .probe, OpenDescriptions.health) { _ in { _ in .healthy } },
        .probe(.get, "/livez", AdminDescriptions.liveness) { LivenessEndpoint(pulse: $0.pulse).respond },
        .probe(.get, "/startupz", AdminDescriptions.startup) { _ in StartupEndpoint().respond },
        .probe(.get, "/readyz", AdminDescriptions.readiness) { $0.readinessEndpoint.respond },
        .operators(.get, "/metrics", for: .scrape, AdminDescriptions.metrics, query: nil) {
            MetricsEndpoint(metrics: $0.metrics).respond
        },
        // A search looks for somebody, which the endpoint demands more for.
        .operators(
            .get, "/admin/users", for: .read, AdminDescriptions.listUsers, query: ListUsersEndpoint.parameters
        ) { ListUsersEndpoint(store: $0.store, providers: $0.providers, admission: $0.admission).respond },
        .operators(.get, "/admin/users/{user_id}", for: .look, AdminDescriptions.showUser) { $0.user.show },
        .operators(.delete, "/admin/users/{user_id}", for: .manage, AdminDescriptions.eraseUser) { $0.user.erase },
        .operators(.get, "/admin/users/{user_id}/export", for: .export, AdminDescriptions.exportUser) {
            $0.user.export
        },
        .operators(.post, "/admin/users/{user_id}/identities", for: .manage, AdminDescriptions.repoint) {
            RepointIdentityEndpoint(store: $0.store, providers: $0.providers).respond
        },
        .operators(.delete, "/admin/users/{user_id}/identities/{identity_id}", for: .help, AdminDescriptions.unlink) {
            $0.user.unlink
        },
        .operators(
            .delete, "/admin/users/{user_id}/sessions", for: .help, AdminDescriptions.endSessions,
            query: ["reauthenticate"]
        ) { $0.user.endSessions },
        .operators(.post, "/admin/users/{user_id}/lock", for: .help, AdminDescriptions.lock) {
            UserLockEndpoint(store: $0.store).lock
        },
        .operators(.post, "/admin/users/{user_id}/merge", for: .manage, AdminDescriptions.merge) {
            MergeUsersEndpoint(store: $0.store).respond
        },
        .operators(.delete, "/admin/users/{user_id}/lock", for: .manage, AdminDescriptions.unlock) {
            UserLockEndpoint(store: $0.store).unlock
        },
        .operators(
            .delete, "/admin/sessions", for: .help, AdminDescriptions.endAllSessions,
            query: AdminSessionsEndpoint.parameters
        ) { $0.sessions.endAll },
        .operators(.delete, "/admin/sessions/{session_id}", for: .help, AdminDescriptions.endSession) {
            $0.sessions.endOne
        },
        .operators(
            .get, "/admin/sign-ins", for: .read, AdminDescriptions.signIns, query: FailedSignInsEndpoint.parameters
        ) { FailedSignInsEndpoint(store: $0.store).respond },
        .operators(
            .get, "/admin/failed-sign-ins", for: .read, AdminDescriptions.failedSignIns,
            query: FailedSignInsEndpoint.parameters
        ) { FailedSignInsEndpoint(store: $0.store).respond },
        .operators(.get, "/admin/audit", for: .read, AdminDescriptions.audit, query: AuditEndpoint.parameters) {
            AuditEndpoint(store: $0.store).respond
        },
        .operators(.get, APIDocument.path, for: .read, OpenDescriptions.document, query: nil) {
            $0.page($0.documentation.document)
        },
        .operators(.get, APIDocument.pagePath, for: .read, OpenDescriptions.page, query: nil) {
            $0.page($0.documentation.page)
        },
        .operators(.get, "/", for: .read, OpenDescriptions.entrance, query: nil) { $0.page($0.documentation.entrance) },
    ]
}

/// What the endpoints for operators are made of.
struct AdminServices: Sendable {
    let store: AdminStore
    let readiness: ServiceReadiness
    let pulse: LoopPulse
    let providers: ProviderRegistry
    let apps: AppRegistry
    /// Whether who asks is an operator.
    let servesOperators: Bool
    let documentation: DocumentationFiles
    let admission: OperatorAdmission
    let metrics: MetricRegistry

    fileprivate func page(_ page: @escaping OpenHandler) -> Handler { OperatorPage(page: page).respond }

    fileprivate var user: AdminUserEndpoint { AdminUserEndpoint(store: store, providers: providers) }
    fileprivate var sessions: AdminSessionsEndpoint {
        AdminSessionsEndpoint(store: store, apps: apps, providers: providers)
    }
    fileprivate var readinessEndpoint: ReadinessEndpoint {
        ReadinessEndpoint(
            readiness: readiness, providers: providers.all, clock: admission.clock, tellsDetails: servesOperators)
    }
}

extension Operation<AdminServices> {
    /// Answers all whom it answers alike.
    fileprivate static func open(
        _ method: HTTPMethod, _ path: String, for access: Access, _ description: OperationDescription,
        _ handler: @escaping @Sendable (AdminServices) -> OpenHandler
    ) -> Self {
        Self(method: method, path: path, access: access, description: description) { .open(handler($0)) }
    }

    /// Its query may have anything: probes add what they like.
    fileprivate static func probe(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (AdminServices) -> Handler
    ) -> Self {
        Self(method: method, path: path, access: .probe, description: description) { .keyless(handler($0)) }
    }

    /// - Parameters:
    ///   - act: to which operators it is open.
    ///   - query: the parameters that the query may have; nil: any, for what is the same whatever is asked.
    fileprivate static func operators(
        _ method: HTTPMethod, _ path: String, for act: OperatorAct, _ description: OperationDescription,
        query: [String]? = [], _ handler: @escaping @Sendable (AdminServices) -> Handler
    ) -> Self {
        Self(method: method, path: path, access: .operators, act: act, description: description) { services in
            let handler = handler(services)
            return .operated(
                services.admission, act,
                query.map { QueryEndpoint(parameters: $0, handler: handler).respond } ?? handler)
        }
    }
}

/// What an operation does whose query may have certain parameters only.
private struct QueryEndpoint: Sendable {
    let parameters: [String]
    let handler: Handler

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        try QueryParameters(context.request).refuseOthers(than: parameters)
        return try await handler(context)
    }
}

internal import HTTPServer
internal import Providers
internal import SignIn

/// The admin listener's operations.
enum AdminOperations: OperationTable {
    typealias Services = AdminServices
    typealias Answering = Handler
    typealias Description = OperationDescription

    /// Whom an operation answers.
    enum Access: Sendable {
        /// Whoever looks after processes has no token.
        case everybody
        case operators
    }

    static let all: [Operation<Self>] = [
        .open(.get, "/healthz", for: .everybody, OpenDescriptions.health) { _ in { _ in .healthy } },
        .probe(.get, "/readyz", AdminDescriptions.readiness) { $0.readinessEndpoint.respond },
        .operators(
            .get, "/admin/users", AdminDescriptions.listUsers, query: ListUsersEndpoint.parameters
        ) { ListUsersEndpoint(store: $0.store).respond },
        .operators(.get, "/admin/users/{user_id}", AdminDescriptions.showUser) { $0.user.show },
        .operators(.delete, "/admin/users/{user_id}", AdminDescriptions.eraseUser) { $0.user.erase },
        .operators(.get, "/admin/users/{user_id}/export", AdminDescriptions.exportUser) { $0.user.export },
        .operators(.post, "/admin/users/{user_id}/identities", AdminDescriptions.repoint) {
            RepointIdentityEndpoint(store: $0.store, providers: $0.providers).respond
        },
        .operators(.delete, "/admin/users/{user_id}/sessions", AdminDescriptions.endSessions) { $0.user.endSessions },
        .operators(
            .get, "/admin/failed-sign-ins", AdminDescriptions.failedSignIns, query: FailedSignInsEndpoint.parameters
        ) { FailedSignInsEndpoint(store: $0.store).respond },
        .operators(.get, "/admin/audit", AdminDescriptions.audit, query: AuditEndpoint.parameters) {
            AuditEndpoint(store: $0.store).respond
        },
        .open(.get, APIDocument.path, for: .operators, OpenDescriptions.document) { $0.documentation.document },
        .open(.get, APIDocument.pagePath, for: .operators, OpenDescriptions.page) { $0.documentation.page },
        .open(.get, "/", for: .operators, OpenDescriptions.entrance) { $0.documentation.entrance },
    ]
}

/// What the endpoints for operators are made of.
struct AdminServices: Sendable {
    let store: AdminStore
    let readiness: ServiceReadiness
    let providers: [Provider]
    /// Whether who asks is an operator.
    let servesOperators: Bool
    let documentation: DocumentationFiles

    fileprivate var user: AdminUserEndpoint { AdminUserEndpoint(store: store) }
    fileprivate var readinessEndpoint: ReadinessEndpoint {
        ReadinessEndpoint(readiness: readiness, providers: providers, tellsDetails: servesOperators)
    }
}

extension Operation<AdminOperations> {
    /// Answers all whom it answers alike.
    fileprivate static func open(
        _ method: HTTPMethod, _ path: String, for access: AdminOperations.Access, _ description: OperationDescription,
        _ handler: @escaping @Sendable (AdminServices) -> OpenHandler
    ) -> Self {
        Self(method: method, path: path, access: access, description: description) { .open(handler($0)) }
    }

    /// Its query may have anything: probes add what they like.
    fileprivate static func probe(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription,
        _ handler: @escaping @Sendable (AdminServices) -> Handler
    ) -> Self {
        Self(method: method, path: path, access: .everybody, description: description) { .handler(handler($0)) }
    }

    /// - Parameter query: the parameters that the query may have.
    fileprivate static func operators(
        _ method: HTTPMethod, _ path: String, _ description: OperationDescription, query: [String] = [],
        _ handler: @escaping @Sendable (AdminServices) -> Handler
    ) -> Self {
        Self(method: method, path: path, access: .operators, description: description) { services in
            .handler(QueryEndpoint(parameters: query, handler: handler(services)).respond)
        }
    }
}

/// What an operation on the admin listener does with a request.
struct AdminEndpoint: Sendable {
    let path: String
    let handler: Handler
    let log: RequestLog
    let clientAddress: ClientAddress

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let context = RequestContext(request, clientAddress)
        let response: HTTPResponse
        do throws(ServiceError) {
            response = try await handler(context)
        } catch {
            response = ErrorAnswer(error).response(requestID: request.id)
        }
        log.write(request, route: path, response, context)
        return response
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

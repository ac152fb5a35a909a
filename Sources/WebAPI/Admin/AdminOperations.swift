internal import HTTPServer
internal import Providers
internal import SignIn

/// The admin listener's operations.
enum AdminOperations: OperationTable {
    typealias Services = AdminServices
    typealias Answering = Handler
    /// Nothing: the document is that of the public listener. With another type here, each line of the table needs one.
    typealias Description = Void

    /// Whom an operation answers.
    enum Access: Sendable {
        /// Whoever looks after processes has no token.
        case everybody
        case operators
    }

    static let all: [Operation<Self>] = [
        .health(.get, "/healthz"),
        .probe(.get, "/readyz") { $0.readinessEndpoint.respond },
        .operators(.get, "/admin/users", query: ListUsersEndpoint.parameters) {
            ListUsersEndpoint(store: $0.store).respond
        },
        .operators(.get, "/admin/users/{user_id}") { $0.user.show },
        .operators(.delete, "/admin/users/{user_id}") { $0.user.erase },
        .operators(.get, "/admin/users/{user_id}/export") { $0.user.export },
        .operators(.post, "/admin/users/{user_id}/identities") {
            RepointIdentityEndpoint(store: $0.store, providers: $0.providers).respond
        },
        .operators(.delete, "/admin/users/{user_id}/sessions") { $0.user.endSessions },
        .operators(.get, "/admin/failed-sign-ins", query: FailedSignInsEndpoint.parameters) {
            FailedSignInsEndpoint(store: $0.store).respond
        },
        .operators(.get, "/admin/audit", query: AuditEndpoint.parameters) { AuditEndpoint(store: $0.store).respond },
    ]
}

/// What the endpoints for operators are made of.
struct AdminServices: Sendable {
    let store: AdminStore
    let readiness: ServiceReadiness
    let providers: [Provider]
    /// Whether who asks is an operator.
    let servesOperators: Bool

    fileprivate var user: AdminUserEndpoint { AdminUserEndpoint(store: store) }
    fileprivate var readinessEndpoint: ReadinessEndpoint {
        ReadinessEndpoint(readiness: readiness, providers: providers, tellsDetails: servesOperators)
    }
}

extension Operation<AdminOperations> {
    fileprivate static func health(_ method: HTTPMethod, _ path: String) -> Self {
        Self(method: method, path: path, access: .everybody, description: ()) { _ in .open { _ in .healthy } }
    }

    /// Its query may have anything: probes add what they like.
    fileprivate static func probe(
        _ method: HTTPMethod, _ path: String, _ handler: @escaping @Sendable (AdminServices) -> Handler
    ) -> Self {
        Self(method: method, path: path, access: .everybody, description: ()) { .handler(handler($0)) }
    }

    /// - Parameter query: the parameters that the query may have.
    fileprivate static func operators(
        _ method: HTTPMethod, _ path: String, query: [String] = [],
        _ handler: @escaping @Sendable (AdminServices) -> Handler
    ) -> Self {
        Self(method: method, path: path, access: .operators, description: ()) { services in
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

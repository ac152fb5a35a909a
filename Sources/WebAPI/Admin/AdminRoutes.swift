internal import HTTPServer
internal import Providers
internal import SignIn

/// The admin listener's routes, on one screen.
struct AdminRoutes {
    private static let health = "/healthz"
    private static let readiness = "/readyz"

    /// What answers without a token, too: whoever looks after processes asks these, and has none.
    static let openPaths: Set<String> = [health, readiness]

    let log: RequestLog
    let store: AdminStore
    let readiness: ServiceReadiness
    let providers: [Provider]

    var all: [Route] {
        [
            healthRoute,
            route(.get, Self.readiness, query: nil, readinessEndpoint.details),
            route(.get, "/admin/users", query: ListUsersEndpoint.parameters, ListUsersEndpoint(store: store).respond),
            route(.get, "/admin/users/{user_id}", ShowUserEndpoint(store: store).respond),
            route(.delete, "/admin/users/{user_id}", EraseUserEndpoint(store: store).respond),
            route(.get, "/admin/users/{user_id}/export", ExportUserEndpoint(store: store).respond),
            route(
                .post, "/admin/users/{user_id}/identities",
                RepointIdentityEndpoint(store: store, providers: providers).respond),
            route(.delete, "/admin/users/{user_id}/sessions", EndSessionsEndpoint(store: store).respond),
            route(
                .get, "/admin/failed-sign-ins", query: FailedSignInsEndpoint.parameters,
                FailedSignInsEndpoint(store: store).respond),
            route(.get, "/admin/audit", query: AuditEndpoint.parameters, AuditEndpoint(store: store).respond),
        ]
    }

    /// Those that need no token.
    var open: [Route] { [healthRoute, route(.get, Self.readiness, query: nil, readinessEndpoint.status)] }

    private var healthRoute: Route {
        route(.get, Self.health, query: nil) { _ throws(ServiceError) in .json(.ok, Array(#"{"status":"ok"}"#.utf8)) }
    }

    private var readinessEndpoint: ReadinessEndpoint { ReadinessEndpoint(readiness: readiness, providers: providers) }

    typealias Endpoint = @Sendable (HTTPRequest) async throws(ServiceError) -> HTTPResponse

    /// - Parameter query: the parameters that the query may have; nil: any, since probes add what they like.
    private func route(
        _ method: HTTPMethod, _ pattern: String, query: [String]? = [], _ endpoint: @escaping Endpoint
    ) -> Route {
        Route(method, pattern) { [log] request in
            let response: HTTPResponse
            do throws(ServiceError) {
                if let query { try QueryParameters(request).refuseOthers(than: query) }
                response = try await endpoint(request)
            } catch {
                response = ErrorAnswer(error).response(requestID: request.id)
            }
            log.write(request, route: pattern, response, RequestNotes())
            return response
        }
    }
}

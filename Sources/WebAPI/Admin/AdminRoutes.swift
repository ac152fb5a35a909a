internal import HTTPServer
internal import Providers

/// The admin listener's routes, on one screen.
struct AdminRoutes {
    /// Needs no token, as on the public listener.
    static let openPath = "/healthz"

    let log: RequestLog
    let store: AdminStore
    let readiness: ServiceReadiness
    let providers: [Provider]

    var all: [Route] {
        [
            route(.get, Self.openPath) { _ throws(APIError) in .json(.ok, Array(#"{"status":"ok"}"#.utf8)) },
            route(.get, "/readyz", ReadinessEndpoint(readiness: readiness, providers: providers).respond),
            route(.get, "/admin/users", ListUsersEndpoint(store: store).respond),
            route(.get, "/admin/users/{user_id}", ShowUserEndpoint(store: store).respond),
            route(.delete, "/admin/users/{user_id}", EraseUserEndpoint(store: store).respond),
            route(.get, "/admin/users/{user_id}/export", ExportUserEndpoint(store: store).respond),
            route(
                .post, "/admin/users/{user_id}/identities",
                RepointIdentityEndpoint(store: store, providers: providers).respond),
            route(.delete, "/admin/users/{user_id}/sessions", EndSessionsEndpoint(store: store).respond),
            route(.get, "/admin/failed-sign-ins", FailedSignInsEndpoint(store: store).respond),
            route(.get, "/admin/audit", AuditEndpoint(store: store).respond),
        ]
    }

    typealias Endpoint = @Sendable (HTTPRequest) async throws(APIError) -> HTTPResponse

    private func route(_ method: HTTPMethod, _ pattern: String, _ endpoint: @escaping Endpoint) -> Route {
        Route(method, pattern) { [log] request in
            let response: HTTPResponse
            do throws(APIError) {
                response = try await endpoint(request)
            } catch {
                response = ErrorAnswer(error).response(requestID: request.id)
            }
            log.write(request, route: pattern, response, RequestNotes())
            return response
        }
    }
}

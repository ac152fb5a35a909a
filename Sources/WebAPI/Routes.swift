internal import HTTPServer
internal import SignIn

/// The public listener's routes, on one screen.
struct Routes {
    let log: RequestLog
    let apiKeys: APIKeys
    let signIn: SignInEndpoint
    let token: TokenEndpoint
    let currentUser: CurrentUserEndpoint
    let sessions: Sessions

    var all: [Route] {
        [
            route(.post, "/auth/signin", signIn.respond),
            route(.post, "/auth/zenkey-signin", signIn.respond),
            route(.post, "/auth/token", token.refresh),
            route(.delete, "/auth/token", token.signOut),
            route(.get, "/users/me", currentUser.respond),
            openRoute(.get, "/.well-known/jwks.json") { [keys = sessions.keyDocument] in
                var response = HTTPResponse.json(.ok, keys)
                response.headers.append((name: "Cache-Control", value: "public, max-age=300"))
                return response
            },
            openRoute(.get, "/healthz") { .json(.ok, Array(#"{"status":"ok"}"#.utf8)) },
        ]
    }

    typealias Endpoint = @Sendable (HTTPRequest, inout RequestNotes) async throws(APIError) -> HTTPResponse

    /// A route for apps: the API key first, then the endpoint, then the log.
    private func route(_ method: HTTPMethod, _ pattern: String, _ endpoint: @escaping Endpoint) -> Route {
        Route(method, pattern) { [log, apiKeys] request in
            var notes = RequestNotes()
            let response: HTTPResponse
            do throws(APIError) {
                guard apiKeys.admit(request) else { throw .invalidAPIKey }
                response = try await endpoint(request, &notes)
                if notes.isSignIn { log.writeSignIn(notes, nil, requestID: request.id) }
            } catch {
                response = ErrorAnswer(error).response(requestID: request.id)
                if notes.isSignIn { log.writeSignIn(notes, error, requestID: request.id) }
            }
            log.write(request, route: pattern, response, notes)
            return response
        }
    }

    /// A route for everybody, whose answer depends on nothing.
    private func openRoute(
        _ method: HTTPMethod, _ pattern: String, _ answer: @escaping @Sendable () -> HTTPResponse
    ) -> Route {
        Route(method, pattern) { [log] request in
            let response = answer()
            log.write(request, route: pattern, response, RequestNotes())
            return response
        }
    }
}

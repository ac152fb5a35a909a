internal import HTTPServer
internal import SignIn

/// The public listener's routes, on one screen.
struct Routes {
    let log: RequestLog
    let apiKeys: APIKeys
    let useCases: UseCases
    let code: CodeParameters
    let limits: AddressLimits
    let documentation: Documentation
    let failedSignIns: FailedSignInCounter

    var all: [Route] { signingIn + account + open }

    private var signingIn: [Route] {
        let signIn = SignInEndpoint(signIn: useCases.signIn, code: code)
        let token = TokenEndpoint(sessions: useCases.sessions, limits: limits)
        let challenge = ChallengeEndpoint(challenges: useCases.challenges, limits: limits)
        let transaction = TransactionEndpoint(sessions: useCases.sessions, approve: useCases.approve, code: code)
        let registration = RegistrationEndpoint(register: useCases.register, code: code)
        return [
            route(.post, "/auth/signin", signIn.respond),
            route(.post, "/auth/zenkey-signin", signIn.respond),
            route(.post, "/auth/challenge", challenge.respond),
            route(.post, "/auth/token", token.refresh),
            route(.delete, "/auth/token", token.signOut),
            route(.post, "/auth/revoke", token.revoke),
            route(.post, "/auth/transaction", transaction.respond),
            route(.post, "/users", registration.respond),
        ]
    }

    private var account: [Route] {
        let (sessions, accounts) = (useCases.sessions, useCases.accounts)
        let me = CurrentUserEndpoint(sessions: sessions, accounts: accounts)
        let identities = IdentitiesEndpoint(sessions: sessions, accounts: accounts, link: useCases.link, code: code)
        let devices = SessionsEndpoint(sessions: sessions, accounts: accounts)
        return [
            route(.get, "/users/me", me.show),
            route(.patch, "/users/me", me.edit),
            route(.delete, "/users/me", me.erase),
            route(.get, "/users/me/identities", identities.list),
            route(.post, "/users/me/identities", identities.add),
            route(.delete, "/users/me/identities/{identity_id}", identities.remove),
            route(.get, "/users/me/sessions", devices.list),
            route(.delete, "/users/me/sessions", devices.revokeAll),
            route(.delete, "/users/me/sessions/{session_id}", devices.revoke),
        ]
    }

    private var open: [Route] {
        [
            openRoute(.get, "/.well-known/jwks.json") { [sessions = useCases.sessions] _ in
                var response = HTTPResponse.json(.ok, sessions.keyDocument)
                response.headers.append((name: "Cache-Control", value: "public, max-age=300"))
                return response
            },
            openRoute(.get, "/healthz") { _ in .json(.ok, Array(#"{"status":"ok"}"#.utf8)) },
            openRoute(.get, "/openapi.json", documentation.document),
            openRoute(.get, "/docs", documentation.page),
        ]
    }

    typealias Endpoint = @Sendable (HTTPRequest, inout RequestNotes) async throws(ServiceError) -> HTTPResponse

    /// A route for apps: the API key first, then the endpoint, then the log.
    private func route(_ method: HTTPMethod, _ pattern: String, _ endpoint: @escaping Endpoint) -> Route {
        let logged = LoggedEndpoint(
            pattern: pattern, endpoint: endpoint, log: log, apiKeys: apiKeys, limits: code.limits,
            failedSignIns: failedSignIns)
        return Route(method, pattern, logged.respond)
    }

    /// A route for everybody.
    private func openRoute(
        _ method: HTTPMethod, _ pattern: String, _ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) -> Route {
        Route(method, pattern, OpenEndpoint(pattern: pattern, answer: answer, log: log).respond)
    }
}

/// What a route for apps does with a request.
///
/// A method and no closure: a closure of such a type leaves the executor of whoever calls it, so that each call that comes
/// back to it, or to anything below it, becomes another job of the loop.
private struct LoggedEndpoint: Sendable {
    let pattern: String
    let endpoint: Routes.Endpoint
    let log: RequestLog
    let apiKeys: APIKeys
    let limits: AddressLimits
    let failedSignIns: FailedSignInCounter

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        var notes = RequestNotes()
        let response: HTTPResponse
        do throws(ServiceError) {
            guard apiKeys.admit(request) else { throw .invalidAPIKey }
            response = try await endpoint(request, &notes)
            if notes.isSignIn { log.writeSignIn(notes, nil, requestID: request.id) }
        } catch {
            response = ErrorAnswer(error).response(requestID: request.id)
            if notes.isSignIn {
                log.writeSignIn(notes, error, requestID: request.id)
                failedSignIns.count(error, provider: notes.provider, from: limits.clientAddress.network(of: request))
            } else {
                log.writeFailure(error, route: pattern, notes, requestID: request.id)
            }
        }
        log.write(request, route: pattern, response, notes)
        return response
    }
}

/// What a route for everybody does with a request; see ``LoggedEndpoint``.
private struct OpenEndpoint: Sendable {
    let pattern: String
    let answer: @Sendable (HTTPRequest) -> HTTPResponse
    let log: RequestLog

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let response = answer(request)
        log.write(request, route: pattern, response, RequestNotes())
        return response
    }
}

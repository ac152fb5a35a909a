internal import HTTPServer
internal import SignIn

/// What an operation for apps does with a request: it asks for the API key first, then the handler, and writes the log.
struct AppEndpoint: Sendable {
    let path: String
    let handler: Handler
    let log: RequestLog
    let apiKeys: APIKeys
    let clientAddress: ClientAddress
    let failedSignIns: FailedSignInCounter

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let context = RequestContext(request, clientAddress)
        let response: HTTPResponse
        do throws(ServiceError) {
            guard apiKeys.admit(request) else { throw .invalidAPIKey }
            response = try await handler(context)
            if context.signIn != nil { log.writeSignIn(context, nil) }
        } catch {
            response = ErrorAnswer(error).response(requestID: request.id)
            if context.signIn != nil {
                log.writeSignIn(context, error)
                failedSignIns.count(error, provider: context.provider, from: context.network)
            } else {
                log.writeFailure(error, route: path, context)
            }
        }
        log.write(request, route: path, response, context)
        return response
    }
}

/// What an operation for a signed-in user does: it finds the session, and hands it on.
struct UserEndpoint: Sendable {
    let sessions: Sessions
    let handler: UserHandler

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        try await handler(context, sessions.session(of: context.request))
    }
}

internal import HTTPServer
internal import SignIn
internal import Telemetry

/// What stands around every handler, whatever it does and whomever it answers: the operation's access is resolved, the
/// handler is asked, an error is told as its caller understands it, and the observers hear what came of it.
struct Shell: Sendable {
    /// The operation's path, as the table has it.
    let route: String
    let endpoint: Endpoint
    let clientAddress: ClientAddress
    /// Who hears of the step that a request is, and of those on its way.
    let observers: Observers
    /// Who hears of the request once it has its answer, with all that was found out.
    let listeners: RequestListeners

    /// As a route.
    func answers(_ method: HTTPMethod, _ path: String) -> Route { Route(method, path, respond) }

    private func respond(to request: HTTPRequest) async -> HTTPResponse {
        let step = observers.begin(.request(route: route))
        if case .open(let handler) = endpoint {
            let response = handler(request)
            step.end()
            listeners.tell(request, route, response, nil, nil)
            return response
        }
        let context = RequestContext(request, clientAddress, observers, step.id)
        let (response, error) = await answer(context)
        step.end(error.map { .failed(ErrorAnswer($0).code) } ?? .done)
        listeners.tell(request, route, response, error, context)
        return response
    }

    private func answer(_ context: RequestContext) async -> (HTTPResponse, ServiceError?) {
        do throws(ServiceError) {
            switch endpoint {
            case .open(let handler): return (handler(context.request), nil)
            case .keyless(let handler): return (try await handler(context), nil)
            case .page(let handler):
                let answer = await handler(context)
                return (answer.response, answer.error)
            case .admitted(let admission, let handler):
                return (try await admission.answer(context, with: handler), nil)
            }
        } catch {
            return (Self.response(error, context), error)
        }
    }

    private static func response(_ error: ServiceError, _ context: RequestContext) -> HTTPResponse {
        context.isOfOurApp
            ? ErrorAnswer.client(error).clientResponse(requestID: context.request.id)
            : ErrorAnswer(error).response(requestID: context.request.id)
    }
}

/// Who hears of a request once it was answered, with all that was found out. What only needs to know that a step began,
/// how it ended and when is an ``Observer``.
struct RequestListeners: Sendable {
    /// Nil where nobody signs in.
    let failedSignIns: FailedSignInCounter?
    let log: RequestLog

    // One by one, since a value that holds all of it would be copied.
    /// - Parameters:
    ///   - route: the operation's path, as the table has it; `none` where there is no operation.
    ///   - error: what went wrong, in whatever way the answer tells it.
    ///   - context: nil where nothing could be found out.
    func tell(
        _ request: HTTPRequest, _ route: String, _ response: HTTPResponse, _ error: ServiceError?,
        _ context: RequestContext?
    ) {
        if let error, let context, context.signIn != nil {
            failedSignIns?.count(error, provider: context.provider, from: context.network)
        }
        log.hear(request, route, response, error, context)
    }
}

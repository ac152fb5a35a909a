internal import Accounts
internal import HTTPServer
internal import Providers
internal import SignIn
internal import System
internal import Telemetry

/// What stands around every handler, whatever it does and for every caller: the operation's access is resolved, the
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
    let counts: RouteCounts

    /// As a route.
    func answers(_ method: HTTPMethod, _ path: String) -> Route {
        guard case .open(let handler) = endpoint else { return Route(method, path, respond) }
        let open = OpenShell(
            route: route, handler: handler, clientAddress: clientAddress, observers: observers, listeners: listeners,
            counts: counts)
        return Route(method, path, open.respond)
    }

    private func respond(to request: HTTPRequest) async -> HTTPResponse {
        let step = observers.beginRequest(counts.step, from: clientAddress.trace(of: request))
        let context = RequestContext(request, clientAddress, observers, step.scope)
        let (response, error) = await answerAsItself(context)
        let code = error.map { ErrorAnswer($0).code }
        step.end(
            code.map { .failed(StepName($0)) } ?? .done,
            .request(
                AnsweredRequest(
                    method: counts.method, status: response.status.code, error: code, provider: context.provider)))
        counts.count(request, response, context.call.scope?.trace)
        listeners.tell(request, route, response, error, context, traceID: context.traceID)
        return response
    }

    /// Has whatever is stored on the way know where it comes from. Who the function's caller is has to be said, or the
    /// closure would leave the loop.
    private func answerAsItself(
        _ context: RequestContext, isolation: isolated (any Actor)? = #isolation
    ) async -> (HTTPResponse, ServiceError?) {
        await AuditContext.$current.withValue(context.origin) {
            _ = isolation
            guard let scope = context.call.scope, scope.trace != nil else { return await answer(context) }
            return await StepScope.$current.withValue(scope) {
                _ = isolation
                return await answer(context)
            }
        }
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
            case .operated(let admission, let act, let handler):
                return (try await admission.answer(context, act, with: handler), nil)
            }
        } catch {
            return (Self.response(error, context), error)
        }
    }

    private static func response(_ error: ServiceError, _ context: RequestContext) -> HTTPResponse {
        context.isOfOurApp
            ? ErrorAnswer.client(error).clientResponse(requestID: context.request.id)
            : ErrorAnswer(error).response(requestID: context.request.id, as: context.responses)
    }
}

/// What stands around a handler that answers at once and finds nothing out. It waits for nothing, and so needs none of
/// the memory in which a task keeps what it will go on with.
private struct OpenShell: Sendable {
    let route: String
    let handler: OpenHandler
    let clientAddress: ClientAddress
    let observers: Observers
    let listeners: RequestListeners
    let counts: RouteCounts

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let context = clientAddress.trace(of: request)
        let step = observers.beginRequest(counts.step, from: context)
        let trace = step.scope?.trace
        let response = handler(request)
        step.end(.done, .request(AnsweredRequest(method: counts.method, status: response.status.code)))
        counts.count(request, response, trace)
        listeners.tell(request, route, response, nil, nil, traceID: trace?.id ?? context?.traceID)
        return response
    }
}

/// Who hears of a request once it was answered, with all that was found out. What only needs to know that a step began,
/// how it ended and when is an ``Observer``.
struct RequestListeners: Sendable {
    /// Nil where nobody signs in.
    let failedSignIns: FailedSignInCounter?
    let verdicts: ProviderVerdicts
    /// Nil where nobody signs in.
    let signIns: SignInCounts?
    let refusals: RefusalCounts
    let log: RequestLog

    // One by one, since a value that holds all of it would be copied.
    /// - Parameters:
    ///   - route: the operation's path, as the table has it; `none` where there is no operation.
    ///   - error: what went wrong, in whatever way the answer tells it.
    ///   - context: nil where nothing could be found out.
    ///   - traceID: of the trace that the request belongs to; nil for none.
    func tell(
        _ request: HTTPRequest, _ route: String, _ response: HTTPResponse, _ error: ServiceError?,
        _ context: RequestContext?, traceID: TraceID? = nil
    ) {
        // Nothing was found out, and nothing is wrong: there is only a line to write.
        if context == nil, error == nil { return log.hear(request, route, response, nil, nil, traceID) }
        if let context, context.signIn != nil {
            signIns?.count(
                context, error, nanoseconds: MonotonicTime.now.nanoseconds &- request.receivedAt.nanoseconds)
            if let error {
                failedSignIns?.count(
                    error, provider: context.provider, from: context.network,
                    named: [context.call.correlationID, request.id].compactMap(\.self))
            }
        }
        refusals.count(error, isRefresh: context?.isRefresh ?? false)
        if let context { verdicts.note(error, context) { RequestLog.reason($0, context.call) } }
        log.hear(request, route, response, error, context, traceID)
    }
}

internal import EventLoop
internal import HTTPClient
internal import Syntax
public import System
internal import Telemetry

/// What every call to a provider goes through, whatever it is for: the circuit of its host, the deadline of what is
/// under way, and, where the call changes nothing at the provider, one more try.
struct GuardedTransport: ProviderTransport {
    /// A random moment before the second try, so that a crowd whose calls failed together does not come back together.
    private static let pauseMilliseconds = 20...120

    let provider: Provider
    let transport: any HTTPTransport
    let deadline: Deadline
    /// Whose steps the calls are.
    let call: CallContext
    let clock: @Sendable () -> MonotonicTime

    var now: MonotonicTime { clock() }

    /// How long the next call may take.
    var timeout: Duration { deadline.nextCall(now: now) }

    /// A request that asks for a document, and changes nothing.
    func get(_ url: EndpointURL, accepting types: String) -> OutboundRequest {
        OutboundRequest(
            method: .get, url: url, headers: [(name: "Accept", value: types)], body: [], timeout: timeout,
            policy: provider.policy(for: url), finishesWhenCancelled: false)
    }

    /// Sends a request for keys, which may be sent again.
    func send(_ request: OutboundRequest) async throws(ProviderCallError) -> OutboundResponse {
        try await send(request, for: .keys)
    }

    /// Sends a request that may be sent again: for metadata, keys and userinfo.
    ///
    /// - Parameter kind: what it is for.
    /// - Returns: the last answer, also one that says that the server is not well.
    func send(
        _ request: OutboundRequest, for kind: ProviderProblem.Step
    ) async throws(ProviderCallError) -> OutboundResponse {
        var request = request
        let step = begin(&request, for: kind)
        do throws(ProviderCallError) {
            let response = try await sent(request)
            step.end(StepOutcome(response), .call(OutboundCall(request, kind, answered: response)))
            // Documents, which come now and then: an ordinary sign-in fetches none.
            if kind == .keys || kind == .discovery { provider.clock.note(response, now: now) }
            return response
        } catch {
            step.end(.failed(error.name), .call(OutboundCall(request, kind)))
            throw error
        }
    }

    /// Sends a request that is good for one time, such as the exchange of a code.
    ///
    /// - Parameter kind: what it is for.
    func sendOnce(
        _ request: OutboundRequest, for kind: ProviderProblem.Step
    ) async throws(ProviderCallError) -> OutboundResponse {
        var request = request
        let step = begin(&request, for: kind)
        do throws(ProviderCallError) {
            try admit(request)
            let response = try await attempt(request)
            step.end(StepOutcome(response), .call(OutboundCall(request, kind, answered: response)))
            return response
        } catch {
            step.end(.failed(error.name), .call(OutboundCall(request, kind)))
            throw error
        }
    }

    /// Begins the step that a call is. Where it is traced, the client notes the moments of the call, and the provider
    /// is told of the trace if the operator wants that.
    private func begin(_ request: inout OutboundRequest, for kind: ProviderProblem.Step) -> OpenStep {
        let step = call.begin(.providerCall(provider: provider.stepName, kind: kind.name))
        guard step.isTraced, let scope = step.scope else { return step }
        request.times = ExchangeTimes()
        if provider.configuration.passesTraceContext, let traceparent = scope.traceparent {
            request.add("traceparent", traceparent)
            if let state = scope.trace?.state { request.add("tracestate", state) }
        }
        return step
    }

    private func sent(_ request: OutboundRequest) async throws(ProviderCallError) -> OutboundResponse {
        try admit(request)
        do throws(HTTPClientError) {
            let response = try await transmit(request)
            guard (502...504).contains(response.status), await isTimeToTryAgain() else {
                return reported(response, to: request)
            }
        } catch {
            guard error.mayPass, await isTimeToTryAgain() else { throw reported(error, of: request) }
        }
        var again = request
        again.timeout = timeout
        return try await attempt(again)
    }

    private func attempt(_ request: OutboundRequest) async throws(ProviderCallError) -> OutboundResponse {
        do throws(HTTPClientError) {
            return reported(try await transmit(request), to: request)
        } catch {
            throw reported(error, of: request)
        }
    }

    /// Sends a request. Where a code is with the provider, that a caller has gone away ends nothing.
    private func transmit(_ request: OutboundRequest) async throws(HTTPClientError) -> OutboundResponse {
        guard call.mustFinish else { return try await transport.send(request) }
        var request = request
        request.finishesWhenCancelled = true
        guard Task.isCancelled else { return try await transport.send(request) }
        // A task of its own is not cancelled.
        return try await Task { [transport, request] in await Self.outcome(of: request, through: transport) }.value
            .get()
    }

    private static func outcome(
        of request: OutboundRequest, through transport: any HTTPTransport
    ) async -> Result<OutboundResponse, HTTPClientError> {
        do throws(HTTPClientError) { return .success(try await transport.send(request)) } catch {
            return .failure(error)
        }
    }

    private func admit(_ request: OutboundRequest) throws(ProviderCallError) {
        guard let wait = provider.circuits.admit(request.content.url, now: now) else { return }
        throw .circuitOpen(retryAfterSeconds: max(1, wait.components.seconds))
    }

    private func reported(_ response: OutboundResponse, to request: OutboundRequest) -> OutboundResponse {
        // A rule of the provider's that says no is no outage, whatever the status beside it.
        let isAnswered = response.status < 500 || provider.dialect.isRefusal(response)
        provider.circuits.report(request.content.url, isAnswered: isAnswered, now: now)
        return response
    }

    private func reported(_ error: HTTPClientError, of request: OutboundRequest) -> ProviderCallError {
        let isOurs = error == .cancelled || error == .shutDown
        provider.circuits.report(request.content.url, isAnswered: isOurs ? nil : false, now: now)
        return .transport(error)
    }

    /// Waits, unless there is no time for a second try or nobody is left who waits for it.
    private func isTimeToTryAgain() async -> Bool {
        guard deadline.hasTimeLeft(now: now) else { return false }
        if call.mustFinish, Task.isCancelled { return true }
        return (try? await Task.sleep(for: .milliseconds(Int.random(in: Self.pauseMilliseconds)))) != nil
    }
}

extension StepOutcome {
    /// How a call ended that was answered: an error's status is told.
    fileprivate init(_ response: OutboundResponse) {
        self = response.status < 400 ? .done : .failed(StepName("status_\(response.status)"))
    }
}

extension OutboundCall {
    /// - Parameters:
    ///   - kind: what it was for. An address in a directory of users may name one of them, and is not told.
    ///   - response: nil where there was none.
    fileprivate init(
        _ request: OutboundRequest, _ kind: ProviderProblem.Step, answered response: OutboundResponse? = nil
    ) {
        let url = request.content.url
        self.init(
            method: request.content.method == .get ? "GET" : "POST", url: url.text, namesSomebody: kind == .directory,
            host: url.host, port: url.port)
        status = response?.status
        guard let moments = request.times?.moments else { return }
        resends = max(0, moments.tries - 1)
        (reused, resolved, connected) = (moments.reused, moments.resolved, moments.connected)
        (secured, sent, answering) = (moments.secured, moments.sent, moments.answering)
    }
}

extension ProviderCallError {
    /// What observers call it: one of few names.
    fileprivate var name: StepName {
        switch self {
        case .transport(.timedOut): "timed_out"
        case .transport(.cancelled), .transport(.shutDown): "given_up"
        case .transport: "not_reached"
        case .circuitOpen: "circuit_open"
        case .busy: "busy"
        default: "refused"
        }
    }
}

extension HTTPClientError {
    /// Whether the same request may fare better a moment later.
    fileprivate var mayPass: Bool {
        switch self {
        case .couldNotResolve, .couldNotConnect, .timedOut, .connectionBroken: true
        case .refusedAddress, .refusedByProxy, .tlsFailed, .tlsHandshakeFailed, .certificateOutOfDate,
            .responseTooLarge, .malformedResponse, .cancelled, .shutDown:
            false
        }
    }
}

/// When a sign-in must have been answered, and how long one call of it may take.
public struct Deadline: Sendable {
    private let end: MonotonicTime
    private let perCall: Duration

    public init(now: MonotonicTime, total: Duration, perCall: Duration) {
        end = now + total
        self.perCall = perCall
    }

    /// Whether another call is worth its while.
    public func hasTimeLeft(now: MonotonicTime) -> Bool { now + .milliseconds(200) < end }

    /// How long the next call may take; a call that could not even start in what is left gets a millisecond, and so its
    /// own time-out.
    public func nextCall(now: MonotonicTime) -> Duration {
        max(.milliseconds(1), min(perCall, end - now))
    }
}

internal import Accounts
internal import HTTPServer
internal import JSON
internal import Logging
internal import Providers
internal import SignIn
internal import Telemetry
internal import WebAPI

/// `/auth/zenkey-async-signin` and what is below it: a user is asked on the phone, at our server's request.
///
/// What an app asks by is bound to its API key. A guesser finds nothing, and is soon asked to wait.
struct PushEndpoint: Sendable {
    static let path = "/auth/zenkey-async-signin"

    private static let parameters = ParameterTable<BackchannelRequest.Parameter>()

    let push: ServerInitiatedSignIn
    let code: CodeParameters
    let limits: AddressLimits
    let apiKeys: APIKeys
    let log: RequestLog

    /// `POST`: begins.
    func begin(_ context: RequestContext, _ principal: Principal?) async throws(ServiceError) -> HTTPResponse {
        try limits.count(context.network, as: .pushes)
        let (parameters, provider) = try code.read(context, Self.parameters)
        guard provider.requestSigner != nil else {
            throw .invalidParameter(ParameterError("provider", "takes no server-initiated sign-in"))
        }
        let backchannel: BackchannelRequest
        do throws(ParameterError) {
            backchannel = try BackchannelRequest(
                { parameters[$0] }, isForSession: principal != nil,
                mayBeMinimal: provider.configuration.takesMinimalPushes)
        } catch {
            throw .invalidParameter(error)
        }
        context.call.correlationID = backchannel.correlationID
        let begun = try await push.begin(
            backchannel, with: provider, owner: apiKeys.owner(of: context.request), session: principal?.session,
            userAgent: context.request.userAgent, in: context.call)
        deliver(begun.delivery, context.call.observers)
        return Self.answer(begun)
    }

    /// `GET`: asks how far it has come.
    func poll(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let id = Self.id(context)
        let progress = try await known(id, context) { owner throws(ServiceError) in
            try await push.poll(id, owner: owner)
        }
        switch progress {
        case .pending:
            var writer = JSONWriter()
            writer.object { $0.member("auth_req_id", id) }
            return .secretJSON(writer.bytes)
        case .signedIn(let tokens, let receipt, let isMergeOffered):
            var writer = JSONWriter(reservingCapacity: 1024)
            writer.object { body in
                body.member("auth_req_id", id)
                body.tokens(tokens)
                if isMergeOffered { body.member("merge_offered", true) }
                if let receipt { body.member("receipt", receipt) }
            }
            // Without a Location: clients that follow redirects by themselves find nothing to follow, and read the
            // body.
            return .secretJSON(writer.bytes, .found)
        }
    }

    /// `POST` on it: begins anew.
    func retry(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        try limits.count(context.network, as: .pushes)
        let id = Self.id(context)
        let begun = try await known(id, context) { owner throws(ServiceError) in
            try await push.retry(id, owner: owner, in: context.call)
        }
        deliver(begun.delivery, context.call.observers)
        return Self.answer(begun)
    }

    /// `DELETE`: takes it back.
    func cancel(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let id = Self.id(context)
        let delivery = try await known(id, context) { owner throws(ServiceError) in
            try await push.cancel(id, owner: owner)
        }
        if let delivery { deliver(delivery, context.call.observers) }
        return .emptyObject
    }

    /// Asks for one that is somebody's. Somebody who asks for too many that are nobody's, or another's, has to wait. A
    /// request that is known here has not, even when others come from the same address.
    private func known<Value: Sendable>(
        _ id: String, _ context: RequestContext, _ body: (String) async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        let owner = apiKeys.owner(of: context.request)
        if push.isKnown(id, owner: owner) { return try await body(owner) }
        do throws(ServiceError) {
            return try await body(owner)
        } catch {
            if error == .unknownPath { try limits.count(context.network, as: .failedRefreshes) }
            throw error
        }
    }

    /// Tells the carrier, once the app has its answer.
    private func deliver(_ delivery: ServerInitiatedSignIn.Delivery, _ observers: Observers) {
        Task { [push, log] in
            let step = observers.beginAlone(.delivery(provider: StepName(delivery.providerName), kind: "push"))
            let call = CallContext(observers, partOf: step.scope)
            call.correlationID = delivery.correlationID
            do throws(ServiceError) {
                try await push.deliver(delivery, in: call)
                step.end()
            } catch {
                step.end(.failed(StepName(ErrorAnswer(error).code)))
                log.writeDelivery(
                    "push failed", error, to: delivery.providerName, correlationID: delivery.correlationID, call)
            }
        }
    }

    private static func id(_ context: RequestContext) -> String { context.request.parameters["auth_req_id"] ?? "" }

    private static func answer(_ begun: ServerInitiatedSignIn.Begun) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { body in
            body.member("auth_req_id", begun.id)
            body.member("expires_in", begun.expiresIn)
        }
        return .secretJSON(writer.bytes)
    }
}

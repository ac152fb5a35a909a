internal import Accounts
internal import EventLoop
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn
internal import System
internal import Telemetry

/// `GET /readyz`: 200 when sign-ins can be served, else 503. What is looked at, and how the providers do, operators
/// alone are told. That one carrier is down is no reason to send the others' users elsewhere, so providers decide
/// nothing.
struct ReadinessEndpoint: Sendable {
    let readiness: ServiceReadiness
    let providers: [Provider]
    let clock: Clock
    /// Whether it says more than whether it is ready.
    let tellsDetails: Bool

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let state = await readiness.state(now: .now)
        guard tellsDetails else { return Self.answer(state, context.request, details: []) }
        let (now, wall) = (MonotonicTime.now, clock.seconds)
        let providers = providers.map { provider in
            (provider.configuration.name, Self.words(provider.outcomes.health(now: now, wall: wall)))
        }
        return Self.answer(
            state, context.request,
            details: [
                ("checks", .object(JSONObject(Self.checks(state)))), ("providers", .object(JSONObject(providers))),
                ("store", Self.words(readiness.storeHealth(now: now))),
            ])
    }

    private static func answer(
        _ state: ServiceReadiness.State, _ request: HTTPRequest, details: [JSONObject.Member]
    ) -> HTTPResponse {
        var members: [JSONObject.Member] = [("status", .string(word(state)))]
        var status = HTTPStatus.ok
        if let error = error(state) {
            let answer = ErrorAnswer(error)
            status = answer.status
            members += [
                ("error", .string(answer.code)), ("error_description", .string(answer.sentence)),
                ("error_code", .string(answer.code)), ("request_id", .string(request.id)),
            ]
        }
        var response = HTTPResponse.json(status, JSONValue.object(JSONObject(members + details)).serialized)
        response.headers.append((name: "Cache-Control", value: "no-store"))
        return response
    }

    private static func word(_ state: ServiceReadiness.State) -> String {
        switch state {
        case .ready: "ok"
        case .failing, .withoutSigningKeys: "unavailable"
        case .draining: "draining"
        }
    }

    private static func error(_ state: ServiceReadiness.State) -> ServiceError? {
        switch state {
        case .ready: nil
        case .failing(let error): ServiceError(error)
        case .withoutSigningKeys: .storageUnavailable(.corrupt)
        case .draining: .overloaded
        }
    }

    /// Each thing that must be well: `ok`, or what is wrong with it. What was not looked at is left out.
    private static func checks(_ state: ServiceReadiness.State) -> [JSONObject.Member] {
        switch state {
        case .ready: [("store", "ok"), ("signing_keys", "ok")]
        case .failing(let error): [("store", .string(words(error)))]
        case .withoutSigningKeys: [("store", "ok"), ("signing_keys", "there are none")]
        case .draining: []
        }
    }

    private static func words(_ error: RepositoryError) -> String {
        if case .unavailable(let reason) = error { "\(reason)" } else { "\(error)" }
    }

    /// How sign-ins at a provider have gone, or writes of the store, in the last five minutes.
    private static func words(_ health: Health) -> JSONValue {
        let members: [JSONObject.Member] = [
            ("state", .string(health.state.rawValue)), ("failed", .integer(Int64(health.counts.failed))),
            ("of", .integer(Int64(health.counts.count))),
        ]
        let reason = health.lastReason.map { [JSONObject.Member("last_reason", .string($0))] } ?? []
        let since = health.since.map { [JSONObject.Member("since", .integer($0))] } ?? []
        return .object(JSONObject(members + reason + since))
    }
}

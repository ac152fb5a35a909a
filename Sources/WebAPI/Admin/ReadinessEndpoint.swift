internal import Accounts
internal import EventLoop
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn

/// `GET /readyz`: 200 when sign-ins can be served, else 503 and why. How the providers do is told and decides nothing: that
/// one carrier is down is no reason to send the others' users elsewhere.
struct ReadinessEndpoint: Sendable {
    let readiness: ServiceReadiness
    let providers: [Provider]

    func respond(to request: HTTPRequest) async throws(APIError) -> HTTPResponse {
        let state = await readiness.state(now: .now)
        var members: [JSONObject.Member] = []
        var status = HTTPStatus.ok
        switch state {
        case .ready(let keys):
            members = [("status", "ready"), ("store", "ok"), ("signing_keys", .integer(Int64(keys)))]
        case .failing(let error):
            members = [("status", "not_ready"), ("store", .string(Self.words(error)))]
        case .withoutSigningKeys: members = [("status", "not_ready"), ("store", "ok"), ("signing_keys", 0)]
        case .draining: members = [("status", "draining")]
        }
        if let error = Self.error(state) {
            let answer = ErrorAnswer(error)
            status = answer.status
            members += [
                ("error", .string(answer.code)), ("error_description", .string(answer.sentence)),
                ("error_code", .string(answer.code)), ("request_id", .string(request.id)),
            ]
        }
        members.append(("providers", .array(providers.map(Self.document))))
        var response = HTTPResponse.json(status, JSONValue.object(JSONObject(members)).serialized)
        response.headers.append((name: "Cache-Control", value: "no-store"))
        return response
    }

    private static func error(_ state: ServiceReadiness.State) -> APIError? {
        switch state {
        case .ready: nil
        case .failing(let error): .store(error)
        case .withoutSigningKeys: .store(.unavailable(.corrupt))
        case .draining: .signIn(.overloaded)
        }
    }

    private static func words(_ error: RepositoryError) -> String {
        if case .unavailable(let reason) = error { "\(reason)" } else { "\(error)" }
    }

    private static func document(_ provider: Provider) -> JSONValue {
        let hosts = provider.circuits.conditions()
        return [
            "provider": .string(provider.configuration.name),
            "circuits": .array(
                hosts.map { ["host": .string($0.host), "state": .string($0.condition.rawValue)] }),
        ]
    }
}

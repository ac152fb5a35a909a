internal import Crypto
internal import HTTPServer
internal import JOSE
internal import JSON
internal import Synchronization
internal import Syntax

/// The simulation's own switches over HTTP, the same on each port.
struct ControlEndpoints: Sendable {
    private static let maximumLatency: Int64 = 600_000
    private static let maximumKeys = 16

    let world: World

    var routes: [Route] {
        [
            Route(.post, "/control/misbehave") { misbehave($0) },
            Route(.post, "/control/behave") { _ in
                world.switches.clear()
                return Self.done
            },
            Route(.post, "/control/rotate-keys") { rotateKeys($0) },
            Route(.post, "/control/latency") { setLatency($0) },
            Route(.get, "/control/requests") { _ in counts },
            Route(.get, "/control/refreshes") { refreshes($0) },
            Route(.get, "/control/misbehaviours") { _ in
                .object(JSONObject([("names", .strings(Misbehaviour.all.map(\.name)))]))
            },
            Route(.post, "/control/clients/{id}/keys") { registerKeys($0) },
            Route(.post, "/subscribers/{name}/port") { port($0) },
        ] + LogoutTokenControl(world: world).routes + EventControl(world: world).routes
            + PushControl(world: world).routes + LineControl(world: world).routes
    }

    /// The refresh tokens that the plain provider was shown after the request of that number; by their hashes, so that
    /// a log of it tells no token.
    private func refreshes(_ request: HTTPRequest) -> HTTPResponse {
        let after = Fields(query: request)?["after"].flatMap { Int($0) } ?? 0
        let last = world.log.last
        let presented = world.log.requests(after: after).map(\.request)
            .filter { $0.issuer == .plain && $0.endpoint == .token }
            .compactMap { $0.formField("refresh_token") }
            .map { Base64URL.encode(Digest.sha256.hash(Array($0.utf8))) }
        return .object(JSONObject([("last", .integer(Int64(last))), ("presented", .strings(presented))]))
    }

    /// `{"name": …, "endpoint": …, "issuer": …, "times": …}`, all but the name optional.
    private func misbehave(_ request: HTTPRequest) -> HTTPResponse {
        guard let command = try? JSONValue(parsing: request.body), let name = command["name"]?.string else {
            return Self.refusal("The body is no JSON object with a name.")
        }
        guard let misbehaviour = Misbehaviour(name: name) else {
            return Self.refusal("The name is none of those at /control/misbehaviours.")
        }
        var endpoint: SimulatedEndpoint?
        if let text = command["endpoint"]?.string {
            guard let known = SimulatedEndpoint(rawValue: text) else { return Self.refusal("The endpoint is unknown.") }
            endpoint = known
        }
        var issuer: SimulatedIssuer?
        if let text = command["issuer"]?.string {
            guard let known = SimulatedIssuer(rawValue: text) else { return Self.refusal("The issuer is unknown.") }
            issuer = known
        }
        var times: Int?
        if let number = command["times"], !number.isNull {
            guard let count = number.integer, count > 0 else { return Self.refusal("times is no positive number.") }
            times = Int(count)
        }
        world.switches.set(misbehaviour, at: endpoint, of: issuer, times: times)
        return Self.done
    }

    /// `?issuer=`: all keys of that issuer are replaced.
    private func rotateKeys(_ request: HTTPRequest) -> HTTPResponse {
        guard let issuer = Fields(query: request)?["issuer"].flatMap(SimulatedIssuer.init),
            let provider = world.provider(issuer)
        else { return Self.refusal("The issuer is none that has keys.") }
        guard (try? provider.keys.rotate()) != nil else { return HTTPResponse(status: .internalServerError) }
        return Self.done
    }

    /// A JWK set: the client's keys from now on, as a provider would read them at the client's `jwks_uri`.
    private func registerKeys(_ request: HTTPRequest) -> HTTPResponse {
        guard let keys = try? JWKSet(parsing: request.body.span, maximumKeyCount: Self.maximumKeys) else {
            return Self.refusal("The body is no JWK set.")
        }
        guard world.register(keys: keys.keys.map(\.publicKey), of: request.parameters["id"] ?? "") else {
            return Self.refusal("The client is unknown.")
        }
        return Self.done
    }

    /// `{"milliseconds": …}` for each call of a backend.
    private func setLatency(_ request: HTTPRequest) -> HTTPResponse {
        guard let milliseconds = (try? JSONValue(parsing: request.body))?["milliseconds"]?.integer,
            (0...Self.maximumLatency).contains(milliseconds)
        else { return Self.refusal("milliseconds is no number from 0 to \(Self.maximumLatency).") }
        world.latency.withLock { $0 = .milliseconds(milliseconds) }
        return Self.done
    }

    private var counts: HTTPResponse {
        let counts = world.log.counts
        var answer = JSONObject()
        for issuer in SimulatedIssuer.allCases {
            let endpoints = SimulatedEndpoint.allCases.map { endpoint in
                (name: endpoint.rawValue, value: JSONValue.integer(Int64(counts[issuer, endpoint])))
            }
            answer.append(issuer.rawValue, .object(JSONObject(endpoints)))
        }
        return .object(answer)
    }

    /// `?to=aurora` or `?to=borealis`.
    private func port(_ request: HTTPRequest) -> HTTPResponse {
        guard let carrier = Fields(query: request)?["to"].flatMap(SimulatedIssuer.init) else {
            return Self.refusal("to names no carrier.")
        }
        guard world.subscribers.port(request.parameters["name"] ?? "", to: carrier, now: World.now) else {
            return Self.refusal("The subscriber or the carrier is unknown.")
        }
        return .object(JSONObject([("carrier", .string(carrier.rawValue))]))
    }

    private static var done: HTTPResponse { .object(JSONObject()) }

    private static func refusal(_ sentence: String) -> HTTPResponse {
        OAuthError.invalidRequest(sentence).response
    }
}

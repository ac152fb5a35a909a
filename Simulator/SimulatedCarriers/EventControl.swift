internal import HTTPServer
internal import JSON

/// `POST /control/event`: what a provider would tell of a subscriber, for the caller to post.
struct EventControl: Sendable {
    private static let longestAgo: Int64 = 366 * 86_400

    let world: World

    var routes: [Route] {
        [Route(.post, "/control/event") { respond(to: $0) }, Route(.get, "/control/event") { _ in choices }]
    }

    /// What there is to ask for, by dialect.
    private var choices: HTTPResponse {
        .object(
            JSONObject(
                ProviderEvent.Dialect.allCases.map { dialect in
                    let misbehaviours = EventMisbehaviour.allCases.filter { $0.applies(to: dialect) }
                    return (
                        dialect.rawValue,
                        [
                            "events": .strings(dialect.names),
                            "misbehaviours": .strings(misbehaviours.map(\.rawValue)),
                        ]
                    )
                }))
    }

    /// `{"dialect": "apple"|"risc"|"facebook", "subscriber": …, "event": …, "reason": …, "secondsAgo": …, "issuer": …,
    /// "client": …, "misbehaviour": …}`, all but the first two optional.
    private func respond(to request: HTTPRequest) -> HTTPResponse {
        do throws(OAuthError) {
            let command = try? JSONValue(parsing: request.body)
            guard let command, let subscriber = command["subscriber"]?.string.flatMap(Subscriber.named),
                let dialect = command["dialect"]?.string.flatMap(ProviderEvent.Dialect.init)
            else { throw .invalidRequest("The body is no JSON object with a dialect and a subscriber.") }
            let event = try event(of: subscriber, dialect, command)
            var misbehaviour: EventMisbehaviour?
            if let name = command["misbehaviour"]?.string {
                guard let known = EventMisbehaviour(rawValue: name), known.applies(to: dialect) else {
                    throw .invalidRequest("The misbehaviour is none of those that GET names for the dialect.")
                }
                misbehaviour = known
            }
            guard let text = try? event.text(misbehaviour) else { return HTTPResponse(status: .internalServerError) }
            return .object(JSONObject([(dialect.member, .string(text))]))
        } catch {
            return error.response
        }
    }

    private func event(
        of subscriber: Subscriber, _ dialect: ProviderEvent.Dialect, _ command: JSONValue
    ) throws(OAuthError) -> ProviderEvent {
        guard let issuer = SimulatedIssuer(rawValue: command["issuer"]?.string ?? SimulatedIssuer.plain.rawValue),
            let provider = world.provider(issuer)
        else { throw .invalidRequest("The issuer is none that signs anybody in.") }
        let usual = issuer.isCarrier ? SimulatedClient.carrierClientID : SimulatedClient.plainClientID
        guard let client = world.client(command["client"]?.string ?? usual, at: issuer) else {
            throw .invalidRequest("The client is unknown there.")
        }
        let name = command["event"]?.string ?? dialect.names[0]
        guard dialect.names.contains(name) else { throw .invalidRequest("The dialect has no such event.") }
        let secondsAgo = command["secondsAgo"] ?? 0
        guard let secondsAgo = secondsAgo.integer, (0...Self.longestAgo).contains(secondsAgo) else {
            throw .invalidRequest("secondsAgo is no number of seconds within a year.")
        }
        let now = World.now
        return ProviderEvent(
            dialect: dialect, name: name, reason: command["reason"]?.string, provider: provider,
            issuer: world.url(issuer), client: client,
            subject: world.subject(of: subscriber.name, for: client.id, at: issuer),
            time: now - secondsAgo, now: now)
    }
}

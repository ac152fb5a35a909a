internal import HTTPServer
internal import JSON

/// `POST /control/logout-token`: a logout token of a subscriber, for the caller to post.
struct LogoutTokenControl: Sendable {
    let world: World

    var routes: [Route] {
        [
            Route(.post, "/control/logout-token") { respond(to: $0) },
            Route(.get, "/control/logout-token") { _ in
                .object(
                    JSONObject([("misbehaviours", .strings(LogoutTokenMisbehaviour.allCases.map(\.rawValue)))]))
            },
        ]
    }

    /// `{"subscriber": …, "by": "sid"|"sub"|"both", "issuer": …, "client": …, "misbehaviour": …}`, all but the first
    /// optional.
    private func respond(to request: HTTPRequest) -> HTTPResponse {
        do throws(OAuthError) {
            let command = try? JSONValue(parsing: request.body)
            guard let command, let subscriber = command["subscriber"]?.string.flatMap(Subscriber.named) else {
                throw .invalidRequest("The body is no JSON object with a subscriber.")
            }
            let token = try token(of: subscriber, command)
            var misbehaviour: LogoutTokenMisbehaviour?
            if let name = command["misbehaviour"]?.string {
                guard let known = LogoutTokenMisbehaviour(rawValue: name) else {
                    throw .invalidRequest("The misbehaviour is none of those that GET names.")
                }
                misbehaviour = known
            }
            guard let text = try? token.compact(misbehaviour) else {
                return HTTPResponse(status: .internalServerError)
            }
            return .object(JSONObject([("logout_token", .string(text))]))
        } catch {
            return error.response
        }
    }

    private func token(of subscriber: Subscriber, _ command: JSONValue) throws(OAuthError) -> LogoutToken {
        guard let issuer = SimulatedIssuer(rawValue: command["issuer"]?.string ?? SimulatedIssuer.plain.rawValue),
            let provider = world.provider(issuer)
        else { throw .invalidRequest("The issuer is none that signs anybody in.") }
        let usual = issuer.isCarrier ? SimulatedClient.carrierClientID : SimulatedClient.plainClientID
        guard let client = world.client(command["client"]?.string ?? usual, at: issuer) else {
            throw .invalidRequest("The client is unknown there.")
        }
        let now = World.now
        let session = provider.session(of: subscriber, at: client.id, now: now)
        guard let naming = LogoutToken.Naming(rawValue: command["by"]?.string ?? (session == nil ? "sub" : "both")),
            session != nil || naming == .subject
        else { throw .invalidRequest("by is none of sid, sub and both, or there is no session of the subscriber's.") }
        return LogoutToken(
            provider: provider, issuer: world.url(issuer), client: client,
            subject: world.subject(of: subscriber.name, for: client.id, at: issuer), session: session,
            naming: naming, now: now)
    }
}

internal import Crypto
internal import HTTPServer
internal import JSON

/// What a subscriber answers on the phone: by the page, or at once by `POST /control/push`.
struct PushControl: Sendable {
    static let approval = "approve"
    static let denial = "deny"

    let world: World

    var routes: [Route] {
        [
            Route(.get, "/control/push") { _ in
                .object(JSONObject([("misbehaviours", .strings(PushMisbehaviour.allCases.map(\.rawValue)))]))
            },
            Route(.post, "/control/push") { await answer($0) },
        ]
    }

    /// `{"subscriber": …, "issuer": …, "decision": "approve"|"deny"|an error code, "misbehaviours": […], "again":
    /// true}`, all but the first optional. The answer tells with what status each notification was answered; 0 where it
    /// was not.
    private func answer(_ request: HTTPRequest) async -> HTTPResponse {
        guard let command = try? JSONValue(parsing: request.body),
            let subscriber = command["subscriber"]?.string.flatMap(Subscriber.named),
            let provider = SimulatedIssuer(rawValue: command["issuer"]?.string ?? SimulatedIssuer.aurora.rawValue)
                .flatMap(world.provider)
        else { return OAuthError.invalidRequest("The body is no JSON object with a subscriber.").response }
        var misbehaviours: [Misbehaviour] = []
        for name in command["misbehaviours"]?.array ?? [] {
            guard let misbehaviour = name.string.flatMap({ Misbehaviour(name: $0) }) else {
                return OAuthError.invalidRequest("A misbehaviour is unknown.").response
            }
            misbehaviours.append(misbehaviour)
        }
        let isAgain = command["again"]?.boolean ?? false
        let entry = provider.pushes.take(evenIfOver: isAgain, now: World.now) { $0.subscriber.name == subscriber.name }
        guard let entry else { return OAuthError.invalidRequest("The subscriber is asked for nothing.").response }
        let decision = command["decision"]?.string ?? Self.approval
        let statuses = await notify(entry, decision, provider, misbehaviours)
        return .object(JSONObject([("statuses", .array(statuses.map { .integer(Int64($0)) }))]))
    }

    /// Says what the subscriber has answered.
    ///
    /// - Parameter decision: approval, denial, or the error code that the client is told.
    /// - Returns: with what status each notification was answered.
    func notify(
        _ entry: PushBook.Entry, _ decision: String, _ provider: Provider, _ misbehaviours: [Misbehaviour]
    ) async -> [Int] {
        guard let target = PushNotifier.Target(entry.request.notificationURI),
            let body = try? body(entry, decision, provider, misbehaviours)
        else { return [] }
        let misbehaviour = misbehaviours.push
        let bearer = misbehaviour == .wrongBearer ? Random.token(byteCount: 32) : entry.request.notificationToken
        var statuses: [Int] = []
        for _ in 0..<(misbehaviour == .twice ? 2 : 1) {
            let status = await PushNotifier.post(JSONValue.object(body).serialized, to: target, bearer: bearer)
            statuses.append(status ?? 0)
        }
        return statuses
    }

    private func body(
        _ entry: PushBook.Entry, _ decision: String, _ provider: Provider, _ misbehaviours: [Misbehaviour]
    ) throws(CryptoError) -> JSONObject {
        let request = entry.request
        let misbehaviour = misbehaviours.push
        var body = JSONObject([
            ("auth_req_id", .string(misbehaviour == .wrongID ? "another-request" : request.id)),
            ("state", .string(misbehaviour == .wrongState ? "another-state" : request.state)),
            ("correlation_id", .string(request.correlationID)),
            ("scope", .string(request.scopes.sorted().joined(separator: " "))),
        ])
        guard decision == Self.approval else {
            body.append("error", .string(decision == Self.denial ? "access_denied" : decision))
            body.append("error_description", "The simulation was asked for this.")
            return body
        }
        let now = World.now
        let grant = Grant(
            id: Random.token(byteCount: 16), clientID: request.client.id, redirectURI: request.redirectURI,
            subscriber: misbehaviour == .otherSubscriber
                ? Subscriber.wellKnown.last ?? entry.subscriber : entry.subscriber,
            scopes: request.scopes, nonce: request.nonce, level: request.level, context: request.context,
            correlationID: request.correlationID, codeChallenge: nil, authenticationTime: now, algorithm: nil,
            plan: .none)
        let accessToken = provider.grants.makeAccessToken(for: grant, now: now)
        let idToken = IDToken(
            world: world, provider: provider, client: request.client, grant: grant, accessToken: accessToken,
            isRefreshed: false, now: now)
        body.append("access_token", .string(accessToken))
        body.append("expires_in", .string(String(GrantStore.accessTokenLifetime)))
        if misbehaviour != .withoutIDToken { body.append("id_token", .string(try idToken.compact(misbehaviours))) }
        return body
    }
}

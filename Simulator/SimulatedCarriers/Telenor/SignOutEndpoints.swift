internal import Crypto
internal import HTTPServer
internal import JOSE
internal import JSON

/// Signing out: with the browser (OpenID Connect RP-Initiated Logout 1.0), and from server to server.
struct SignOutEndpoints: Sendable {
    static let browserPath = "endsession"
    static let serverPath = "logout"
    private static let maximumTokenBytes = 32_768

    let world: World
    let provider: Provider

    /// `end_session_endpoint`: ends the session of the hint, and sends the browser where the client has registered.
    func endSession(_ fields: Fields?) -> HTTPResponse {
        guard let fields, !fields.hasRepetition else { return Page.error("The parameters can't be read.") }
        guard let (client, session) = fields["id_token_hint"].flatMap(holder),
            fields["client_id"] ?? client.id == client.id
        else { return Page.error("The id_token_hint is no ID token of this issuer's.") }
        let address = fields["post_logout_redirect_uri"]
        guard address.map(client.postLogoutRedirectURIs.contains) ?? true else {
            return Page.error("The post_logout_redirect_uri is not registered for this client.")
        }
        end(session)
        guard let address else { return Page.response(.ok, title: "You are signed out", content: "<p>Goodbye.</p>") }
        let state = fields["state"].map { [(name: "state", value: $0)] } ?? []
        return .redirect(to: URLText.adding(state, to: address))
    }

    /// `custom_logout_endpoint`: 200; 400 for what can't be read, 401 for a hint that is none, 424 where what lies
    /// behind fails.
    func logOut(_ request: HTTPRequest, _ misbehaviours: [Misbehaviour]) -> HTTPResponse {
        switch misbehaviours.logout {
        case .refused: return Self.answer(.badRequest)
        case .unauthorized: return Self.answer(.unauthorized)
        case .upstreamFailed: return Self.answer(HTTPStatus(424))
        case nil: break
        }
        guard request.header("content-type")?.lowercased().hasPrefix("application/json") == true,
            let body = try? JSONValue(parsing: request.body), let hint = body["id_token_hint"]?.string,
            body["state"]?.string?.isEmpty == false
        else { return Self.answer(.badRequest) }
        guard let (_, session) = holder(hint) else { return Self.answer(.unauthorized) }
        end(session)
        return Self.answer(.ok)
    }

    /// Whose session an ID token of this issuer's names, expired or not.
    private func holder(_ token: String) -> (client: SimulatedClient, session: String)? {
        let keys = JSONValue.object(JSONObject([("keys", .array(provider.keys.published.map { .object($0.jwk) }))]))
        guard let set = try? JWKSet(keys, maximumKeyCount: 10),
            let verified = try? JWS.verify(
                token, keys: set, allowed: provider.profile.algorithms, maximumByteCount: Self.maximumTokenBytes),
            let claims = try? JSONValue(parsing: verified.payload.span),
            claims["iss"]?.string == world.url(provider.issuer), let session = claims["sid"]?.string,
            let client = world.client(claims["aud"]?.string, at: provider.issuer)
        else { return nil }
        return (client, session)
    }

    private func end(_ session: String) {
        provider.sessions.end(session, now: World.now)
        provider.grants.end(session: session, now: World.now)
    }

    private static func answer(_ status: HTTPStatus) -> HTTPResponse { .object(JSONObject(), status: status) }
}

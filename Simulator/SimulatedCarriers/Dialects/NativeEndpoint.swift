internal import Crypto
internal import HTTPServer
internal import JSON

/// The SDK of a dialect, as an app has it on its phone: asked for a subscriber, it answers what it hands to the app. No
/// client authenticates, as nothing on a phone can.
struct NativeEndpoint {
    static let path = "/native"

    let world: World
    let provider: Provider
    let dialect: Dialect

    /// What the request itself wants to go wrong.
    static func plan(_ request: HTTPRequest) -> MisbehaviourPlan {
        let names = Fields.formOrJSON(request)?["misbehave"] ?? ""
        return MisbehaviourPlan(names.replacing(",", with: ".")) ?? .none
    }

    func respond(to request: HTTPRequest, _ misbehaviours: [Misbehaviour]) throws(CryptoError) -> HTTPResponse {
        let now = World.now
        let asked: NativeRequest
        do throws(OAuthError) {
            guard let fields = Fields.formOrJSON(request) else {
                throw .invalidRequest("The body is neither a form nor a JSON object.")
            }
            asked = try NativeRequest(fields, to: provider, dialect, world, now: now)
        } catch {
            return error.response
        }
        return .object(try answer(asked, misbehaviours, now: now))
    }

    private func answer(
        _ asked: NativeRequest, _ misbehaviours: [Misbehaviour], now: Int64
    ) throws(CryptoError) -> JSONObject {
        let grant = asked.grant(redirectURI: nil)
        let accessToken = try accessToken(asked, grant, now: now)
        let code = code(asked, now: now)
        let isHashed = if case .withoutRedirectURI = dialect.nativeCode { true } else { false }
        let idToken = IDToken(
            world: world, provider: provider, client: asked.client, grant: grant, accessToken: accessToken ?? "",
            isRefreshed: false, now: asked.issuedAt, code: isHashed ? code : nil)
        if provider.issuer == .apple { provider.note(subject: idToken.subject, of: grant.subscriber, now: now) }
        var answer = JSONObject([("id_token", .string(try idToken.compact(misbehaviours)))])
        answer.append("access_token", ifPresent: accessToken)
        answer.append("code", ifPresent: code)
        if dialect.introducesUsers, asked.isFirst { answer.append("user", .string(AppleUser(grant).text)) }
        return answer
    }

    private func accessToken(
        _ asked: NativeRequest, _ grant: Grant, now: Int64
    ) throws(CryptoError) -> String? {
        switch dialect.nativeAccess {
        case .none: nil
        case .useless: Random.token(byteCount: 24)
        case .good:
            try DialectAccessToken(world: world, provider: provider, client: asked.client, grant: grant).make(now: now)
        }
    }

    /// For the app's server. Google makes one only when it is told which server that is.
    private func code(_ asked: NativeRequest, now: Int64) -> String? {
        var grant: Grant
        switch dialect.nativeCode {
        case .withoutRedirectURI: grant = asked.grant(redirectURI: nil)
        case .withEmptyRedirectURI:
            guard asked.party != nil else { return nil }
            grant = asked.grant(redirectURI: "")
            grant.party = nil
        case nil: return nil
        }
        return provider.grants.makeCode(for: grant, now: now)
    }
}

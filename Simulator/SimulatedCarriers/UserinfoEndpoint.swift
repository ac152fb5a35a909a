internal import Crypto
internal import HTTPServer
internal import JSON

/// The userinfo endpoint (OpenID Connect Core §5.3), in the shape of the issuer.
struct UserinfoEndpoint {
    let world: World
    let provider: Provider

    /// The grant that the request's access token stands for (RFC 6750 §2.1; a token in the query is not looked at).
    func grant(_ request: HTTPRequest) throws(OAuthError) -> Grant {
        let words = (request.header("Authorization") ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bearer" else {
            throw OAuthError(
                "invalid_request", "The access token is missing.", status: .unauthorized, challenge: "Bearer")
        }
        guard let grant = provider.grants.grant(accessToken: String(words[1]), now: World.now),
            provider.dialect?.refusesAtUserinfo != true
        else {
            throw Self.invalidToken
        }
        return grant
    }

    func respond(_ grant: Grant, _ misbehaviours: [Misbehaviour]) throws(CryptoError) -> HTTPResponse {
        let misbehaviour = misbehaviours.userinfo
        let claims = claims(grant, misbehaviour)
        switch misbehaviour {
        case .array: return .json(.ok, JSONValue.array([.object(claims)]).serialized)
        case .signed, .signedBadly:
            var signed = claims
            signed.append("iss", .string(world.url(provider.issuer)))
            signed.append("aud", .string(grant.clientID))
            var draft = TokenDraft(
                type: "JWT", key: provider.keys.key(for: grant.algorithm), claims: signed)
            draft.isSignatureSpoilt = misbehaviour == .signedBadly
            return HTTPResponse(
                status: .ok, headers: [("Content-Type", "application/jwt"), ("Cache-Control", "no-store")],
                body: Array(try draft.compact().utf8))
        case .html: return .html(.ok, "<!DOCTYPE html><title>Welcome</title><p>Please sign in.</p>")
        case .empty: return .json(.ok, [])
        case .unauthorized: return Self.invalidToken.response
        default: return .object(claims)
        }
    }

    private func claims(_ grant: Grant, _ misbehaviour: UserinfoMisbehaviour?) -> JSONObject {
        let subject = world.subject(of: grant.subscriber.name, for: grant.clientID, at: provider.issuer)
        var claims = JSONObject()
        switch misbehaviour {
        case .missingSubject: break
        case .otherSubject: claims.append("sub", .string(subject + "x"))
        default: claims.append("sub", .string(subject))
        }
        if let account = provider.directory?.account(where: { $0.subject == grant.subscriber.name }) {
            return JSONObject(claims.members + Self.members(account, misbehaviour))
        }
        if let dialect = provider.dialect {
            return JSONObject(claims.members + dialect.userinfo(of: grant, subject: subject))
        }
        let isNested = provider.profile.nestsUserinfo && misbehaviour != .flatLevels
        return JSONObject(claims.members + (isNested ? nested(grant) : flat(grant)))
    }

    private static func members(
        _ account: DirectoryBook.Account, _ misbehaviour: UserinfoMisbehaviour?
    ) -> [JSONObject.Member] {
        var members: [JSONObject.Member] = [
            ("id", .string(account.id)), ("name", .string(account.displayName)),
            ("preferred_username", .string(account.username)),
        ]
        if let email = account.email { members.append(("email", .string(email))) }
        if misbehaviour == .numericExternalID {
            members.append(("external_id", 7))
        } else if let externalID = account.externalID {
            members.append(("external_id", .string(externalID)))
        }
        return members
    }

    private func flat(_ grant: Grant) -> [JSONObject.Member] {
        let subscriber = grant.subscriber
        let (carrier, scopes, levels) = (provider.issuer.isCarrier, grant.scopes, provider.profile.levels)
        var members: [JSONObject.Member] = []
        if scopes.contains(carrier ? "name" : "profile") {
            members += [
                ("name", .string(subscriber.fullName)), ("given_name", .string(subscriber.givenName)),
                ("family_name", .string(subscriber.familyName)),
            ]
        }
        if scopes.contains(carrier ? "birthdate" : "profile") {
            members.append(("birthdate", .string(subscriber.birthdate)))
        }
        if scopes.contains("email") {
            members += [
                ("email", .string(subscriber.email)),
                ("email_verified", levels.map { .integer($0.email) } ?? (carrier ? "true" : true)),
            ]
        }
        if scopes.contains("phone") { members.append(("phone_number", .string(subscriber.phoneNumber))) }
        if scopes.contains("postal_code") { members.append(("postal_code", .string(subscriber.postalCode))) }
        if let levels {
            let told = [
                ("name", levels.name), ("phone_number", levels.phone), ("postal_code", levels.postalCode),
                ("birthdate", levels.birthdate),
            ]
            for (name, level) in told where members.contains(where: { $0.name == name }) {
                members.append((name + "_verified", .integer(level)))
            }
        }
        if let claim = provider.profile.crossClientClaim, scopes.contains("profile") {
            let key = SubscriberDirectory.crossClientKey(of: subscriber.name, at: provider.issuer)
            members.append((claim, .string(key)))
        }
        if scopes.contains("address") {
            members.append(
                ("address", .object(JSONObject([("postal_code", .string(subscriber.postalCode)), ("country", "US")]))))
        }
        return members
    }

    private func nested(_ grant: Grant) -> [JSONObject.Member] {
        let subscriber = grant.subscriber
        let levels = provider.profile.levels
        func value(_ text: String, _ level: Int64?, _ others: [JSONObject.Member] = []) -> JSONValue {
            let verified = level.map { [(name: "verified", value: JSONValue.integer($0))] } ?? []
            return .object(JSONObject([(name: "value", value: .string(text))] + others + verified))
        }
        var members: [JSONObject.Member] = []
        if grant.scopes.contains("name") {
            members.append(
                (
                    "name",
                    value(
                        subscriber.fullName, levels?.name,
                        [
                            ("given_name", .string(subscriber.givenName)),
                            ("family_name", .string(subscriber.familyName)),
                        ])
                ))
        }
        if grant.scopes.contains("email") { members.append(("email", value(subscriber.email, levels?.email))) }
        if grant.scopes.contains("phone") { members.append(("phone", value(subscriber.phoneNumber, levels?.phone))) }
        if grant.scopes.contains("postal_code") {
            members.append(("postal_code", value(subscriber.postalCode, levels?.postalCode)))
        }
        if grant.scopes.contains("birthdate") {
            members.append(("birthdate", value(subscriber.birthdate, levels?.birthdate)))
        }
        return members
    }

    /// RFC 6750 §3.1.
    private static let invalidToken = OAuthError(
        "invalid_token", "The access token is unknown, expired or revoked.", status: .unauthorized,
        challenge: "Bearer error=\"invalid_token\"")
}

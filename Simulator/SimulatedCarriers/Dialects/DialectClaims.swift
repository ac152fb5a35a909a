internal import Crypto
internal import JOSE
internal import JSON

/// The claims of a dialect's tokens.
struct DialectClaims {
    let token: IDToken
    let dialect: Dialect

    private var site: DialectSite? { dialect.site(token.grant.tenant, of: base) }
    private var base: String { token.world.url(token.provider.issuer) }
    private var issuer: JSONValue { .string(site?.issuer ?? base) }
    private var party: String { token.grant.party ?? token.client.id }
    private var times: [JSONObject.Member] {
        [("iat", .integer(token.now)), ("exp", .integer(token.now + token.provider.profile.idTokenLifetime))]
    }

    /// Those of its ID tokens.
    var idToken: JSONObject {
        var claims = JSONObject([("iss", issuer), ("sub", .string(token.subject)), ("aud", audience)] + times)
        if dialect.namesParty { claims.append("azp", .string(party)) }
        if !token.isRefreshed { claims.append("nonce", ifPresent: token.grant.nonce) }
        if dialect.hashesAccessToken, !token.accessToken.isEmpty {
            claims.append("at_hash", .string(LeftHalfHash.leftHalf(of: token.accessToken, algorithm: token.algorithm)))
        }
        if let code = token.code {
            claims.append("c_hash", .string(LeftHalfHash.leftHalf(of: code, algorithm: token.algorithm)))
        }
        let withheld = site?.place.withheld ?? []
        let attributes = DialectAttributes(subscriber: token.grant.subscriber, scopes: token.grant.scopes)
        let names = dialect.attributes.filter { !withheld.contains($0) }
        return JSONObject(claims.members + dialect.constants + own + attributes.members(names))
    }

    /// Those of its access tokens that are JWTs, and of what an attacker would post as an ID token: the audience is the
    /// client, so that nothing but its kind tells it from one.
    var accessToken: JSONObject {
        var claims = idToken
        for name in ["at_hash", "c_hash"] { claims.remove(name) }
        claims.set("jti", .string(Random.token(byteCount: 16)))
        switch token.provider.issuer {
        case .keycloak: claims.set("typ", "Bearer")
        case .cognito:
            claims.set("token_use", "access")
            claims.set("client_id", .string(token.client.id))
            claims.set("username", .string(token.subject))
        default: break
        }
        let scope = JSONValue.string(token.grant.scopes.sorted().joined(separator: " "))
        claims.set(token.provider.issuer == .entra ? "scp" : "scope", scope)
        return claims
    }

    /// A project has a number and a name, and is both.
    private var audience: JSONValue {
        guard token.provider.issuer == .firebase else { return .string(token.client.id) }
        return .strings([token.client.id, DialectClients.firebaseProject].map { "\(base)/projects/\($0)" })
    }

    /// What follows from the sign-in.
    private var own: [JSONObject.Member] {
        let authenticated = (name: "auth_time", value: JSONValue.integer(token.grant.authenticationTime))
        let identifier = (name: "jti", value: JSONValue.string(Random.token(byteCount: 16)))
        switch token.provider.issuer {
        case .apple: return [authenticated] + apple
        case .entra: return entra
        case .facebook: return [identifier]
        case .auth0: return [("sid", .string(token.grant.id))]
        case .okta: return [authenticated, identifier]
        case .keycloak: return [authenticated, identifier, ("sid", .string(token.grant.id))]
        case .cognito: return [authenticated, identifier, ("cognito:username", .string(token.subject))]
        default: return []
        }
    }

    private var apple: [JSONObject.Member] {
        var members: [JSONObject.Member] = []
        // 2: probably a real person. Only apps are told.
        if token.grant.isNative { members.append(("real_user_status", 2)) }
        let name = token.grant.subscriber.name
        if let team = token.world.subscribers.newTeam(of: name) {
            members.append(("transfer_sub", .string(AppleMigration.transferSubject(of: name, to: team))))
        }
        return members
    }

    private var entra: [JSONObject.Member] {
        guard let tenant = token.grant.tenant else { return [] }
        guard EntraTenant.isDirectory(tenant) else { return [("tfp", .string(tenant))] }
        let name = EntraTenant.objectIdentifier(of: token.grant.subscriber.name, in: tenant)
        return [("tid", .string(tenant)), ("oid", .string(name))]
    }
}

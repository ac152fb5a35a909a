internal import Crypto
internal import HTTPServer
internal import JSON

/// The introspection endpoint (RFC 7662 §2). A client learns of every client's tokens here, as at many providers: it
/// has to look whom one was issued to.
struct IntrospectionEndpoint {
    static let path = "/introspect"

    let world: World
    let provider: Provider

    /// What a request's token carries of its sign-in.
    func plan(_ request: HTTPRequest) -> MisbehaviourPlan {
        Fields(form: request)?["token"].flatMap { issued($0) }?.grant.plan ?? .none
    }

    func respond(_ request: HTTPRequest, _ misbehaviours: [Misbehaviour]) throws(CryptoError) -> HTTPResponse {
        let misbehaviour = misbehaviours.introspection
        let token: String
        do throws(OAuthError) {
            guard let form = Fields(form: request), !form.hasRepetition else {
                throw .invalidRequest("The body is no form, or a parameter is repeated.")
            }
            _ = try ClientAuthentication(world: world, provider: provider).client(request, form)
            if misbehaviour == .invalidClient {
                throw OAuthError(
                    "invalid_client", "The simulation was asked for this error.", status: .unauthorized,
                    challenge: "Basic realm=\"simulation\"")
            }
            guard let named = form["token"] else { throw .invalidRequest("The token is missing.") }
            token = named
        } catch {
            return error.response
        }
        guard let issued = issued(token) else { return .object(JSONObject([("active", false)])) }
        var answer = JSONObject([("active", true), ("token_type", .string(issued.type))])
        let claims = AccessToken(
            world: world, provider: provider, grant: issued.grant, issuedAt: issued.issuedAt
        ).claims
        for member in claims.members { answer.append(member.name, member.value) }
        spoil(&answer, misbehaviour)
        guard misbehaviour == .signed else { return .object(answer) }
        let draft = TokenDraft(
            type: "token-introspection+jwt", key: provider.keys.key(for: issued.grant.algorithm), claims: answer)
        return HTTPResponse(
            status: .ok, headers: [("Content-Type", "application/token-introspection+jwt")],
            body: Array(try draft.compact().utf8))
    }

    private struct Issued {
        let grant: Grant
        let issuedAt: Int64
        let type: String
    }

    private func issued(_ token: String) -> Issued? {
        let now = World.now
        if let (grant, issuedAt) = provider.grants.issued(accessToken: token, now: now) {
            return Issued(grant: grant, issuedAt: issuedAt, type: "Bearer")
        }
        guard let grant = provider.grants.grant(refreshToken: token, now: now) else { return nil }
        return Issued(grant: grant, issuedAt: now, type: "refresh_token")
    }

    private func spoil(_ answer: inout JSONObject, _ misbehaviour: IntrospectionMisbehaviour?) {
        switch misbehaviour {
        case nil, .invalidClient, .signed: break
        case .inactive: answer.set("active", false)
        case .activeAsText: answer.set("active", "true")
        case .missingActive: answer.remove("active")
        case .withoutAudienceValid: answer.remove("aud")
        case .withoutTypeValid: answer.remove("token_type")
        case .sparseValid:
            for name in ["iss", "exp", "iat", "scope", "auth_time", "acr", "amr", "sid", "token_type"] {
                answer.remove(name)
            }
        case .wrongAudience: answer.set("aud", "another-client")
        case .otherClient:
            answer.remove("aud")
            answer.set("client_id", "another-client")
        case .nobody: for name in ["aud", "client_id"] { answer.remove(name) }
        case .wrongIssuer: answer.set("iss", .string(world.url(provider.issuer) + "/other"))
        case .expired: answer.set("exp", .integer(World.now - 360))
        case .issuedInFuture: answer.set("iat", .integer(World.now + 3_600))
        case .notYet: answer.set("nbf", .integer(World.now + 3_600))
        case .notApplicable: answer.set("token_type", "N_A")
        case .boundType: answer.set("token_type", "DPoP")
        case .bound: answer.set("cnf", .object(JSONObject([("x5t#S256", "of-a-certificate-of-the-app")])))
        case .idToken: answer.set("typ", "ID")
        case .missingSubject: answer.remove("sub")
        case .otherSubject: answer.set("sub", "somebody-else")
        case .lowerLevel: answer.set("acr", .string(provider.profile.levelPrefix + "0"))
        }
    }
}

/// What can be the matter with an answer about a token. Those whose names end in `_valid` are unusual but right.
public enum IntrospectionMisbehaviour: String, Sendable, CaseIterable {
    case invalidClient = "introspection_invalid_client"
    case inactive = "introspection_inactive"
    case activeAsText = "introspection_active_string"
    case missingActive = "introspection_missing_active"
    case withoutAudienceValid = "introspection_without_aud_valid"
    case withoutTypeValid = "introspection_without_token_type_valid"
    /// Nothing but what makes it an answer.
    case sparseValid = "introspection_sparse_valid"
    case wrongAudience = "introspection_wrong_audience"
    /// Without an audience.
    case otherClient = "introspection_other_client"
    /// Neither audience nor client.
    case nobody = "introspection_without_aud_and_client"
    case wrongIssuer = "introspection_wrong_issuer"
    case expired = "introspection_expired"
    case issuedInFuture = "introspection_iat_in_future"
    case notYet = "introspection_nbf_in_future"
    /// What RFC 8693 calls the type of what is no access token.
    case notApplicable = "introspection_token_type_n_a"
    case boundType = "introspection_token_type_dpop"
    case bound = "introspection_cnf"
    /// What Keycloak says of ID tokens.
    case idToken = "introspection_typ_id"
    case missingSubject = "introspection_missing_sub"
    case otherSubject = "introspection_other_sub"
    case lowerLevel = "introspection_wrong_acr"
    /// A JWT (RFC 9701), which nobody has asked for.
    case signed = "introspection_signed"
}

internal import Crypto
internal import JSON

/// Makes an issuer's access tokens where they are to be JWTs (RFC 9068 §2), and tells what one is good for (RFC 7662
/// §2.2).
struct AccessToken {
    let world: World
    let provider: Provider
    let grant: Grant
    /// Unix time.
    let issuedAt: Int64

    private var subject: String {
        world.subject(of: grant.subscriber.name, for: grant.clientID, at: provider.issuer)
    }

    /// What both say. The client that asked for the token is the audience, as no other resource was named.
    var claims: JSONObject {
        JSONObject([
            ("iss", .string(world.url(provider.issuer))), ("sub", .string(subject)), ("aud", .string(grant.clientID)),
            ("client_id", .string(grant.clientID)), ("iat", .integer(issuedAt)),
            ("exp", .integer(issuedAt + GrantStore.accessTokenLifetime)),
            ("scope", .string(grant.scopes.sorted().joined(separator: " "))),
            ("auth_time", .integer(grant.authenticationTime)), ("acr", .string(grant.level)),
            ("amr", grant.level.hasSuffix("3") ? ["hwk", "fpt"] : ["hwk"]), ("sid", .string(grant.id)),
        ])
    }

    /// The token in compact serialization, with what is to be the matter with it.
    func compact(_ misbehaviour: AccessTokenMisbehaviour) throws(CryptoError) -> String {
        var claims = claims
        claims.append("jti", .string(Random.token(byteCount: 16)))
        var draft = TokenDraft(type: "at+jwt", key: provider.keys.key(for: grant.algorithm), claims: claims)
        spoil(&draft, misbehaviour)
        return try draft.compact()
    }

    private func spoil(_ draft: inout TokenDraft, _ misbehaviour: AccessTokenMisbehaviour) {
        switch misbehaviour {
        case .valid: break
        case .withoutAuthenticationValid: for name in ["auth_time", "acr", "amr"] { draft.claims.remove(name) }
        case .badSignature: draft.isSignatureSpoilt = true
        case .algorithmNone:
            draft.header.set("alg", "none")
            draft.signature = .none
        case .hs256WithPublicKey:
            draft.header.set("alg", "HS256")
            draft.signature = .hmac(key: Array(provider.keys.key(for: .rs256).key.publicKey.pemText.utf8))
        case .plainType: draft.header.set("typ", "JWT")
        case .missingType: draft.header.remove("typ")
        case .wrongIssuer: draft.claims.set("iss", .string(world.url(provider.issuer) + "/other"))
        case .wrongAudience: draft.claims.set("aud", "another-client")
        case .missingAudience: draft.claims.remove("aud")
        case .missingClient: draft.claims.remove("client_id")
        case .otherParty: draft.claims.set("azp", "another-client")
        case .expired: draft.claims.set("exp", .integer(issuedAt - 360))
        case .missingExpiry: draft.claims.remove("exp")
        case .issuedInFuture: draft.claims.set("iat", .integer(issuedAt + 3_600))
        case .notYet: draft.claims.set("nbf", .integer(issuedAt + 3_600))
        case .missingSubject: draft.claims.remove("sub")
        case .otherSubject: draft.claims.set("sub", .string(subject + "x"))
        case .bound: draft.claims.set("cnf", .object(JSONObject([("jkt", "of-a-key-of-the-app")])))
        }
    }
}

/// Asks for access tokens that are JWTs, and says what is to be the matter with them. Those whose names end in `_valid`
/// are right.
public enum AccessTokenMisbehaviour: String, Sendable, CaseIterable {
    case valid = "access_token_jwt_valid"
    /// It does not tell how and when the user has authenticated.
    case withoutAuthenticationValid = "access_token_jwt_without_auth_time_valid"
    case badSignature = "access_token_jwt_bad_signature"
    case algorithmNone = "access_token_jwt_alg_none"
    case hs256WithPublicKey = "access_token_jwt_hs256_public_key"
    /// As an ID token has it.
    case plainType = "access_token_jwt_typ_jwt"
    case missingType = "access_token_jwt_missing_typ"
    case wrongIssuer = "access_token_jwt_wrong_issuer"
    case wrongAudience = "access_token_jwt_wrong_audience"
    case missingAudience = "access_token_jwt_missing_aud"
    case missingClient = "access_token_jwt_missing_client_id"
    case otherParty = "access_token_jwt_azp_of_another_client"
    case expired = "access_token_jwt_expired"
    case missingExpiry = "access_token_jwt_missing_exp"
    case issuedInFuture = "access_token_jwt_iat_in_future"
    case notYet = "access_token_jwt_nbf_in_future"
    case missingSubject = "access_token_jwt_missing_sub"
    case otherSubject = "access_token_jwt_other_sub"
    /// To a key that the app has (RFC 7800).
    case bound = "access_token_jwt_cnf"
}

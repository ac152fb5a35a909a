internal import Crypto
internal import JOSE
internal import JSON

/// What can be the matter with a dialect's ID token, beside what can be with everybody's. Those whose names end in
/// `_valid` are unusual but right.
public enum DialectMisbehaviour: String, Sendable, CaseIterable {
    /// The issuer in its other spelling: Google's without a scheme, Facebook's other host.
    case otherSpelling = "id_token_other_issuer_spelling_valid"
    /// Flags as texts, as Apple has them at times.
    case flagsAsText = "id_token_flags_as_text_valid"
    /// Issued to somebody else's app, whose owner passes it on.
    case foreignApp = "id_token_of_another_app"
    /// The same header and claims under another signature that verifies as well: what anybody makes of an ES256 token
    /// (s → n−s).
    case resigned = "id_token_resigned_valid"
    /// `tid` is not the tenant of the issuer.
    case otherTenant = "id_token_tid_of_another_tenant"
    /// Signed with the key that is another tenant's alone.
    case keyOfOtherTenant = "id_token_key_of_another_tenant"
    /// An access token in its place, for the same client and from the same issuer.
    case accessToken = "id_token_is_access_token"
    case missingAccessTokenHash = "id_token_missing_at_hash"
    case missingCodeHash = "id_token_missing_c_hash"
    case wrongCodeHash = "id_token_wrong_c_hash"
}

extension DialectMisbehaviour {
    /// Does to a right token what is asked for; nothing where the dialect has no such thing.
    func spoil(_ draft: inout TokenDraft, of token: IDToken, _ dialect: Dialect) {
        switch self {
        case .otherSpelling: respell(&draft.claims, token, dialect)
        case .flagsAsText: draft.claims = JSONObject(DialectAttributes.withTexts(draft.claims.members))
        case .foreignApp:
            for name in ["aud", "azp"] where draft.claims[name] != nil {
                draft.claims.set(name, .string(DialectClients.foreignApp))
            }
        case .resigned: draft.isResigned = true
        case .otherTenant:
            if draft.claims["tid"] != nil { draft.claims.set("tid", .string(EntraTenant.ofPolicies)) }
        case .keyOfOtherTenant: draft.sign(with: token.provider.keys.second)
        case .accessToken:
            let claims = DialectClaims(token: token, dialect: dialect).accessToken
            draft.claims = claims
            if !dialect.writesAccessTokensAsJWT, token.provider.issuer != .entra { draft.header.set("typ", "at+jwt") }
        case .missingAccessTokenHash: draft.claims.remove("at_hash")
        case .missingCodeHash: draft.claims.remove("c_hash")
        case .wrongCodeHash:
            draft.claims.set("c_hash", .string(LeftHalfHash.leftHalf(of: "another code", algorithm: token.algorithm)))
        }
    }

    private func respell(_ claims: inout JSONObject, _ token: IDToken, _ dialect: Dialect) {
        let base = token.world.url(token.provider.issuer)
        switch dialect.otherSpelling {
        case .withoutScheme: claims.set("iss", .string(String(base.dropFirst("http://".count))))
        case .path(let path): claims.set("iss", .string(base + path))
        case nil: break
        }
    }
}

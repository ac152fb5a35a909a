internal import Crypto
internal import JSON

/// What can be the matter with a logout token. Those whose names end in `_valid` are unusual but right.
public enum LogoutTokenMisbehaviour: String, Sendable, CaseIterable {
    case badSignature = "bad_signature"
    case algorithmNone = "alg_none"
    case hs256WithClientSecret = "hs256_client_secret"
    /// Rightly signed, by an algorithm that no client here has asked for.
    case edDSA = "eddsa"
    case unknownKeyID = "unknown_kid"
    /// An access token's.
    case wrongType = "wrong_typ"
    case plainTypeValid = "typ_jwt_valid"
    case wrongIssuer = "wrong_issuer"
    case missingIssuer = "missing_issuer"
    case wrongAudience = "wrong_audience"
    case audienceInArrayValid = "audience_in_array_valid"
    case expired
    case missingExpiry = "missing_exp"
    /// Issued an hour ago, and good for a week.
    case old = "too_old"
    case issuedInFuture = "iat_in_future"
    case missingIssuedAt = "missing_iat"
    case missingEvents = "missing_events"
    case wrongEvent = "wrong_event"
    case eventAsText = "event_as_text"
    case nonce
    case missingIdentifier = "missing_jti"
    /// Neither a session nor a user.
    case nobody
    case numericSession = "numeric_sid"
    case unknownSessionValid = "unknown_sid_valid"
    case huge
    case garbage
}

extension LogoutTokenMisbehaviour {
    /// Spoils a right token.
    func spoil(_ draft: inout TokenDraft, of token: LogoutToken) {
        switch self {
        case .badSignature, .algorithmNone, .hs256WithClientSecret, .edDSA, .unknownKeyID, .wrongType, .plainTypeValid:
            spoilHeader(&draft, token)
        case .expired, .missingExpiry, .old, .issuedInFuture, .missingIssuedAt:
            spoilTimes(&draft.claims, now: token.now)
        case .huge: draft.claims.append("padding", .string(String(repeating: "x", count: 32_768)))
        case .garbage: draft.replacement = "this.is-not/a=token"
        default: spoilClaims(&draft.claims, token)
        }
    }

    private func spoilHeader(_ draft: inout TokenDraft, _ token: LogoutToken) {
        switch self {
        case .badSignature: draft.isSignatureSpoilt = true
        case .algorithmNone:
            draft.header.set("alg", "none")
            draft.signature = .none
        case .hs256WithClientSecret:
            draft.header.set("alg", "HS256")
            draft.signature = .hmac(key: Array(token.client.secret.utf8))
        case .edDSA: draft.sign(with: token.provider.keys.key(for: .edDSA))
        case .unknownKeyID: draft.header.set("kid", .string("unpublished-\(Random.token(byteCount: 6))"))
        case .wrongType: draft.header.set("typ", "at+jwt")
        case .plainTypeValid: draft.header.set("typ", "JWT")
        default: break
        }
    }

    private func spoilTimes(_ claims: inout JSONObject, now: Int64) {
        switch self {
        case .expired: claims.set("exp", .integer(now - 360))
        case .missingExpiry: claims.remove("exp")
        case .old:
            claims.set("iat", .integer(now - 3_600))
            claims.set("exp", .integer(now + 604_800))
        case .issuedInFuture: claims.set("iat", .integer(now + 3_600))
        case .missingIssuedAt: claims.remove("iat")
        default: break
        }
    }

    private func spoilClaims(_ claims: inout JSONObject, _ token: LogoutToken) {
        switch self {
        case .wrongIssuer: claims.set("iss", .string(token.issuer + "/other"))
        case .missingIssuer: claims.remove("iss")
        case .wrongAudience: claims.set("aud", "another-client")
        case .audienceInArrayValid: claims.set("aud", ["another-client", .string(token.client.id)])
        case .missingEvents: claims.remove("events")
        case .wrongEvent: claims.set("events", ["http://schemas.openid.net/event/other": [:]])
        case .eventAsText: claims.set("events", .string(LogoutToken.event))
        case .nonce: claims.append("nonce", "nonce-of-a-request")
        case .missingIdentifier: claims.remove("jti")
        case .nobody:
            claims.remove("sub")
            claims.remove("sid")
        case .numericSession: claims.set("sid", 310_410)
        case .unknownSessionValid: claims.set("sid", "a-session-of-nobody")
        default: break
        }
    }
}

internal import Crypto
internal import JSON

/// What can be the matter with what a provider tells. Those whose names end in `_valid` are unusual but right. Those
/// that are a logout token's, too, have the same names.
public enum EventMisbehaviour: String, Sendable, CaseIterable {
    case badSignature = "bad_signature"
    case algorithmNone = "alg_none"
    case hs256WithClientSecret = "hs256_client_secret"
    case edDSA = "eddsa"
    case unknownKeyID = "unknown_kid"
    case wrongType = "wrong_typ"
    case plainTypeValid = "typ_jwt_valid"
    case wrongIssuer = "wrong_issuer"
    case missingIssuer = "missing_issuer"
    case wrongAudience = "wrong_audience"
    case audienceInArrayValid = "audience_in_array_valid"
    /// RISC's receivers ignore it.
    case expired
    /// Forty days old.
    case stale
    case issuedInFuture = "iat_in_future"
    case missingIssuedAt = "missing_iat"
    /// It says that it will happen in an hour.
    case eventInFuture = "event_in_future"
    case missingEvents = "missing_events"
    /// A logout token's event.
    case logoutEvent = "logout_event"
    case unknownEventValid = "unknown_event_valid"
    case nonce
    case missingIdentifier = "missing_jti"
    case missingSubject = "missing_sub"
    case numericSubject = "numeric_sub"
    case unknownSubjectValid = "unknown_sub_valid"
    /// Facebook's: another algorithm is named, though it is signed rightly.
    case otherAlgorithm = "other_algorithm"
    /// Facebook's: what a browser has of a sign-in, which is signed alike.
    case cookie
    case huge
    case garbage

    /// Whether it means anything to a dialect: `apple`, `risc` or `facebook`.
    public func applies(to dialect: String) -> Bool {
        ProviderEvent.Dialect(rawValue: dialect).map(applies) ?? false
    }

    func applies(to dialect: ProviderEvent.Dialect) -> Bool {
        switch self {
        case .badSignature, .stale, .issuedInFuture, .missingIssuedAt, .missingSubject, .unknownSubjectValid, .huge,
            .garbage:
            true
        case .otherAlgorithm, .cookie: dialect == .facebook
        default: dialect != .facebook
        }
    }
}

extension EventMisbehaviour {
    private static let fortyDays: Int64 = 40 * 86_400

    /// Spoils a right token.
    func spoil(_ draft: inout TokenDraft, of event: ProviderEvent) {
        switch self {
        case .stale: draft.claims.set("iat", .integer(event.now - Self.fortyDays))
        case .logoutEvent: draft.claims.set("events", .object(JSONObject([(LogoutToken.event, [:])])))
        case .eventInFuture where event.dialect == .risc: draft.claims.set("toe", .integer(event.now + 3600))
        default:
            // All that can be the matter with any signed token.
            LogoutTokenMisbehaviour(rawValue: rawValue)?.spoil(
                &draft,
                of: LogoutToken(
                    provider: event.provider, issuer: event.issuer, client: event.client, subject: event.subject,
                    session: nil, naming: .subject, now: event.now))
        }
    }

    /// Spoils of whom it is told.
    func spoil(subject: inout JSONObject, named name: String) {
        switch self {
        case .missingSubject: subject.remove(name)
        case .numericSubject: subject.set(name, 310_410)
        case .unknownSubjectValid: subject.set(name, "nobody")
        default: break
        }
    }

    /// Spoils a signed request.
    func spoil(request: inout JSONObject, secret: inout String, of event: ProviderEvent) {
        switch self {
        case .badSignature: secret += "-other"
        case .stale: request.set("issued_at", .integer(event.now - Self.fortyDays))
        case .issuedInFuture: request.set("issued_at", .integer(event.now + 3600))
        case .missingIssuedAt: request.remove("issued_at")
        case .otherAlgorithm: request.set("algorithm", "HMAC-SHA1")
        case .cookie: request.append("code", "code-of-a-sign-in")
        case .huge: request.append("padding", .string(String(repeating: "x", count: 32_768)))
        default: spoil(subject: &request, named: "user_id")
        }
    }
}

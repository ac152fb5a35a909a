internal import Crypto
internal import JSON
internal import Syntax

/// Makes what an issuer tells of its subscribers of its own accord, as Apple, Google and Facebook word and sign it. Who
/// asks for one posts it: nobody is called.
struct ProviderEvent {
    enum Dialect: String, CaseIterable {
        case apple, risc, facebook

        /// What there is to tell of; the first unless another is asked for.
        var names: [String] {
            switch self {
            case .apple: ["consent-revoked", "account-delete", "account-deleted", "email-disabled", "email-enabled"]
            case .risc:
                [
                    "sessions-revoked", "tokens-revoked", "token-revoked", "account-disabled", "account-enabled",
                    "account-purged", "account-credential-change-required", "verification",
                ]
            case .facebook: ["signed-request"]
            }
        }

        /// Under which name it is posted; RISC posts it bare.
        var member: String {
            switch self {
            case .apple: "payload"
            case .risc: "token"
            case .facebook: "signed_request"
            }
        }
    }

    static let algorithmOfFacebook = "HMAC-SHA256"

    let dialect: Dialect
    let name: String
    /// Of an account that is closed: `hijacking` or `bulk-account`.
    let reason: String?
    let provider: Provider
    /// The provider's URL.
    let issuer: String
    let client: SimulatedClient
    let subject: String
    /// When it has happened, in Unix time.
    let time: Int64
    /// Unix time.
    let now: Int64

    /// What is to be posted, with what is to be the matter with it.
    func text(_ misbehaviour: EventMisbehaviour?) throws(CryptoError) -> String {
        guard dialect != .facebook else { return signedRequest(misbehaviour) }
        var draft = draft(misbehaviour)
        misbehaviour?.spoil(&draft, of: self)
        return try draft.compact()
    }

    /// The issuer of events: with a slash at its end, as Google's is.
    static func transmitter(_ issuer: String) -> String { issuer + "/" }

    /// Where receivers learn it, and its keys (OpenID Shared Signals Framework 1.0 §7.1).
    static func configuration(of issuer: String, keys: String) -> JSONObject {
        JSONObject([
            ("issuer", .string(transmitter(issuer))), ("jwks_uri", .string(keys)),
            ("delivery_methods_supported", ["https://schemas.openid.net/secevent/risc/delivery-method/push"]),
        ])
    }

    private func draft(_ misbehaviour: EventMisbehaviour?) -> TokenDraft {
        let isApples = dialect == .apple
        let claims = JSONObject([
            ("iss", .string(isApples ? issuer : Self.transmitter(issuer))), ("aud", .string(client.id)),
            ("iat", .integer(now)), ("jti", .string(Random.token(byteCount: 16))),
            ("events", isApples ? .string(appleEvent(misbehaviour)) : riscEvents(misbehaviour)),
        ])
        var draft = TokenDraft(
            type: "secevent+jwt", key: provider.keys.key(for: client.idTokenAlgorithm), claims: claims)
        if isApples { draft.header.remove("typ") } else if time != now { draft.claims.append("toe", .integer(time)) }
        return draft
    }

    /// JSON in a text, with the time in milliseconds and flags as texts.
    private func appleEvent(_ misbehaviour: EventMisbehaviour?) -> String {
        var event = JSONObject([
            ("type", .string(misbehaviour == .unknownEventValid ? "something-new" : name)), ("sub", .string(subject)),
            ("event_time", .integer(time * 1000)),
        ])
        if name.hasPrefix("email") {
            event.append("email", "ada@privaterelay.example")
            event.append("is_private_email", "true")
        }
        if misbehaviour == .eventInFuture { event.set("event_time", .integer((now + 3600) * 1000)) }
        misbehaviour?.spoil(subject: &event, named: "sub")
        return String(decoding: JSONValue.object(event).serialized, as: UTF8.self)
    }

    private func riscEvents(_ misbehaviour: EventMisbehaviour?) -> JSONValue {
        var event = JSONObject()
        switch name {
        case "verification": event.append("state", "state-of-a-verification")
        case "token-revoked":
            event.append("subject", ["subject_type": "oauth_token", "token_type": "refresh_token", "token": "abcdef"])
        default:
            var subject = JSONObject([
                ("subject_type", "iss-sub"), ("iss", .string(Self.transmitter(issuer))), ("sub", .string(self.subject)),
            ])
            misbehaviour?.spoil(subject: &subject, named: "sub")
            event.append("subject", .object(subject))
        }
        event.append("reason", ifPresent: reason)
        let uri = Self.uri(of: misbehaviour == .unknownEventValid ? "something-new" : name)
        return .object(JSONObject([(uri, .object(event))]))
    }

    private static func uri(of name: String) -> String {
        let group = name.hasPrefix("token") ? "oauth" : "risc"
        return "https://schemas.openid.net/secevent/\(group)/event-type/\(name)"
    }

    /// A signature of the encoded payload by the client's secret.
    private func signedRequest(_ misbehaviour: EventMisbehaviour?) -> String {
        var payload = JSONObject([
            ("algorithm", .string(Self.algorithmOfFacebook)), ("issued_at", .integer(time)),
            ("user_id", .string(subject)),
        ])
        var secret = client.secret
        misbehaviour?.spoil(request: &payload, secret: &secret, of: self)
        let text = Base64URL.encode(JSONValue.object(payload).serialized)
        if misbehaviour == .garbage { return "this.is-not/signed" }
        return Base64URL.encode(HMAC.sha256(Array(text.utf8), key: Array(secret.utf8))) + "." + text
    }
}

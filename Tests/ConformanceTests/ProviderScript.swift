import Crypto
import JSON
import TestSupport

/// What a provider does otherwise than it should, or otherwise than most. As it is made, it does all as it should.
struct ProviderScript: Sendable {
    typealias Change<Value> = @Sendable (inout Value) throws -> Void

    /// What stands in an ID token's third part.
    enum Signature: Sendable {
        case right
        /// One bit of it is another.
        case spoilt
        case none
        /// HMAC-SHA-256 under a text that the provider and others know.
        case hmac(key: String)
        /// By a key that the key set does not have.
        case unpublishedKey
    }

    /// When the provider gets other keys.
    enum Rotation: Sendable {
        case never
        /// Between two sign-ins.
        case betweenSignIns
        /// When the relying party has the keys already.
        case beforeSigning
    }

    /// The form of userinfo (OpenID Connect Core §5.3.2).
    enum UserinfoForm: Sendable {
        case object
        /// The object as the only element of an array.
        case array
        /// As a signed JWT, rightly signed or not.
        case signed(Signature)
    }

    /// What ID tokens, and signed userinfo, are signed with.
    var algorithm = SignatureAlgorithm.rs256
    var signature = Signature.right
    var rotation = Rotation.never
    /// Where an endpoint is that is not where it is usually; the configuration is always there.
    var paths: [ProviderRecord.Endpoint: String] = [:]
    var userinfoForm = UserinfoForm.object
    var metadata: Change<JSONObject> = { _ in }
    /// As they are published.
    var keys: Change<[JSONObject]> = { _ in }
    /// What comes back to the redirect URI.
    var authorizationResponse: Change<[String: String]> = { _ in }
    var tokenResponse: Change<JSONObject> = { _ in }
    var idToken: Change<TokenDraft> = { _ in }
    /// The ID token that comes with a refresh.
    var refreshedIDToken: Change<TokenDraft> = { _ in }
    var userinfo: Change<JSONObject> = { _ in }
}

extension ProviderScript {
    /// Changes a claim of every ID token, or takes it out.
    mutating func claim(_ name: String, _ value: JSONValue?) {
        idToken = { $0.claims[setting: name] = value }
    }

    /// Changes a claim by seconds.
    mutating func claim(_ name: String, secondsLater seconds: Int64) {
        idToken = { draft in
            draft.claims[setting: name] = draft.claims[name]?.integer.map { .integer($0 + seconds) }
        }
    }

    /// Announces that the authorization response says whose it is (RFC 9207 §3).
    mutating func announceIssuerInResponses() {
        metadata = { $0[setting: "authorization_response_iss_parameter_supported"] = true }
    }
}

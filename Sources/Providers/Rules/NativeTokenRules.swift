internal import Crypto
internal import JSON
internal import Syntax

/// How an SDK puts the nonce into an ID token that an app asks it for.
public enum NonceForm: String, Sendable, CaseIterable {
    /// As the lower-case hexadecimal SHA-256 of what the app keeps to itself until it signs in here. Seeing the token
    /// is not enough to use it: the text that was hashed is not in it.
    case hexadecimalSHA256 = "sha256-hex"
    /// Likewise as base64url without padding.
    case base64URLSHA256 = "sha256-base64url"
    /// As the app gave it. The nonce can be read from the token.
    case raw
    /// Not at all, or one that nobody knows: then none is compared.
    case none

    fileprivate var isHashed: Bool {
        switch self {
        case .hexadecimalSHA256, .base64URLSHA256: true
        case .raw, .none: false
        }
    }

    /// What the `nonce` of the token must be.
    ///
    /// - Parameter preimage: what the app has drawn.
    /// - Returns: nil where none is compared.
    public func claim(of preimage: String) -> String? {
        switch self {
        case .hexadecimalSHA256: Hexadecimal.encode(Digest.sha256.hash(preimage.utf8.span))
        case .base64URLSHA256: Base64URL.encode(Digest.sha256.hash(preimage.utf8.span))
        case .raw: preimage
        case .none: nil
        }
    }
}

/// What an ID token must keep to beyond the rules of all ID tokens, when an app hands it in that has got it from a
/// provider's SDK: it came by no request of ours, so that nothing but these rules ties it to the app and to this
/// moment. They never change, so they are shared and not copied.
public final class NativeTokenRules: Sendable {
    /// Our client identifiers at the provider beside the section's own: those of the apps.
    public let audiences: [String]
    public let nonceForm: NonceForm
    /// How the SDKs of single clients do it.
    public let nonceForms: [String: NonceForm]
    /// How long ago the token may have been issued, in seconds.
    public let maximumAgeSeconds: Int64

    public init(
        audiences: [String], nonceForm: NonceForm, nonceForms: [String: NonceForm] = [:], maximumAgeSeconds: Int64
    ) {
        (self.audiences, self.nonceForm, self.nonceForms) = (audiences, nonceForm, nonceForms)
        self.maximumAgeSeconds = maximumAgeSeconds
    }

    /// Whether every token must have a nonce that the app knows, whichever client asked for it.
    public var alwaysComparesNonce: Bool { nonceForm != .none && !nonceForms.values.contains(.none) }

    /// Whether no token shows the nonce that its app has drawn, so that the app alone can tell it.
    public var hidesNonces: Bool { nonceForm.isHashed && nonceForms.values.allSatisfy(\.isHashed) }

    /// Whether none ever is compared.
    public var neverComparesNonce: Bool { nonceForm == .none && nonceForms.values.allSatisfy { $0 == .none } }

    /// How the nonce stands in the tokens of one of our clients.
    public func nonceForm(of client: String) -> NonceForm { nonceForms[client] ?? nonceForm }

    /// That a token is an ID token and not an access token, where providers make both of them JWTs for the same
    /// audience: Keycloak writes `typ` into the claims and Cognito `token_use`; no ID token has the `scp` of Entra's
    /// and Okta's access tokens.
    static func isIDToken(_ claims: JSONValue) -> Bool {
        if let type = claims["typ"], !type.isExactly("ID") { return false }
        if let use = claims["token_use"], !use.isExactly("id") { return false }
        return claims["scp"] == nil
    }
}

public import Crypto
internal import JOSE
internal import JSON
import Syntax

/// A statement of who we are, which only we can have signed (RFC 7523 §3, OpenID Connect Core §9). Each is made for one
/// request, and good for one.
public struct ClientAssertion: Sendable {
    /// What an assertion is signed with.
    public enum Key: Sendable {
        /// A key that the operator has given for this provider alone, with the name that the provider knows it by; nil
        /// for its thumbprint (RFC 7638).
        case own(PrivateKey, keyID: String?)
        /// The key of ours that all providers may read at our address.
        case shared(SignatureAlgorithm)
        /// The client secret (`client_secret_jwt`).
        case secret(Secret)
    }

    /// Whom an assertion is for: RFC 7523 §3 asks for the authorization server, and servers differ in what they call
    /// so.
    public enum Audience: String, CaseIterable, Sendable {
        /// The address that the request goes to.
        case endpoint
        /// The token endpoint, wherever the request goes.
        case token
        case issuer
    }

    private enum Signer: Sendable {
        case own(JWTSigner)
        case shared(SignatureAlgorithm)
        case secret(Secret)
    }

    /// For how long one is good, in seconds: the request is sent at once, and two clocks may differ.
    private static let lifetimeSeconds: Int64 = 120
    private static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    private static let headerOfSecret = Base64URL.encode(Array(#"{"typ":"JWT","alg":"HS256"}"#.utf8))

    private let clientID: String
    private let signer: Signer
    private let audience: Audience

    /// - Throws: `CryptoError.algorithmMismatch` for a key that neither RS256 nor ES256 takes.
    public init(clientID: String, key: Key, audience: Audience) throws(CryptoError) {
        (self.clientID, self.audience) = (clientID, audience)
        switch key {
        case .own(let key, let keyID):
            let algorithm: SignatureAlgorithm = key.publicKey.keyType == .rsa ? .rs256 : .es256
            signer = .own(
                try JWTSigner(
                    key: key, algorithm: algorithm, type: ClientKeys.tokenType,
                    keyID: keyID ?? key.publicKey.thumbprint))
        case .shared(let algorithm): signer = .shared(algorithm)
        case .secret(let secret): signer = .secret(secret)
        }
    }

    /// The client secret, where that is what signs.
    var sharedSecret: Secret? { if case .secret(let secret) = signer { secret } else { nil } }

    var sharedKey: SignatureAlgorithm? {
        guard case .shared(let algorithm) = signer else { return nil }
        return algorithm
    }

    var publishedKey: JSONValue? {
        guard case .own(let signer) = signer else { return nil }
        return .object(signer.jwkJSON)
    }

    func proof(
        at endpoint: EndpointURL, of issuer: ProviderMetadata, keys: ClientKeys, now: Int64
    ) throws(ProviderCallError) -> ClientProof {
        let audience =
            switch audience {
            case .endpoint: endpoint.text
            case .token: (issuer.tokenEndpoint ?? endpoint).text
            case .issuer: issuer.issuer
            }
        let assertion = try sign(claims(for: audience, now: now), keys)
        var fields: [UInt8] = []
        // RFC 7521 §4.2 lets it go without; ZenKey's carriers ask for it.
        FormEncoding.append("client_id", clientID, to: &fields)
        FormEncoding.append("client_assertion_type", Self.type, to: &fields)
        FormEncoding.append("client_assertion", assertion, to: &fields)
        return ClientProof(authorization: nil, bodyFields: Secret(fields), secret: Secret(assertion))
    }

    private func claims(for audience: String, now: Int64) -> [UInt8] {
        var claims = JSONWriter(reservingCapacity: 384)
        claims.object { claims in
            claims.member("iss", clientID)
            claims.member("sub", clientID)
            claims.member("aud", audience)
            claims.member("iat", now)
            claims.member("exp", now + Self.lifetimeSeconds)
            claims.member("jti", Random.token(byteCount: 16))
        }
        return claims.bytes
    }

    private func sign(_ claims: [UInt8], _ keys: ClientKeys) throws(ProviderCallError) -> String {
        let signer: JWTSigner?
        switch self.signer {
        case .own(let own): signer = own
        case .shared(let algorithm): signer = keys.signer(algorithm)
        case .secret(let secret):
            let text = Self.headerOfSecret + "." + Base64URL.encode(claims)
            return text + "." + Base64URL.encode(HMAC.sha256(text.utf8.span, key: secret))
        }
        guard let assertion = try? signer?.sign(claims) else { throw .noClientKey }
        return assertion
    }
}

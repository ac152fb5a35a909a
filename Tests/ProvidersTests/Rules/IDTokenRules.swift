import Crypto
import JOSE
import JSON
import Providers
import TestSupport

let now = SigningProvider.now
let clockSkew: Int64 = 60

/// A verifier that the sample token satisfies, with everything asked that can be asked.
func verifier(
    issuer: String = "https://carrier.example", names: IssuerNames? = nil, clientID: String = "ccid-0123456789abcdef",
    trustedAudiences: [String] = [], native: NativeTokenRules? = nil,
    nonce: IDTokenVerifier.ExpectedNonce = .exactly("the-nonce"), acr: [String] = ["a3"],
    context: IDTokenVerifier.ExpectedContext = .exactly("Pay 20 dollars"),
    code: String? = nil, freshness: IDTokenVerifier.Freshness = .anyAge, accessToken: String? = "access",
    digestOfEdDSA: Digest = .sha512
) -> IDTokenVerifier {
    IDTokenVerifier(
        issuer: names ?? IssuerNames(exactly: issuer), clientID: clientID, trustedAudiences: trustedAudiences,
        native: native, nonce: nonce,
        authentication: acr.compactMap { RequiredAuthentication(values: $0) }, context: context, freshness: freshness,
        accessToken: accessToken, code: code, accessTokenDigestOfEdDSA: digestOfEdDSA, clockSkewSeconds: clockSkew)
}

/// What becomes of a token: read, its signature verified with the provider's keys, its claims against the rules.
func outcome(
    of token: String, from provider: SigningProvider = SigningProvider(), keys: JWKSet? = nil,
    allowed: [SignatureAlgorithm] = [.rs256], by verifier: IDTokenVerifier = verifier(), at time: Int64 = now
) throws -> Result<IDToken, IDTokenError> {
    let keys = try keys ?? provider.keySet
    return Result { () throws(IDTokenError) in
        let verified: VerifiedJWS
        do throws(JOSEError) {
            verified = try JWS.verify(token, keys: keys, allowed: allowed, maximumByteCount: 32_768)
        } catch {
            throw IDTokenError(error)
        }
        return try verifier.verify(verified, now: time)
    }
}

extension Result {
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
    var isSuccess: Bool { if case .success = self { true } else { false } }
}

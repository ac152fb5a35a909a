// Whatever claims a provider signs: those that pass hold what the sign-in was about. The input is the payload; it is
// signed here, since nothing else gets as far as the rules.
internal import Crypto
internal import FuzzSupport
internal import JOSE
internal import JSON
internal import Providers

private let now: Int64 = 1_790_000_000
private let issuer = "https://carrier.example"
private let clientID = "ccid-0123456789abcdef"
private let nonce = "n-0S6_WzA2Mj"
private let context = "Pay 20.00 to Example Shop for order 4711"

private struct Carrier: Sendable {
    let signer: JWTSigner
    let keys: JWKSet

    init() throws {
        signer = try JWTSigner(key: try PrivateKey.generate(.ed25519), algorithm: .edDSA, type: "JWT")
        keys = try JWKSet(["keys": [.object(signer.jwkJSON)]], maximumKeyCount: 1)
    }

    func signed(_ payload: [UInt8]) throws -> VerifiedJWS {
        try JWS.verify(signer.sign(payload), keys: keys, allowed: [.edDSA], maximumByteCount: 1 << 20)
    }
}

private let carrier = try? Carrier()

private let verifier = IDTokenVerifier(
    issuer: IssuerNames(exactly: issuer), clientID: clientID, nonce: .exactly(nonce),
    authentication: [RequiredAuthentication(values: "a2 a3")].compactMap(\.self), context: .exactlyOrCut(context),
    freshness: .within(300), accessToken: "access-token", accessTokenDigestOfEdDSA: .sha512, clockSkewSeconds: 60)

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let token = try? carrier?.signed(unsafe fuzzInput(start, count)) else {
        preconditionFailure("every payload can be signed and verified")
    }
    guard let idToken = try? verifier.verify(token, now: now) else { return 0 }
    let claims = idToken.claims
    require(idToken.issuer.utf8.elementsEqual(issuer.utf8), "the issuer is the one asked")
    require(claims["iss"]?.string.map { Array($0.utf8) } == Array(issuer.utf8), "`iss` is the issuer's name")
    require(!idToken.subject.isEmpty && idToken.subject.utf8.count <= 255, "there is a subject")
    let audiences = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string ?? ""]
    require(audiences.contains { $0.utf8.elementsEqual(clientID.utf8) }, "the token is for us")
    require(claims["nonce"]?.string.map { Array($0.utf8) } == Array(nonce.utf8), "the nonce is the one sent")
    require(idToken.acr.flatMap { AuthenticationLevel($0) }.map { $0.rank >= 2 } == true, "the level is reached")
    require(
        idToken.context.map { $0.utf8.count >= 32 && context.hasPrefix($0) } == true, "the text is the one approved")
    require(idToken.authenticationTime.map { abs($0 - now) <= 360 } == true, "the user authenticated just now")
    return 0
}

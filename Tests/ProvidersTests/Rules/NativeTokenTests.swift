import Crypto
import JOSE
import JSON
import Providers
import Syntax
import TestSupport
import Testing

@Suite struct `An ID token that an app has got from an SDK` {
    private static let preimage = "what-the-app-has-drawn"
    private static let hexadecimal = Hexadecimal.encode(Digest.sha256.hash(preimage.utf8.span))
    private static let base64URL = Base64URL.encode(Digest.sha256.hash(preimage.utf8.span))

    private let provider = SigningProvider()

    private func outcome(
        _ form: NonceForm = .hexadecimalSHA256, forms: [String: NonceForm] = [:],
        nonce: IDTokenVerifier.ExpectedNonce = .exactly(preimage), code: String? = nil, maximumAge: Int64 = 600,
        freshness: IDTokenVerifier.Freshness = .anyAge, _ change: (inout TokenDraft) -> Void = { _ in }
    ) throws -> Result<IDToken, IDTokenError> {
        let rules = NativeTokenRules(
            audiences: ["ios-app", "android-app"], nonceForm: form, nonceForms: forms, maximumAgeSeconds: maximumAge)
        let token = try provider.idToken {
            $0.claims[setting: "nonce"] = .string(Self.hexadecimal)
            change(&$0)
        }
        return try ProvidersTests.outcome(
            of: token, by: verifier(native: rules, nonce: nonce, code: code, freshness: freshness))
    }

    @Test(arguments: [
        (NonceForm.hexadecimalSHA256, hexadecimal), (.base64URLSHA256, base64URL), (.raw, preimage),
    ])
    func `has the nonce in the form of its SDK`(form: NonceForm, claim: String) throws {
        #expect(try outcome(form) { $0.claims[setting: "nonce"] = .string(claim) }.isSuccess)
        for other in [Self.hexadecimal, Self.base64URL, Self.preimage] where other != claim {
            #expect(try outcome(form) { $0.claims[setting: "nonce"] = .string(other) }.failure == .nonce)
        }
        #expect(try outcome(form) { $0.claims[setting: "nonce"] = nil }.failure == .nonce)
        #expect(
            try outcome(form, nonce: .unknownToUs) { $0.claims[setting: "nonce"] = .string(claim) }.failure == .nonce)
    }

    @Test(arguments: [NonceForm.hexadecimalSHA256, .base64URLSHA256])
    func `is worth nothing to a thief who reads the nonce in it`(form: NonceForm) throws {
        let claim = form == .hexadecimalSHA256 ? Self.hexadecimal : Self.base64URL
        let stolen = try outcome(form, nonce: .exactly(claim)) { $0.claims[setting: "nonce"] = .string(claim) }
        #expect(stolen.failure == .nonce)
    }

    @Test func `is compared with no nonce where its SDK sets one that nobody knows`() throws {
        #expect(try outcome(.none, nonce: .unknownToUs).isSuccess)
        #expect(try outcome(.none, nonce: .unknownToUs) { $0.claims[setting: "nonce"] = nil }.isSuccess)
        // What must be fresh has to show that it answers.
        #expect(try outcome(.none, freshness: .within(300)).failure == .nonce)
    }

    @Test func `keeps to the form of the client that it was issued to`() throws {
        let forms: [String: NonceForm] = ["android-app": .none]
        let ofAndroid = try outcome(forms: forms, nonce: .unknownToUs) { $0.claims[setting: "azp"] = "android-app" }
        #expect(ofAndroid.isSuccess)
        let ofIOS = try outcome(forms: forms, nonce: .unknownToUs) { $0.claims[setting: "azp"] = "ios-app" }
        #expect(ofIOS.failure == .nonce)
        // The audience counts only where no party is named.
        let ofBoth = try outcome(forms: forms, nonce: .unknownToUs) {
            $0.claims[setting: "aud"] = "android-app"
            $0.claims[setting: "azp"] = "ios-app"
        }
        #expect(ofBoth.failure == .nonce)
    }

    @Test func `is for any of our clients and for nobody else's`() throws {
        for audience: JSONValue in ["ios-app", ["android-app"], ["ios-app", "android-app"]] {
            #expect(try outcome { $0.claims[setting: "aud"] = audience }.isSuccess)
        }
        #expect(try outcome { $0.claims[setting: "aud"] = "another-app" }.failure == .audience)
        #expect(try outcome { $0.claims[setting: "aud"] = ["ios-app", "another-app"] }.failure == .authorizedParty)
        #expect(try outcome { $0.claims[setting: "azp"] = "another-app" }.failure == .authorizedParty)
        let ours = try outcome {
            $0.claims[setting: "aud"] = ["ios-app", "another-app"]
            $0.claims[setting: "azp"] = "android-app"
        }
        #expect(try ours.get().client == "android-app")
    }

    @Test func `of the token endpoint is for the section's own client alone`() throws {
        let token = try provider.idToken { $0.claims[setting: "aud"] = "ios-app" }
        #expect(try ProvidersTests.outcome(of: token).failure == .audience)
    }

    @Test func `is refused when it was issued too long ago`() throws {
        #expect(try outcome { $0.claims[setting: "iat"] = .integer(now - 660) }.isSuccess)
        #expect(try outcome { $0.claims[setting: "iat"] = .integer(now - 661) }.failure == .issuedAt)
        #expect(try outcome(maximumAge: 3600) { $0.claims[setting: "iat"] = .integer(now - 3660) }.isSuccess)
    }

    @Test(arguments: [
        ("typ", "Bearer"), ("typ", "Refresh"), ("typ", "Logout"), ("token_use", "access"), ("scp", "read"),
    ])
    func `is no access token, however much it looks like one`(claim: String, value: String) throws {
        #expect(try outcome { $0.claims[setting: claim] = .string(value) }.failure == .malformed)
        #expect(try outcome { $0.claims[setting: claim] = [.string(value)] }.failure == .malformed)
    }

    @Test func `may say that it is an ID token`() throws {
        #expect(try outcome { $0.claims[setting: "typ"] = "ID" }.isSuccess)
        #expect(try outcome { $0.claims[setting: "token_use"] = "id" }.isSuccess)
        #expect(try outcome { $0.header[setting: "typ"] = "at+jwt" }.failure == .malformed)
    }

    @Test func `goes with the code that came beside it and with no other`() throws {
        let hash = LeftHalfHash.leftHalf(of: "the-code", algorithm: .rs256)
        #expect(try outcome(code: "the-code") { $0.claims[setting: "c_hash"] = .string(hash) }.isSuccess)
        #expect(try outcome(code: "other-code") { $0.claims[setting: "c_hash"] = .string(hash) }.failure == .codeHash)
        #expect(try outcome(code: "the-code") { $0.claims[setting: "c_hash"] = 7 }.failure == .codeHash)
        #expect(try outcome(code: "the-code").isSuccess)
        #expect(try outcome { $0.claims[setting: "c_hash"] = .string(hash) }.isSuccess)
    }

    @Test func `tells whether it knows its access token`() throws {
        let hash = LeftHalfHash.leftHalf(of: "access", algorithm: .rs256)
        #expect(try outcome { $0.claims[setting: "at_hash"] = .string(hash) }.get().namesAccessToken)
        #expect(try !outcome().get().namesAccessToken)
    }
}

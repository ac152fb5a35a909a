import Providers
import SignIn
import Syntax
import TestSupport
import Testing

@testable import SignIn

@Suite struct `An authorized response` {
    private static let zenkey = Provider(.zenkey())

    private func problem(_ changes: [String: String?], for provider: Provider = zenkey) -> ParameterError? {
        var parameters = SignInStage.parameters
        for (name, value) in changes { parameters[name] = value }
        do throws(ParameterError) {
            _ = try AuthorizedResponse({ parameters[$0.rawValue] }, for: provider)
            return nil
        } catch {
            return error
        }
    }

    @Test func `holds what the app posted`() throws {
        let parameters = SignInStage.parameters.merging([
            "acr_values": "a3 a1", "correlation_id": "abc-1", "context": "Pay 20 $", "sdk_version": "2.0",
        ]) { $1 }
        let response = try AuthorizedResponse({ parameters[$0.rawValue] }, for: Self.zenkey)
        #expect(response.code == "the-code")
        #expect(response.redirectURI == ProviderConfiguration.redirectURI)
        #expect(response.network?.mccmnc == "310260")
        #expect(response.codeVerifier == String(repeating: "v", count: 43))
        #expect(response.nonce == "the-nonce")
        #expect(response.acrValues == "a3 a1")
        #expect(response.correlationID == "abc-1")
        #expect(response.context == "Pay 20 $")
        #expect(response.sdkVersion == "2.0")
    }

    @Test(arguments: ["code", "mccmnc", "code_verifier"], [nil, ""] as [String?])
    func `an authorized response must have what is required`(name: String, value: String?) {
        #expect(problem([name: value]) == ParameterError(name, "is missing"))
    }

    @Test(
        arguments: ["iss", "nonce", "acr_values", "correlation_id", "context", "sdk_version"], [nil, ""] as [String?])
    func `an authorized response may leave out the rest`(name: String, value: String?) {
        #expect(problem([name: value]) == nil)
    }

    @Test func `has a max_age of seconds`() throws {
        for (text, seconds) in [("0", 0), ("300", 300), ("9223372036854775807", Int64.max)] {
            let parameters = SignInStage.parameters.merging(["max_age": text]) { $1 }
            let response = try AuthorizedResponse({ parameters[$0.rawValue] }, for: Self.zenkey)
            #expect(response.maximumAgeSeconds == seconds)
        }
        for text in ["-1", "+1", "soon", "1.5", " 1", "9223372036854775808"] {
            #expect(problem(["max_age": text]) == ParameterError("max_age", "must be a number of seconds"))
        }
        #expect(problem(["max_age": ""]) == nil)
        let silent = Provider(.zenkey { $0.authenticationTimes = .never })
        #expect(
            problem(["max_age": "300"], for: silent)
                == ParameterError("max_age", "can't be held to: authTime is never for this provider"))
    }

    @Test func `needs a redirect URI only where there are several`() throws {
        let parameters = SignInStage.parameters.filter { $0.key != "redirect_uri" }
        let response = try AuthorizedResponse({ parameters[$0.rawValue] }, for: Self.zenkey)
        #expect(response.redirectURI == ProviderConfiguration.redirectURI)
        let several = Provider(.zenkey { $0.redirectURIs.append("app:/other") })
        #expect(problem(["redirect_uri": nil], for: several) == ParameterError("redirect_uri", "is missing"))
    }

    @Test func `an authorized response must tell the issuer where the provider demands it`() {
        let provider = Provider(.zenkey { $0.requiresIssuer = true })
        #expect(problem([:], for: provider) == ParameterError("iss", "is missing"))
        #expect(problem(["iss": "https://carrier.example"], for: provider) == nil)
    }

    @Test(arguments: [" ", "   "]) func `asks for no level by blanks`(blanks: String) throws {
        let parameters = SignInStage.parameters.merging(["acr_values": blanks]) { $1 }
        #expect(try AuthorizedResponse({ parameters[$0.rawValue] }, for: Self.zenkey).acrValues == nil)
    }

    @Test(arguments: ["Pay 10\nto Bob", "Amount:\t10", "Zahle 10 € an Bjørn 👩‍👩‍👧", "ادفع ۱۰"])
    func `an authorized response may have a context of several lines`(context: String) {
        #expect(problem(["context": context]) == nil)
    }

    @Test(arguments: ["\r", "\u{B}", "\u{C}", "\u{80}", "\u{85}", "\u{9B}31m", "\u{7F}"])
    func `an authorized response may have no other control characters in its context`(text: String) {
        #expect(problem(["context": "Pay 10" + text]) == ParameterError("context", "has control characters"))
    }

    @Test(arguments: ["31026", "310-260", "3102600", "mobile", "٣١٠٢٦٠"])
    func `names a network by six digits for ZenKey`(mccmnc: String) {
        #expect(problem(["mccmnc": mccmnc]) == ParameterError("mccmnc", "must be six digits"))
    }

    @Test func `names a network by five or six digits elsewhere, if at all`() {
        let provider = Provider(.openID())
        #expect(problem(["mccmnc": "24001"], for: provider) == nil)
        #expect(problem(["mccmnc": "310260"], for: provider) == nil)
        #expect(problem(["mccmnc": nil], for: provider) == nil)
        #expect(
            problem(["mccmnc": "2400"], for: provider) == ParameterError("mccmnc", "must be five or six digits"))
    }

    @Test(arguments: [43, 44, 127, 128])
    func `an authorized response may have a verifier of 43 to 128 characters`(count: Int) {
        #expect(problem(["code_verifier": String(repeating: "a", count: count)]) == nil)
    }

    @Test(arguments: [1, 42, 129, 500])
    func `an authorized response may have no verifier shorter or longer`(count: Int) {
        #expect(problem(["code_verifier": String(repeating: "a", count: count)])?.name == "code_verifier")
    }

    @Test func `an authorized response may have every unreserved character in its verifier`() {
        let all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        #expect(problem(["code_verifier": all]) == nil)
    }

    @Test(arguments: ["+", "/", "=", " ", "%", "é", "&", "\u{1}"])
    func `an authorized response may have no other character in its verifier`(character: String) {
        #expect(problem(["code_verifier": String(repeating: "a", count: 50) + character])?.name == "code_verifier")
    }

    @Test func `an authorized response may leave the verifier out where the provider does without PKCE`() {
        let provider = Provider(.zenkey { $0.requiresPKCE = false })
        #expect(problem(["code_verifier": nil], for: provider) == nil)
        #expect(problem(["code_verifier": "short"], for: provider)?.name == "code_verifier")
    }

    @Test func `an authorized response must have a nonce where the provider demands one`() {
        let provider = Provider(.zenkey { $0.requiresNonce = true })
        #expect(problem(["nonce": nil], for: provider) == ParameterError("nonce", "is missing"))
        #expect(problem([:], for: provider) == nil)
    }

    @Test(arguments: [
        "abcdefgh", "ABC-123_4.5", "123e4567-e89b-12d3-a456-426614174000", String(repeating: "a", count: 64),
    ])
    func `an authorized response may name its sign-in`(correlationID: String) {
        #expect(problem(["correlation_id": correlationID]) == nil)
    }

    @Test(arguments: ["a b", "a\"b", "a=b", "a/b", "ä", "a,b", "a;b", String(repeating: "a", count: 65)])
    func `an authorized response may not name it so that a log could be misread`(correlationID: String) {
        #expect(problem(["correlation_id": correlationID])?.name == "correlation_id")
    }

    @Test(arguments: [
        ("\u{202E}00.5", VisibleText.Fault.direction), ("\u{2066}", .direction), ("\u{200B}", .invisible),
        ("\u{FEFF}", .invisible), ("\u{E0041}", .invisible), ("\u{2028}", .control),
    ])
    func `an authorized response has a context that is as it looks`(text: String, fault: VisibleText.Fault) {
        #expect(problem(["context": "Pay 10" + text]) == ParameterError("context", fault.rawValue))
    }

    @Test func `an authorized response may have a context of 280 characters`() {
        #expect(problem(["context": String(repeating: "é", count: 280)]) == nil)
        #expect(problem(["context": String(repeating: "e", count: 281)])?.name == "context")
    }

    @Test func `an authorized response has a code as long as providers draw them, up to sixteen kilobytes`() {
        for count in [2048, 4097, 16_384] { #expect(problem(["code": String(repeating: "a", count: count)]) == nil) }
        #expect(
            problem(["code": String(repeating: "a", count: 16_385)])
                == ParameterError("code", "is longer than 16384 bytes"))
    }

    @Test(arguments: ["redirect_uri", "nonce", "acr_values", "context"])
    func `an authorized response may have no parameter longer than two kilobytes`(name: String) {
        #expect(
            problem([name: String(repeating: "a", count: 2049)]) == ParameterError(name, "is longer than 2048 bytes"))
        if name != "context" { #expect(problem([name: String(repeating: "a", count: 2048)]) == nil) }
    }

    @Test func `an authorized response may have no longer SDK version than 64 bytes`() {
        #expect(problem(["sdk_version": String(repeating: "1", count: 64)]) == nil)
        #expect(problem(["sdk_version": String(repeating: "1", count: 65)])?.name == "sdk_version")
    }

    @Test(
        arguments: [
            "code", "redirect_uri", "nonce", "acr_values", "context", "sdk_version", "correlation_id", "mccmnc",
        ],
        ["\r\n", "\u{0}", "\u{7F}", "\u{1B}"])
    func `an authorized response may have no control characters`(name: String, text: String) {
        #expect(problem([name: "a" + text]) == ParameterError(name, "has control characters"))
    }

    @Test(arguments: ["code", "redirect_uri", "nonce", "context", "code_verifier", "correlation_id", "mccmnc"])
    func `an authorized response is never repeated in what is said against it`(name: String) {
        let value = String(repeating: "secret\u{1}", count: 500)
        let said = problem([name: value])
        #expect(said != nil)
        #expect(said?.problem.contains("secret") == false)
    }
}

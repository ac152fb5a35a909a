import Crypto
import HTTPClient
import JSON
import Providers
import TestSupport
import Testing

@Suite struct `The words of a provider's refusal` {
    private static let code = "SplxlOBeZQQYbYS6WxSbIA"
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let secret = "7Fjfp0ZBr1KtDRbnfVdmIw"

    private func words(_ body: JSONValue, status: Int = 400) -> String? {
        let sent = [Self.code, Self.verifier, Self.secret, "com.example.app:/callback"]
        return ProviderWords(.json(body, status: status), removing: sent)?.description
    }

    @Test func `the words of a provider's refusal are its code and its description`() {
        #expect(
            words(["error": "invalid_code", "error_description": "The code is expired."])
                == "invalid_code: The code is expired.")
        #expect(words(["error": "invalid_code"]) == "invalid_code")
        #expect(words(["error": "AADSTS7000218"]) == "AADSTS7000218")
    }

    @Test func `the words of a provider's refusal are found in an object, as social networks have it`() {
        let error: JSONValue = [
            "error": [
                "message": "Error validating verification code.", "type": "OAuthException", "code": 100,
                "error_subcode": 36_008, "fbtrace_id": "A1B2C3",
            ]
        ]
        #expect(words(error) == "OAuthException, 100, 36008: Error validating verification code.")
    }

    @Test func `the words of a provider's refusal are none where there is no error`() {
        #expect(words(["message": "no"]) == nil)
        #expect(words(["error": 7]) == nil)
        #expect(ProviderWords(.page(status: 400), removing: []) == nil)
    }

    @Test(arguments: [
        code, verifier, secret, "com.example.app:/callback", "com.example.app%3A%2Fcallback", String(code.prefix(10)),
        "code=\(code)&code_verifier=\(verifier)", "'\(secret)'", "\(secret).", "jane@example.com", "+1 206 555 0100",
        "(206) 555-0100 1", "12065550100", "eyJhbGciOiJSUzI1NiJ9.e30.c2ln", String(repeating: "a", count: 64),
        "Basic Y2NpZC0wMTIzNDU2Nzg5YWJjZGVmOjdGamZwMFpCcjFLdERSYm5mVmRtSXc=",
    ])
    func `the words of a provider's refusal hold nothing that was sent, nor an address, a number or a token`(
        telling: String
    ) {
        for body: JSONValue in [
            ["error": .string("odd \(telling)"), "error_description": "x"],
            ["error": "odd", "error_description": .string("The value \(telling) is wrong")],
            ["error": ["message": .string("The value \(telling) is wrong"), "type": "odd"]],
        ] {
            let words = words(body)
            #expect(words?.contains(telling) == false, "\(words ?? "")")
            #expect(words?.contains("odd") == true)
            for part in [Self.code, Self.verifier, Self.secret, "jane", "5550100", "555 0100"] {
                #expect(words?.contains(part) == false, "\(words ?? "")")
            }
        }
    }

    @Test func `the words of a provider's refusal are short and fit one line`() throws {
        let long = String(repeating: "wrong ", count: 1000)
        let words = try #require(self.words(["error": .string(long), "error_description": .string(long)]))
        #expect(words.count < 320)
        let odd = try #require(self.words(["error": "a\r\nb\u{0}", "error_description": "\u{202E}x\u{2028}y\u{7F}z"]))
        #expect(odd == "a b: x y z")
    }
}

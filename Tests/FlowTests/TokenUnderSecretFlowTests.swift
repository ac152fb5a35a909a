import Crypto
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Syntax
import Testing

@Suite struct `A sign-in with a code at LINE` {
    private static let section = [
        "profile: line", "issuer: '{line}'", "idTokenVerificationURL: '{line}/oauth2/v2.1/verify'",
        "clientID: gatehouse-line", "clientSecret: demo-secret-line", "redirectURIs: ['com.example.app:/callback']",
    ]

    private static var hashOfNonce: String { Hexadecimal.encode(Digest.sha256.hash(Array("hello".utf8))) }

    private func with(_ changes: [String] = [], _ body: (RunningGatehouse) async throws -> Void) async throws {
        let names = Set(changes.map { $0.prefix { $0 != ":" } })
        let lines = Self.section.filter { !names.contains($0.prefix { $0 != ":" }) } + changes
        try await RunningGatehouse.with(top: BrowserFlow.configuration, others: ["line": lines], body)
    }

    /// What an app posts that has sent its user to LINE with a browser.
    private func posted(_ gatehouse: RunningGatehouse) async throws -> JSONValue {
        let verifier = Authorized.makeVerifier()
        let line = try #require(URLComponents(string: gatehouse.simulation.url(of: .line)))
        let query = [
            "client_id": "gatehouse-line", "response_type": "code", "scope": "openid profile email", "state": "s",
            "redirect_uri": "com.example.app:/callback", "nonce": "hello", "prompt": "none", "login_hint": "ada",
            "code_challenge": Authorized.challenge(verifier), "code_challenge_method": "S256",
        ]
        let answer = try await LoopbackClient(port: UInt16(try #require(line.port))).send(
            "GET", line.path + "/oauth2/v2.1/authorize?" + FormText.encode(query))
        let code = try #require(try BrowserFlow.location(of: answer)["code"], "\(answer.text)")
        return [
            "provider": "line", "code": .string(code), "code_verifier": .string(verifier), "nonce": "hello",
            "redirect_uri": "com.example.app:/callback",
        ]
    }

    @Test func `is taken when LINE verifies the ID token under the channel's secret`() async throws {
        try await with { gatehouse in
            let answer = try await gatehouse.post("/auth/signin", try await posted(gatehouse))
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["user"]?["email"] != nil, "\(answer.text)")
        }
    }

    @Test func `ends in the browser with a code for the app`() async throws {
        try await with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let tokens = try await browser.redeem(try await browser.code(["provider": "line"]))
            #expect(tokens.status == 200, "\(tokens.text)")
        }
    }

    @Test func `is refused where nobody is to be asked`() async throws {
        try await with(["idTokenVerificationURL: ''"]) { gatehouse in
            let answer = try await gatehouse.post("/auth/signin", try await posted(gatehouse))
            #expect(answer.status == 401 && answer["reason"] == "algorithm", "\(answer.text)")
        }
    }

    @Test func `fails with the provider's error where that place does not answer`() async throws {
        try await with(["idTokenVerificationURL: '{line}/nowhere'"]) { gatehouse in
            let answer = try await gatehouse.post("/auth/signin", try await posted(gatehouse))
            #expect(answer.status == 502 && answer["error"] == "provider_error", "\(answer.text)")
            #expect(gatehouse.log.text.contains("verification"), "\(gatehouse.log.text)")
            #expect(!gatehouse.log.text.contains("eyJ"))
        }
    }

    @Test func `does not have a token looked at that an app posts, though it would be found good`() async throws {
        try await with { gatehouse in
            let line = try #require(URLComponents(string: gatehouse.simulation.url(of: .line)))
            let port = UInt16(try #require(line.port))
            let headers = ["Content-Type": "application/x-www-form-urlencoded"]
            let native = try await LoopbackClient(port: port).send(
                "POST", line.path + "/native", headers: headers,
                body: Array(
                    FormText.encode([
                        "login_hint": "ada", "client_id": "gatehouse-line", "nonce": Self.hashOfNonce,
                        "misbehave": "id_token_hs256_client_secret",
                    ]).utf8))
            let token = try #require(native["id_token"]?.string, "\(native.text)")
            let looked = try await LoopbackClient(port: port).send(
                "POST", line.path + "/oauth2/v2.1/verify", headers: headers,
                body: Array(FormText.encode(["id_token": token, "client_id": "gatehouse-line"]).utf8))
            #expect(looked.status == 200, "\(looked.text)")
            let answer = try await gatehouse.post(
                "/auth/signin", ["provider": "line", "id_token": .string(token), "nonce": "hello"])
            #expect(answer.status == 401 && answer["reason"] == "algorithm", "\(answer.text)")
        }
    }
}

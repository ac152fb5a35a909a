import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `The sample app` {
    private static let gatehouse = "http://127.0.0.1:18080"

    private func withApp(_ body: (Simulation) throws -> Void) async throws {
        try await withSimulation(gatehouse: Self.gatehouse, body)
    }

    @Test(arguments: [
        ("", "text/html; charset=utf-8"), ("callback?code=c&state=s", "text/html; charset=utf-8"),
        ("approved?code=c", "text/html; charset=utf-8"), ("linked?code=c", "text/html; charset=utf-8"),
        ("app.css", "text/css; charset=utf-8"),
        ("app.js", "text/javascript; charset=utf-8"), ("oauth.js", "text/javascript; charset=utf-8"),
        ("wire.js", "text/javascript; charset=utf-8"), ("views.js", "text/javascript; charset=utf-8"),
        ("words.js", "text/javascript; charset=utf-8"), ("icon.svg", "image/svg+xml"),
    ])
    func `is served with its type, and with a policy that lets it load and reach nothing else`(
        file: String, type: String
    ) async throws {
        try await withApp { simulation throws in
            let answer = try LoopbackClient.get(simulation.sampleApp + file)
            #expect(answer.status == 200 && !answer.body.isEmpty)
            #expect(answer.header("Content-Type") == type)
            #expect(answer.header("X-Content-Type-Options") == "nosniff")
            #expect(answer.header("Referrer-Policy") == "no-referrer")
            let policy = try #require(answer.header("Content-Security-Policy")).split(separator: "; ").map(String.init)
            #expect(
                Set(policy) == [
                    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "base-uri 'none'",
                    "form-action 'none'", "frame-ancestors 'none'", "connect-src 'self' \(Self.gatehouse)",
                ])
        }
    }

    @Test func `its page has neither script nor style in it, and names every file of its own`() async throws {
        try await withApp { simulation throws in
            let page = try LoopbackClient.get(simulation.sampleApp).text
            #expect(!page.contains("<style") && !page.contains("style=") && !page.contains("onclick"))
            #expect(
                page.components(between: "<script", "</script>").allSatisfy { $0.hasSuffix("src=\"/app/app.js\">") })
            #expect(!page.contains("http://") && !page.contains("https://"))
            let scripts = try ["app.js", "oauth.js", "wire.js", "views.js"].map {
                try LoopbackClient.get(simulation.sampleApp + $0).text
            }
            for name in scripts.flatMap({ $0.components(between: "from \"./", "\"") }) {
                #expect(try LoopbackClient.get(simulation.sampleApp + name).status == 200)
            }
            // Everything from elsewhere becomes text.
            #expect(!scripts.joined().contains("innerHTML"))
        }
    }

    @Test func `is told who it is and where everybody is, and no secret`() async throws {
        try await withApp { simulation throws in
            let answer = try LoopbackClient.get(simulation.sampleApp + "settings")
            let settings = try answer.object
            #expect(settings["gatehouse"]?.string == Self.gatehouse)
            #expect(settings["client_id"]?.string == "sample-app")
            let issuers = try #require(settings["providers"]?.array).map { $0["issuer"]?.string }
            #expect(issuers == [simulation.aurora, simulation.borealis, simulation.plain])
            #expect(!answer.text.contains("secret"))
        }
    }

    @Test func `knows to whom a number has moved`() async throws {
        try await withApp { simulation throws in
            func carrier(of number: String) throws -> JSONValue? {
                let numbers = try LoopbackClient.get(simulation.sampleApp + "numbers").object["numbers"]?.array
                return numbers?.first { $0["phone_number"]?.string == number }?["carrier"]
            }
            #expect(try carrier(of: "+12125550102") == nil)
            simulation.port(subscriber: "grace", to: .borealis)
            #expect(try carrier(of: "+12125550102") == "borealis")
        }
    }

    @Test func `may be sent a provider's code at one address, and only where there is such an app`() async throws {
        try await withApp { simulation throws in
            var signIn = SimulatedSignIn(simulation, at: .aurora)
            signIn.redirectURI = simulation.sampleApp + "approved"
            #expect(try signIn.authorizationAnswer()["code"] != nil)
            signIn.redirectURI = simulation.sampleApp + "callback"
            #expect(try signIn.authorize().status == 400)
            var plain = SimulatedSignIn(simulation, at: .plain)
            plain.redirectURI = simulation.sampleApp + "approved"
            #expect(try plain.authorize().status == 400)
            plain.redirectURI = simulation.sampleApp + "linked"
            #expect(try plain.authorizationAnswer()["code"] != nil)
        }
        try await withSimulation { simulation throws in
            #expect(try LoopbackClient.get(simulation.sampleApp).status == 404)
            var signIn = SimulatedSignIn(simulation, at: .aurora)
            signIn.redirectURI = simulation.sampleApp + "approved"
            #expect(try signIn.authorize().status == 400)
        }
    }
}

@Suite struct `What the sample app shows of the carriers` {
    private func withApp(_ body: (Simulation) throws -> Void) async throws {
        try await withSimulation(gatehouse: "http://127.0.0.1:18080", body)
    }

    @Test func `is every request since the one that it names, with the fields and how the caller proved itself`()
        async throws
    {
        try await withApp { simulation throws in
            _ = try SimulatedSignIn(simulation, at: .plain).tokens()
            let before = try LoopbackClient.get(simulation.sampleApp + "requests").object
            let last = try #require(before["last"]?.integer)
            #expect(before["requests"]?.array?.count == Int(last))
            let signIn = SimulatedSignIn(simulation, at: .borealis)
            let code = try signIn.code()
            _ = try signIn.token(code: code)
            let after = try LoopbackClient.get("\(simulation.sampleApp)requests?after=\(last)").object
            #expect(after["last"]?.integer == last + 2)
            let requests = try #require(after["requests"]?.array)
            #expect(requests.map { $0["endpoint"]?.string } == ["authorize", "token"])
            #expect(requests.map { $0["number"]?.integer } == [last + 1, last + 2])
            let token = try #require(requests.last)
            #expect(token["issuer"] == "borealis" && token["method"] == "POST" && token["path"] == "/token")
            #expect(token["authorization"] == "Basic …")
            func field(_ name: String) -> JSONValue? {
                token["fields"]?.array?.first { $0["name"]?.string == name }?["value"]
            }
            #expect(field("grant_type") == "authorization_code")
            #expect(field("code")?.string == code.prefix(6) + "…")
            #expect(field("code_verifier") == "…")
            let none = try LoopbackClient.get("\(simulation.sampleApp)requests?after=9007199254740991").object
            #expect(none["requests"]?.array?.isEmpty == true && none["last"]?.integer == last + 2)
        }
    }

    @Test func `has no secret, code, verifier or token in it, however they were sent`() async throws {
        try await withApp { simulation throws in
            var secrets = [SimulatedSignIn.verifier, "demo-secret", "demo-secret-plain", "stray-secret"]
            for issuer in [SimulatedIssuer.aurora, .borealis, .plain] {
                let signIn = SimulatedSignIn(simulation, at: issuer)
                let code = try signIn.code(["nonce": "a-nonce-of-some-length", "login_hint_token": nil])
                let answer = try signIn.token(
                    code: code, ["client_secret": "stray-secret", "client_assertion": "stray-secret"])
                let tokens = try signIn.tokens()
                _ = try signIn.userinfo(tokens.accessToken)
                if let token = tokens.answer["refresh_token"]?.string {
                    _ = try signIn.refresh(token)
                    secrets.append(token)
                }
                // Some send a token where it does not belong.
                _ = try LoopbackClient.get("\(simulation.borealis)/userinfo?access_token=\(tokens.accessToken)")
                _ = try LoopbackClient.get(
                    "\(simulation.borealis)/userinfo", headers: [("Authorization", tokens.accessToken)])
                secrets += [code, tokens.accessToken, String(signIn.basic.1.dropFirst("Basic ".count))]
                #expect(answer.status != 500)
            }
            let shown = try LoopbackClient.get(simulation.sampleApp + "requests").text
            #expect(shown.contains("\"authorization\":\"Bearer …\"") && shown.contains("code_verifier"))
            for secret in secrets { #expect(!shown.contains(secret)) }
        }
    }
}

extension String {
    /// What stands between one text and the next other one, each time, with what opens it left out.
    fileprivate func components(between opening: String, _ closing: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let start = rest.firstRange(of: opening) {
            rest = rest[start.upperBound...]
            guard let end = rest.firstRange(of: closing) else { break }
            parts.append(String(rest[..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        return parts
    }
}

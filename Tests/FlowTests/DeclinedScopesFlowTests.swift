import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

/// A user who unticks something on the provider's page, over real sockets.
@Suite struct `What a user unticks at the provider` {
    /// Posts the provider's page: approved, with these scopes ticked.
    ///
    /// - Returns: where the provider sends the browser.
    private func approve(
        _ request: [URLQueryItem], at provider: URLComponents, ticking scopes: [String]
    ) async throws -> URLComponents {
        var fields = Dictionary(request.map { ($0.name, $0.value ?? "") }) { first, _ in first }
        fields["prompt"] = nil
        fields["simulation_subscriber"] = "ada"
        fields["simulation_decision"] = "approve"
        for scope in scopes { fields["simulation_scope_\(scope)"] = "on" }
        let port = try #require(provider.port)
        return try BrowserFlow.location(
            of: try await LoopbackClient(port: UInt16(port)).send(
                "POST", "\(provider.path)/decision", headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Array(FormText.encode(fields).utf8)))
    }

    @Test func `is told to the app that posts the code with the scope it has asked for`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let verifier = Authorized.makeVerifier()
            var provider = try #require(URLComponents(string: gatehouse.simulation.plain))
            provider.path = "/authorize"
            let request = [
                "client_id": "gatehouse-demo", "response_type": "code", "scope": "openid profile email phone",
                "redirect_uri": "com.example.app:/callback", "state": "s", "nonce": "n",
                "code_challenge": Authorized.challenge(verifier), "code_challenge_method": "S256",
            ].map { URLQueryItem(name: $0.key, value: $0.value) }
            let back = try await approve(request, at: provider, ticking: ["profile", "phone"])
            let authorized = Authorized(
                code: try #require(back["code"], "\(back)"), verifier: verifier,
                mccmnc: nil, isPlain: true)
            let answer = try await gatehouse.signIn(authorized, ["nonce": "n", "scope": "openid profile email phone"])
            #expect(answer.status == 200 && answer["declined_scopes"] == ["email"], "\(answer.text)")
            #expect(answer["user"]?["name"] == "Ada Lovelace" && answer["user"]?["email"] == nil)
        }
    }

    @Test func `is told to the app that signs its users in through the browser`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            for (ticked, declined) in [
                (["profile"], ["email"] as JSONValue?), (["profile", "email"], nil),
            ] {
                let begun = try await browser.visit(
                    "/auth/authorize?"
                        + FormText.encode(browser.request(["prompt": "", "provider": "plain", "mccmnc": ""])))
                let provider = try BrowserFlow.location(of: begun)
                let back = try await approve(provider.queryItems ?? [], at: provider, ticking: ticked)
                let location = try BrowserFlow.location(of: try await browser.comeBack(back))
                let answer = try await browser.redeem(try #require(location["code"], "\(location)"))
                #expect(answer.status == 200 && answer["declined_scopes"] == declined, "\(answer.text)")
            }
        }
    }
}

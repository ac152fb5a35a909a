import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

/// Token exchange at the profile `telenor-id`: the provider says by introspection whom a token was given to.
@Suite struct `An access token of TelenorID+ that an app holds` {
    /// What TelenorID+ gives an app of its own accord, without this service.
    private func accessToken(_ gatehouse: RunningGatehouse, for client: String) async throws -> String {
        let verifier = String(repeating: "v", count: 43)
        let line = try await TelenorFlow(gatehouse).line(of: "grace")
        let fields = [
            "response_type": "code", "client_id": client, "redirect_uri": "com.example.app:/callback",
            "scope": "openid profile email", "nonce": "n", "state": "s", "prompt": "none", "aloha_token": line.token,
            "code_challenge": Authorized.challenge(verifier), "code_challenge_method": "S256",
        ]
        let port = UInt16(try #require(URLComponents(string: gatehouse.simulation.telenor)?.port))
        let back = try BrowserFlow.location(
            of: try await LoopbackClient(port: port).send("GET", "/connect/authorize?" + FormText.encode(fields)))
        let form = [
            "grant_type": "authorization_code", "code": try #require(back["code"], "\(back)"),
            "code_verifier": verifier, "redirect_uri": "com.example.app:/callback", "client_id": client,
            "client_secret": "demo-secret-telenor",
        ]
        let answer = try await LoopbackClient(port: port).send(
            "POST", "/connect/token", headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array(FormText.encode(form).utf8))
        return try #require(answer["access_token"]?.string, "\(answer.text)")
    }

    @Test func `signs its user in by introspection, and another client's opens nothing`() async throws {
        try await TelenorFlow.with(["telenor": ["tokenExchange: introspection"]]) { gatehouse in
            gatehouse.simulation.misbehave(.document(.withIntrospection), of: .telenor)
            let token = try await accessToken(gatehouse, for: "gatehouse-telenor")
            let answer = try await gatehouse.exchange(token, ["provider": "telenor"])
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["user"]?["name"] == "Grace Hopper" && answer["acr"]?.string?.contains("aal") == true)
            let stolen = try await accessToken(gatehouse, for: "gatehouse-telenor-web")
            try await gatehouse.expectRefused(stolen, "aud")
        }
    }

    @Test func `signs nobody in while the provider announces no introspection, and check-config says so`() async throws
    {
        try await TelenorFlow.with(["telenor": ["tokenExchange: introspection"]]) { gatehouse in
            let token = try await accessToken(gatehouse, for: "gatehouse-telenor")
            let answer = try await gatehouse.exchange(token, ["provider": "telenor"])
            #expect(answer.status == 502 && answer["error"] == "provider_error", "\(answer.text)")
            let file = gatehouse.folder.appending(path: "telenor.yaml")
            let yaml = RunningGatehouse.yaml(
                gatehouse.simulation, gatehouse.folder, telenor: ["telenor": ["tokenExchange: introspection"]])
            try Data(yaml.utf8).write(to: file)
            let run = try await CommandRun(["check-config", "--online", "--config", file.path])
            #expect(run.status == 1, "\(run.everything)")
            #expect(run.everything.contains("telenor exchange: BAD: its metadata name no introspection_endpoint"))
        }
    }
}

import Crypto
import HTTPTesting
import JSON
import SimulatedCarriers
import Syntax
import Testing

@Suite struct `The simulated events` {
    private func answer(_ simulation: Simulation, _ body: String) throws -> HTTPTestAnswer {
        try LoopbackClient.ask(
            "POST", "\(simulation.plain)/control/event", headers: [("Content-Type", "application/json")], body: body)
    }

    private func token(_ simulation: Simulation, _ body: String, _ member: String) throws -> TestToken {
        let text = try #require(try answer(simulation, body).object[member]?.string, "\(body)")
        let token = try TestToken(text)
        let key = try SimulatedSignIn(simulation, at: .plain).key(try token.header["kid"]?.string)
        #expect(token.isSigned(by: key, .rs256))
        return token
    }

    @Test func `of Apple are one event in a text, with milliseconds and flags as texts`() async throws {
        try await withSimulation { simulation throws in
            let body = #"{"dialect":"apple","subscriber":"ada","event":"email-disabled","secondsAgo":60}"#
            let token = try token(simulation, body, "payload")
            #expect(try token.header["typ"] == nil)
            let claims = try token.claims
            #expect(claims["iss"]?.string == simulation.plain && claims["aud"] == "gatehouse-demo")
            let text = try #require(claims["events"]?.string)
            let event = try JSONValue(parsing: Array(text.utf8))
            #expect(event["type"] == "email-disabled" && event["is_private_email"] == "true")
            #expect(event["sub"]?.string == simulation.subject(of: "ada", for: "gatehouse-demo", at: .plain))
            let issued = try #require(claims["iat"]?.integer)
            #expect(event["event_time"]?.integer == (issued - 60) * 1000)
        }
    }

    @Test func `of RISC are of the transmitter that its document names`() async throws {
        try await withSimulation { simulation throws in
            let document = try LoopbackClient.get("\(simulation.plain)/.well-known/risc-configuration").object
            let body = #"{"dialect":"risc","subscriber":"ada","event":"account-disabled","reason":"hijacking"}"#
            let token = try token(simulation, body, "token")
            #expect(try token.header["typ"] == "secevent+jwt")
            let claims = try token.claims
            #expect(claims["iss"] == document["issuer"] && claims["exp"] == nil)
            let event = claims["events"]?["https://schemas.openid.net/secevent/risc/event-type/account-disabled"]
            #expect(event?["reason"] == "hijacking")
            #expect(event?["subject"]?["subject_type"] == "iss-sub")
        }
    }

    @Test func `of Facebook are signed with the client's secret`() async throws {
        try await withSimulation { simulation throws in
            let answer = try answer(simulation, #"{"dialect":"facebook","subscriber":"ada"}"#).object
            let parts = try #require(answer["signed_request"]?.string).split(separator: ".")
            let secret = Array("demo-secret-plain".utf8)
            #expect(Base64URL.decode(String(parts[0])) == HMAC.sha256(Array(parts[1].utf8), key: secret))
            let payload = try JSONValue(parsing: try #require(Base64URL.decode(String(parts[1]))))
            #expect(payload["algorithm"] == "HMAC-SHA256")
        }
    }

    @Test(arguments: [
        "", "{}", #"{"dialect":"apple"}"#, #"{"dialect":"line","subscriber":"ada"}"#,
        #"{"dialect":"apple","subscriber":"NOBODY"}"#,
        #"{"dialect":"apple","subscriber":"ada","event":"sessions-revoked"}"#,
        #"{"dialect":"apple","subscriber":"ada","secondsAgo":-1}"#,
        #"{"dialect":"apple","subscriber":"ada","client":"nobody"}"#,
        #"{"dialect":"apple","subscriber":"ada","misbehaviour":"cookie"}"#,
    ])
    func `are refused to who asks for what there is not`(body: String) async throws {
        try await withSimulation { simulation throws in
            #expect(try answer(simulation, body).status == 400)
        }
    }

    @Test func `have a name for each thing there is, and that can be the matter`() async throws {
        try await withSimulation { simulation throws in
            let choices = try LoopbackClient.get("\(simulation.plain)/control/event").object
            for (dialect, member) in [("apple", "payload"), ("risc", "token"), ("facebook", "signed_request")] {
                let events = try #require(choices[dialect]?["events"]?.array).compactMap(\.string)
                for event in events {
                    let body = #"{"dialect":"\#(dialect)","subscriber":"ada","event":"\#(event)"}"#
                    #expect(try answer(simulation, body).object[member] != nil)
                }
                let names = try #require(choices[dialect]?["misbehaviours"]?.array).compactMap(\.string)
                #expect(names.count > 8)
                for name in names {
                    let body = #"{"dialect":"\#(dialect)","subscriber":"ada","misbehaviour":"\#(name)"}"#
                    #expect(try answer(simulation, body).object[member] != nil, "\(name)")
                }
            }
        }
    }
}

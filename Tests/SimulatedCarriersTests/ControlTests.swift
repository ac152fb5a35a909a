import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@Suite struct `The control endpoints` {
    private func post(_ url: String, _ body: String = "") throws -> HTTPTestAnswer {
        try LoopbackClient.ask("POST", url, headers: [("Content-Type", "application/json")], body: body)
    }

    @Test func `switch misbehaviour on and off on any port`() async throws {
        try await withSimulation { simulation throws in
            let command = #"{"name":"status_500","endpoint":"keys","issuer":"aurora"}"#
            #expect(try post("\(simulation.plain)/control/misbehave", command).status == 200)
            #expect(try LoopbackClient.get("\(simulation.aurora)/jwks").status == 500)
            #expect(try LoopbackClient.get("\(simulation.borealis)/jwks").status == 200)
            #expect(try LoopbackClient.get("\(simulation.aurora)/.well-known/openid-configuration").status == 200)
            #expect(try post("\(simulation.borealis)/control/behave").status == 200)
            #expect(try LoopbackClient.get("\(simulation.aurora)/jwks").status == 200)
        }
    }

    @Test func `count the times`() async throws {
        try await withSimulation { simulation throws in
            #expect(try post("\(simulation.plain)/control/misbehave", #"{"name":"html","times":2}"#).status == 200)
            let types = try (0..<3).map { _ in try LoopbackClient.get("\(simulation.plain)/jwks").header("Content-Type")
            }
            #expect(types == ["text/html; charset=utf-8", "text/html; charset=utf-8", "application/json"])
        }
    }

    @Test(arguments: [
        "", "[]", #"{"name":"unheard_of"}"#, #"{"name":"html","endpoint":"kitchen"}"#,
        #"{"name":"html","issuer":"nobody"}"#, #"{"name":"html","times":0}"#,
    ])
    func `the control endpoints refuse what they do not understand`(body: String) async throws {
        try await withSimulation { simulation throws in
            #expect(try post("\(simulation.plain)/control/misbehave", body).status == 400)
        }
    }

    @Test func `list every name, each of which is taken`() async throws {
        try await withSimulation { simulation throws in
            let names = try #require(
                try LoopbackClient.get("\(simulation.plain)/control/misbehaviours").object["names"]?.array)
            #expect(names.count == Misbehaviour.all.count)
            for name in names {
                let text = try #require(name.string)
                #expect(Misbehaviour(name: text)?.name == text)
            }
            #expect(Misbehaviour(name: "slow_250") == .slow(milliseconds: 250))
            #expect(Misbehaviour(name: "slow_-1") == nil)
        }
    }

    @Test func `port a subscriber from any port`() async throws {
        try await withSimulation { simulation throws in
            let base = simulation.url(of: .discovery)
            #expect(try post("\(base)/subscribers/ada/port?to=borealis").status == 200)
            #expect(try SimulatedSignIn(simulation, at: .aurora).authorizationAnswer()["error"] == "user_not_found")
            #expect(try post("\(base)/subscribers/ada/port?to=plain").status == 400)
            #expect(try post("\(base)/subscribers/ada/port?to=mars").status == 400)
            #expect(try post("\(base)/subscribers/ADA/port?to=aurora").status == 400)
        }
    }

    @Test func `rotate keys and set the latency`() async throws {
        try await withSimulation { simulation throws in
            let before = try SimulatedSignIn(simulation, at: .aurora).keys
            #expect(try post("\(simulation.plain)/control/rotate-keys?issuer=aurora").status == 200)
            #expect(try SimulatedSignIn(simulation, at: .aurora).keys != before)
            #expect(try post("\(simulation.plain)/control/latency", #"{"milliseconds":5}"#).status == 200)
            #expect(simulation.latency == .milliseconds(5))
            #expect(try post("\(simulation.plain)/control/latency", #"{"milliseconds":-5}"#).status == 400)
        }
    }

    @Test func `count requests by issuer and endpoint`() async throws {
        try await withSimulation { simulation throws in
            _ = try SimulatedSignIn(simulation, at: .aurora).tokens()
            _ = try LoopbackClient.get("\(simulation.borealis)/jwks")
            #expect(simulation.counts[.aurora, .token] == 1)
            #expect(simulation.counts[.token] == 1)
            #expect(simulation.counts[.borealis, .keys] == 1)
            #expect(simulation.counts[.aurora, .keys] == 0)
            let answer = try LoopbackClient.get("\(simulation.plain)/control/requests").object
            #expect(answer["aurora"]?["authorize"]?.integer == 1)
        }
    }

    @Test func `the control endpoints keep the requests for a test to look at`() async throws {
        try await withSimulation { simulation throws in
            let signIn = SimulatedSignIn(simulation, at: .aurora)
            _ = try signIn.token(code: try signIn.code(), ["correlation_id": "0123456789abcdef"])
            let request = try #require(simulation.requests(at: .token).first)
            #expect(request.issuer == .aurora)
            #expect(request.authorizationScheme == "basic")
            #expect(request.formField("correlation_id") == "0123456789abcdef")
            #expect(!request.formFieldNames.contains("client_id"))
            #expect(request.header("content-type") == "application/x-www-form-urlencoded")
        }
    }

    @Test func `answer 404 and 405 like any server`() async throws {
        try await withSimulation { simulation throws in
            #expect(try LoopbackClient.get("\(simulation.plain)/nothing").status == 404)
            let answer = try LoopbackClient.get("\(simulation.plain)/token")
            #expect(answer.status == 405)
            #expect(answer.header("Allow") == "POST")
        }
    }
}

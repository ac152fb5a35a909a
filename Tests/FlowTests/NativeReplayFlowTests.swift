import EventLoop
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@testable import Composition
@testable import Operations

@Suite struct `An ID token that was posted before` {
    @Test func `is refused at every dialect`() async throws {
        try await NativeFlow.with(SimulatedIssuer.dialects) { flow in
            for issuer in SimulatedIssuer.dialects {
                let handed = try await flow.ask(issuer)
                #expect(try await flow.post(handed, to: issuer.rawValue).status == 200)
                try await flow.post(handed, to: issuer.rawValue, ["correlation_id": "thief"])
                    .expectRefused(401, "invalid_grant", nil, "\(issuer)")
                flow.expectNothingLogged(of: handed, "\(issuer)")
            }
        }
    }

    @Test(arguments: [SimulatedIssuer.line, .firebase])
    func `is the same one under another signature`(issuer: SimulatedIssuer) async throws {
        try await NativeFlow.with([issuer]) { flow in
            let handed = try await flow.ask(issuer)
            let resigned = JSONValue.string(try #require(ResignedToken.of(handed.idToken)))
            #expect(try await flow.post(handed, to: issuer.rawValue).status == 200)
            try await flow.post(handed, to: issuer.rawValue, ["id_token": resigned]).expectRefused(401, "invalid_grant")
            // By itself it is as good as the first.
            let other = try await flow.ask(issuer, misbehaving: "id_token_resigned_valid")
            #expect(try await flow.post(other, to: issuer.rawValue).status == 200)
        }
    }

    @Test func `twenty times at once signs in once`() async throws {
        try await NativeFlow.with([.google]) { flow in
            let handed = try await flow.ask(.google)
            let answers = try await withThrowingTaskGroup(of: HTTPTestAnswer.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await flow.post(handed, to: "google", ["correlation_id": .string("thief-\(number)")])
                    }
                }
                return try await group.reduce(into: [HTTPTestAnswer]()) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 200 }.count == 1)
            #expect(answers.filter { $0["error"] == "invalid_grant" }.count == 19)
        }
    }

    @Test func `is refused at another section of the same issuer`() async throws {
        try await NativeFlow.with([.okta], others: ["second": NativeFlow.section(.okta)]) { flow in
            let handed = try await flow.ask(.okta)
            #expect(try await flow.post(handed, to: "okta").status == 200)
            try await flow.post(handed, to: "second").expectRefused(401, "invalid_grant")
        }
    }

    @Test func `is refused by a server that has been started since`() async throws {
        let sections = ["line": NativeFlow.section(.line)]
        try await NativeFlow.with([.line]) { flow in
            let handed = try await flow.ask(.line)
            #expect(try await flow.post(handed, to: "line").status == 200)
            let gatehouse = flow.gatehouse
            await gatehouse.server.stop()
            let yaml = RunningGatehouse.yaml(gatehouse.simulation, gatehouse.folder, others: sections)
            let server = try await RunningGatehouse.start(yaml, gatehouse.log, [:])
            let resigned = JSONValue.string(try #require(ResignedToken.of(handed.idToken)))
            for changes in [["correlation_id": "thief"], ["id_token": resigned]] as [[String: JSONValue?]] {
                let answer = try await LoopbackClient(port: server.address.port).send(
                    "POST", "/auth/signin", headers: ["Content-Type": "application/json"],
                    body: handed.body("line", changes).serialized)
                answer.expectRefused(401, "invalid_grant")
            }
            await server.stop()
        }
    }

    @Test func `in vain is still good for its owner`() async throws {
        try await NativeFlow.with([.auth0]) { flow in
            let handed = try await flow.ask(.auth0)
            try await flow.post(handed, to: "auth0", ["nonce": "a thief's"])
                .expectRefused(401, "invalid_id_token", "nonce")
            // Nor does a thief who can't sign use it up with a made-up signature.
            let spoilt = JSONValue.string(handed.idToken.dropLast(8) + "AAAAAAAA")
            try await flow.post(handed, to: "auth0", ["id_token": spoilt])
                .expectRefused(401, "invalid_id_token", "signature")
            #expect(try await flow.post(handed, to: "auth0").status == 200)
        }
    }
}

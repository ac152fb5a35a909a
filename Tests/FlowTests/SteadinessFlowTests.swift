import GatehouseTesting
import HTTPTesting
import JSON
import Patience
import SimulatedCarriers
import Testing

@Suite struct `A service that stays steady` {
    @Test func `leaves a carrier alone that fails every call, and finds it again when it is back`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let warm = try await gatehouse.signIn("ada")
            #expect(warm.status == 200)
            // Beforehand, and more than it takes: the circuit stays open for a second, which a busy machine may miss.
            var apps: [Authorized] = []
            for number in 0..<40 { apps.append(try await gatehouse.authorize("failing\(number)")) }
            gatehouse.simulation.misbehave(.answer(.internalServerError), at: .token, of: .aurora)
            var (failed, exchanges) = (-1, 0)
            var (app, resting) = (apps[0], warm)
            for next in apps {
                (failed, app) = (failed + 1, next)
                exchanges = gatehouse.simulation.counts[.aurora, .token]
                resting = try await gatehouse.signIn(app)
                if resting["error"] != "provider_error" { break }
            }
            #expect(failed >= 20)
            #expect(resting.status == 503)
            #expect(resting["error"] == "provider_unavailable")
            #expect(resting.header("retry-after") == "1")
            #expect(gatehouse.simulation.counts[.aurora, .token] == exchanges, "the carrier was called all the same")
            let other = try await gatehouse.signIn("linus", at: .borealis)
            #expect(other.status == 200, "another carrier's subscriber suffers: \(other.text)")

            gatehouse.simulation.behave()
            var answer = resting
            try await eventually("the end of the rest") {
                answer = try await gatehouse.signIn(app)
                return answer.status != 503
            }
            #expect(answer.status == 200, "a code that never left was spent: \(answer.text)")
        }
    }

    @Test func `sends a call again that may be repeated, and a code exchange never`() async throws {
        try await RunningGatehouse.with { gatehouse in
            for endpoint in [SimulatedEndpoint.discovery, .keys, .userinfo] {
                gatehouse.simulation.misbehave(.answer(.reset), at: endpoint, times: 1)
            }
            let answer = try await gatehouse.signIn("ada")
            #expect(answer.status == 200, "\(answer.text)")
            gatehouse.simulation.misbehave(.answer(.reset), at: .token, times: 1)
            let app = try await gatehouse.authorize("grace")
            let exchanges = gatehouse.simulation.counts[.aurora, .token]
            let lost = try await gatehouse.signIn(app)
            #expect(lost.status == 502)
            #expect(gatehouse.simulation.counts[.aurora, .token] == exchanges + 1)
            let again = try await gatehouse.signIn(app)
            #expect(again["error"] == "invalid_grant")
            #expect(gatehouse.simulation.counts[.aurora, .token] == exchanges + 1)
        }
    }

    @Test func `lets no more sign-ins of one provider in than its bulkhead holds`() async throws {
        try await RunningGatehouse.with(zenkey: ["inFlight: 2"]) { gatehouse in
            let warm = try await gatehouse.signIn("ada")
            #expect(warm.status == 200)
            var apps: [Authorized] = []
            for number in 0..<6 { apps.append(try await gatehouse.authorize("bulk\(number)")) }
            gatehouse.simulation.latency = .milliseconds(500)
            let answers = await withTaskGroup(of: HTTPTestAnswer?.self) { group in
                for app in apps { group.addTask { try? await gatehouse.signIn(app) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0?.status == 200 } == 2)
            let shed = answers.compactMap(\.self).filter { $0.status == 503 }
            #expect(shed.count == 4)
            #expect(shed.allSatisfy { $0["error"] == "overloaded" && $0.header("retry-after") != nil })
            let other = try await gatehouse.signIn("linus", at: .plain)
            #expect(other.status == 200)
        }
    }
}

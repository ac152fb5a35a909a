import GatehouseTesting
import HTTPTesting
import JSON
import Patience
import SimulatedCarriers
import Testing

/// A sign-in whose app does not wait for the answer.
enum LeavingFlow {
    /// Long enough that no call of these tests ends by itself.
    static let patient = ["inFlight: 1", "timeoutSeconds: 60", "signInTimeoutSeconds: 60"]

    /// Posts a sign-in, and goes away while the provider is called.
    static func leave(
        _ app: Authorized, _ gatehouse: RunningGatehouse, during endpoint: SimulatedEndpoint
    ) async throws {
        let before = gatehouse.simulation.counts[endpoint]
        let request = HTTPTestRequest(
            "POST", "/auth/signin", headers: [("Content-Type", "application/json")], body: app.body().serialized)
        let connection = try HTTPTestConnection(to: gatehouse.port)
        try #require(connection.write(request.bytes(to: "127.0.0.1")))
        try await eventually("the provider's call") { gatehouse.simulation.counts[endpoint] != before }
        connection.reset()
    }
}

@Suite struct `An app that goes away` {
    /// What a sign-in comes to once the only place is free.
    private func signInWhenFree(_ app: Authorized, _ gatehouse: RunningGatehouse) async throws -> HTTPTestAnswer {
        var answer = try await gatehouse.signIn(app)
        try await eventually("the place") {
            if answer["error"] == "overloaded" { answer = try await gatehouse.signIn(app) }
            return answer["error"] != "overloaded"
        }
        return answer
    }

    @Test func `keeps its place until its sign-in has ended, by the time that calls have at the latest`() async throws {
        try await RunningGatehouse.with(
            zenkey: ["inFlight: 1", "timeoutSeconds: 5", "signInTimeoutSeconds: 5"]
        ) { gatehouse in
            let warm = try await gatehouse.signIn("ada")
            #expect(warm.status == 200)
            let app = try await gatehouse.authorize("grace")
            let next = try await gatehouse.authorize("mary")
            gatehouse.simulation.misbehave(.answer(.hang), at: .userinfo, times: 2)
            try await LeavingFlow.leave(app, gatehouse, during: .userinfo)
            let answer = try await signInWhenFree(next, gatehouse)
            #expect(answer.status == 200 || answer["error"] == "provider_timeout", "\(answer.text)")
            let exchanges = gatehouse.simulation.counts[.token]
            let again = try await signInWhenFree(app, gatehouse)
            #expect(again["error"] == "invalid_grant", "\(again.text)")
            #expect(gatehouse.simulation.counts[.token] == exchanges, "a used code went to the carrier again")
        }
    }

    @Test func `during the exchange of its code is signed in all the same`() async throws {
        try await RunningGatehouse.with(zenkey: LeavingFlow.patient + ["userinfo: false"]) { gatehouse in
            let warm = try await gatehouse.signIn("ada")
            #expect(warm.status == 200)
            let app = try await gatehouse.authorize("grace")
            gatehouse.simulation.misbehave(.slow(milliseconds: 500), at: .token, times: 1)
            try await LeavingFlow.leave(app, gatehouse, during: .token)
            let exchanges = gatehouse.simulation.counts[.token]
            let again = try await signInWhenFree(app, gatehouse)
            #expect(again.status == 200 && again["new_user"] == true, "\(again.text)")
            #expect(gatehouse.simulation.counts[.token] == exchanges, "a used code went to the carrier again")
            let later = try await gatehouse.signIn("grace")
            #expect(later["new_user"] == false, "what was exchanged is lost: \(later.text)")
        }
    }
}

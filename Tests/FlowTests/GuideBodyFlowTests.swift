import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

/// What an app sends that was written after ZenKey's guide of 2020, and nothing else.
@Suite struct `The body of the guides` {
    private static func body(_ authorized: Authorized, _ more: [(name: String, value: JSONValue)] = []) -> JSONValue {
        .object(
            JSONObject(
                [
                    ("code", .string(authorized.code)), ("mccmnc", .string(authorized.mccmnc ?? "")),
                    ("redirectURI", .string(RunningGatehouse.redirectURI)),
                    ("codeVerifier", .string(authorized.verifier)), ("nonce", "n-1"),
                    ("correlationId", "0123456789ab"), ("context", "Do you want to sign in?\nAcme"),
                ] + more))
    }

    private static let asked = ["nonce": "n-1", "context": "Do you want to sign in?\nAcme", "acr_values": "a1 a3"]

    @Test(arguments: ["/auth/signin", "/auth/zenkey-signin"])
    func `signs in where one provider of carriers is configured`(path: String) async throws {
        try await RunningGatehouse.with { gatehouse in
            let authorized = try await gatehouse.authorize("ada", Self.asked)
            let answer = try await gatehouse.post(path, Self.body(authorized, [("acrValues", ["a1", "a3"])]))
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test func `needs no redirect URI where one is configured`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let authorized = try await gatehouse.authorize("ada")
            let answer = try await gatehouse.signIn(authorized, ["redirect_uri": nil, "client_id": nil])
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test func `the body of the guides must be right in what it has`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let authorized = try await gatehouse.authorize("ada", Self.asked)
            for (name, error) in [
                ("clientId", "unknown_client"), ("provider", "unknown_provider"),
                ("redirect_uri", "invalid_request"),
            ] {
                let answer = try await gatehouse.post("/auth/signin", Self.body(authorized, [(name, "other")]))
                #expect(answer.status == 400)
                #expect(answer["error"] == .string(error), "\(answer.text)")
            }
            let plain = try await gatehouse.authorize("ada", at: .plain)
            #expect(try await gatehouse.signIn(plain, ["client_id": nil])["error"] == "invalid_request")
            #expect(try await gatehouse.post("/auth/signin", Self.body(authorized)).status == 200)
        }
    }
}

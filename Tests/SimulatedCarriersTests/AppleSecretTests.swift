import Crypto
import HTTPTesting
import JOSE
import JSON
import SimulatedCarriers
import Testing

@Suite struct `A client secret as Apple takes it` {
    private static let halfAYear: Int64 = 15_777_000

    private let key: PrivateKey
    private let party: StatingClient

    init() throws {
        key = try PrivateKey.generate(.ellipticCurve(.p256))
        party = StatingClient([.apple], secret: "a-secret-that-is-long-enough-for-HS256", keys: [key.publicKey])
    }

    private func claims(_ changes: [String: JSONValue?] = [:]) -> [UInt8] {
        StatingClient.changed(
            [
                "iss": "DEMOTEAM01", "sub": .string(party.client.id), "aud": "https://appleid.apple.com",
                "iat": .integer(StatingClient.now), "exp": .integer(StatingClient.now + 3600),
            ], changes)
    }

    private func answer(_ simulation: Simulation, _ secret: String) throws -> HTTPTestAnswer {
        try party.redeem(simulation, [("client_id", party.client.id), ("client_secret", secret)])
    }

    @Test func `is good until it ends, for half a year at most`() async throws {
        try await withSimulation(clients: [party.client]) { simulation throws in
            let secret = try StatingClient.signed(claims(), with: key)
            #expect(try answer(simulation, secret).status == 200)
            #expect(try answer(simulation, secret).status == 200, "and serves more than one request")
            let longest = claims(["exp": .integer(StatingClient.now + Self.halfAYear)])
            #expect(try answer(simulation, StatingClient.signed(longest, with: key)).status == 200)
        }
    }

    @Test(
        arguments: [
            ("iss", "ANOTHERTEM"), ("iss", nil), ("iss", "signing-client"), ("sub", "another-client"), ("sub", nil),
            ("aud", "https://elsewhere.example.com"), ("aud", nil), ("exp", 1), ("exp", nil), ("exp", 4_000_000_000),
            ("iat", nil), ("iat", 4_000_000_000),
        ] as [(String, JSONValue?)])
    func `a secret for Apple is refused with a claim that is wrong or missing`(claim: String, value: JSONValue?)
        async throws
    {
        try await withSimulation(clients: [party.client]) { simulation throws in
            try expectUnknownClient(answer(simulation, StatingClient.signed(claims([claim: value]), with: key)))
        }
    }

    @Test func `a secret for Apple is refused with another key, another name, or as something else`() async throws {
        try await withSimulation(clients: [party.client]) { simulation throws in
            let secret = try StatingClient.signed(claims(), with: key)
            let other = try PrivateKey.generate(.ellipticCurve(.p256))
            try expectUnknownClient(answer(simulation, StatingClient.signed(claims(), with: other)))
            try expectUnknownClient(
                party.redeem(simulation, [("client_id", "another-client"), ("client_secret", secret)]))
            // Neither the text that other clients share with their provider, nor a signature under it, nor an
            // assertion.
            try expectUnknownClient(answer(simulation, party.client.secret))
            try expectUnknownClient(answer(simulation, StatingClient.signed(claims(), with: party.client.secret)))
            try expectUnknownClient(party.redeem(simulation, assertion: secret))
            let assertion = try StatingClient.signed(party.claims(simulation), with: key)
            try expectUnknownClient(party.redeem(simulation, assertion: assertion))
        }
    }
}

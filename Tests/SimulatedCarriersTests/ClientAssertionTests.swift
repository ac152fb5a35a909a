import Crypto
import HTTPTesting
import JOSE
import JSON
import SimulatedCarriers
import Testing

/// What is wrong with a claim, whatever the assertion is signed with.
private let wrongClaims: [(String, JSONValue?)] = [
    ("iss", "another-client"), ("iss", nil), ("sub", "another-client"), ("aud", "https://elsewhere.example.com/token"),
    ("aud", nil), ("exp", 1), ("exp", 4_000_000_000), ("exp", nil), ("iat", 4_000_000_000), ("jti", nil), ("jti", ""),
]

@Suite struct `A client assertion` {
    private let key: PrivateKey
    private let party: StatingClient

    init() throws {
        key = try PrivateKey.generate(.ellipticCurve(.p256))
        party = StatingClient([.privateKeyJWT], secret: Self.secret, keys: [key.publicKey])
    }

    private static let secret = "a-secret-that-is-long-enough-for-HS256"

    private func answer(
        _ simulation: Simulation, _ changes: [String: JSONValue?] = [:], signedWith other: PrivateKey? = nil,
        fields: [(String, String)] = []
    ) throws -> HTTPTestAnswer {
        let assertion = try StatingClient.signed(party.claims(simulation, changes), with: other ?? key)
        return try party.redeem(simulation, assertion: assertion, fields)
    }

    @Test func `proves who the client is, with or without its name beside it`() async throws {
        try await withSimulation(clients: [party.client]) { simulation throws in
            #expect(try answer(simulation).status == 200)
            #expect(try answer(simulation, fields: [("client_id", party.client.id)]).status == 200)
            #expect(try answer(simulation, ["aud": .array([.string(simulation.borealis)])]).status == 200)
        }
    }

    @Test(arguments: wrongClaims)
    func `a client assertion is refused with a claim that is wrong or missing`(claim: String, value: JSONValue?)
        async throws
    {
        try await withSimulation(clients: [party.client]) { simulation throws in
            try expectUnknownClient(answer(simulation, [claim: value]))
        }
    }

    @Test func `a client assertion is refused with another key, another name beside it, or a second time`() async throws
    {
        try await withSimulation(clients: [party.client]) { simulation throws in
            let other = try PrivateKey.generate(.ellipticCurve(.p256))
            try expectUnknownClient(answer(simulation, signedWith: other))
            try expectUnknownClient(answer(simulation, fields: [("client_id", "another")]))
            #expect(try answer(simulation, ["jti": "same"]).status == 200)
            try expectUnknownClient(answer(simulation, ["jti": "same"]))
        }
    }

    @Test func `a client that has to sign with its key is refused with its secret, however that is told`() async throws
    {
        try await withSimulation(clients: [party.client]) { simulation throws in
            let assertion = StatingClient.signed(try party.claims(simulation), with: Self.secret)
            try expectUnknownClient(party.redeem(simulation, assertion: assertion))
            let posted = [("client_id", party.client.id), ("client_secret", Self.secret)]
            try expectUnknownClient(party.redeem(simulation, posted))
        }
    }
}

@Suite struct `A client assertion under a secret` {
    private let key: PrivateKey
    private let party: StatingClient

    init() throws {
        key = try PrivateKey.generate(.ellipticCurve(.p256))
        party = StatingClient([.secretJWT], secret: Self.secret, keys: [key.publicKey])
    }

    private static let secret = "a-secret-that-is-long-enough-for-HS256"

    private func answer(
        _ simulation: Simulation, _ changes: [String: JSONValue?] = [:], under secret: String = secret,
        fields: [(String, String)] = []
    ) throws -> HTTPTestAnswer {
        let assertion = StatingClient.signed(try party.claims(simulation, changes), with: secret)
        return try party.redeem(simulation, assertion: assertion, fields)
    }

    @Test func `a secret proves who the client is, each assertion once`() async throws {
        try await withSimulation(clients: [party.client]) { simulation throws in
            #expect(try answer(simulation, fields: [("client_id", party.client.id)]).status == 200)
            #expect(try answer(simulation, ["jti": "same"]).status == 200)
            try expectUnknownClient(answer(simulation, ["jti": "same"]))
        }
    }

    @Test(arguments: wrongClaims)
    func `an assertion under a secret is refused with a claim that is wrong or missing`(
        claim: String, value: JSONValue?
    ) async throws {
        try await withSimulation(clients: [party.client]) { simulation throws in
            try expectUnknownClient(answer(simulation, [claim: value]))
        }
    }

    @Test func `another secret, none and a key where a secret was agreed on are refused`() async throws {
        try await withSimulation(clients: [party.client]) { simulation throws in
            try expectUnknownClient(answer(simulation, under: "another-secret-that-is-long-enough"))
            try expectUnknownClient(answer(simulation, under: ""))
            let signed = try StatingClient.signed(party.claims(simulation), with: key)
            try expectUnknownClient(party.redeem(simulation, assertion: signed))
            // Both ways at once are no way.
            let both = try answer(simulation, fields: [("client_secret", Self.secret)])
            #expect(both.status == 400)
            #expect(try both.error == "invalid_request")
        }
    }
}

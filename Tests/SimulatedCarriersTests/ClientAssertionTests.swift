import Crypto
import Glibc
import JOSE
import JSON
import SimulatedCarriers
import Testing

@Suite struct `A client assertion` {
    private let key: PrivateKey
    private let client: SimulatedClient

    init() throws {
        key = try PrivateKey.generate(.ellipticCurve(.p256))
        client = SimulatedClient(
            id: "signing-client", secret: "", redirectURIs: ["https://app.example.com/cb"],
            authentication: [.privateKeyJWT], keys: [key.publicKey], issuers: [.borealis])
    }

    /// The answer to a token request with an assertion whose claims are changed so; nil leaves one out.
    private func answer(
        _ simulation: Simulation, _ changes: [String: JSONValue?] = [:], signedWith other: PrivateKey? = nil,
        fields: [(String, String)] = []
    ) throws -> HTTPTestAnswer {
        var signIn = SimulatedSignIn(simulation, at: .borealis)
        (signIn.clientID, signIn.redirectURI) = (client.id, client.redirectURIs[0])
        let code = try signIn.code()
        let issued = try #require(try SimulatedSignIn(simulation, at: .borealis).configuration["issuer"]?.string)
        let now = Int64(try now())
        let claims: [String: JSONValue?] = [
            "iss": .string(client.id), "sub": .string(client.id), "aud": .string("\(issued)/token"),
            "exp": .integer(now + 60), "iat": .integer(now), "jti": .string(Random.token(byteCount: 16)),
        ]
        let members = claims.merging(changes) { $1 }.compactMap { name, value in value.map { (name: name, value: $0) } }
        let assertion = try JWTSigner(key: other ?? key, algorithm: .es256, type: "JWT")
            .sign(JSONValue.object(JSONObject(members)).serialized)
        return try HTTPTest.post(
            "\(simulation.borealis)/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", signIn.redirectURI),
                ("code_verifier", SimulatedSignIn.verifier),
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_assertion", assertion),
            ] + fields)
    }

    private func now() throws -> Int {
        var seconds = 0
        _ = unsafe time(&seconds)
        return seconds
    }

    @Test func `proves who the client is, with or without its name beside it`() async throws {
        try await withSimulation(clients: [client]) { simulation throws in
            #expect(try answer(simulation).status == 200)
            #expect(try answer(simulation, fields: [("client_id", client.id)]).status == 200)
            #expect(try answer(simulation, ["aud": .array([.string(simulation.borealis)])]).status == 200)
        }
    }

    @Test(
        arguments: [
            ("iss", "another-client"), ("sub", "another-client"), ("aud", "https://elsewhere.example.com/token"),
            ("exp", 1), ("exp", 4_000_000_000), ("exp", nil), ("iat", 4_000_000_000), ("jti", nil), ("jti", ""),
            ("aud", nil),
        ] as [(String, JSONValue?)])
    func `a client assertion is refused with a claim that is wrong or missing`(claim: String, value: JSONValue?)
        async throws
    {
        try await withSimulation(clients: [client]) { simulation throws in
            let answer = try answer(simulation, [claim: value])
            #expect(answer.status == 401)
            #expect(try answer.error == "invalid_client")
        }
    }

    @Test func `a client assertion is refused with another key, another name beside it, or a second time`() async throws
    {
        try await withSimulation(clients: [client]) { simulation throws in
            let other = try PrivateKey.generate(.ellipticCurve(.p256))
            #expect(try answer(simulation, signedWith: other).status == 401)
            #expect(try answer(simulation, fields: [("client_id", "another")]).status == 401)
            #expect(try answer(simulation, ["jti": "same"]).status == 200)
            #expect(try answer(simulation, ["jti": "same"]).status == 401)
        }
    }
}

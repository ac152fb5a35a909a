import Crypto
import HTTPTesting
import JOSE
import JSON
import SimulatedCarriers
import Testing

@Suite struct `A request that a subscriber be asked` {
    private let key: PrivateKey
    private let client: SimulatedClient

    init() throws {
        key = try PrivateKey.generate(.rsa(bits: 2048))
        client = SimulatedClient(
            id: "signing-client", secret: "", redirectURIs: ["https://app.example.com/cb"],
            authentication: [.privateKeyJWT], keys: [key.publicKey], issuers: [.discovery, .borealis, .aurora])
    }

    private func claims(_ simulation: Simulation, _ changes: [String: JSONValue?]) -> [UInt8] {
        let now = StatingClient.now
        return StatingClient.changed(
            [
                "iss": "signing-client", "sub": "signing-client", "aud": .string(simulation.aurora),
                "iat": .integer(now), "exp": .integer(now + 60), "jti": .string(Random.token(byteCount: 16)),
                "client_id": "signing-client", "response_type": "async_token",
                "redirect_uri": "https://app.example.com/cb", "notification_uri": "http://127.0.0.1:1/notification",
                "scope": "openid name", "login_hint": "+13105550101", "correlation_id": "correlation-1",
                "context": "Sign in at the counter", "expires_in": 3600, "state": "the-state", "nonce": "the-nonce",
                "client_notification_token": .string(Random.token(byteCount: 32)),
            ], changes)
    }

    private func ask(
        _ simulation: Simulation, _ changes: [String: JSONValue?] = [:], signedWith other: PrivateKey? = nil,
        at path: String = "/server-initiated/authorize", algorithm: SignatureAlgorithm = .rs256
    ) throws -> HTTPTestAnswer {
        let request = try JWTSigner(key: other ?? key, algorithm: algorithm, type: "JWT").sign(
            claims(simulation, changes))
        return try LoopbackClient.post("\(simulation.aurora)\(path)", [("request", request)])
    }

    @Test func `is taken, named and told how long it lives, as a text`() async throws {
        try await withSimulation(clients: [client]) { simulation throws in
            let answer = try ask(simulation)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try answer.object["expires_in"] == "3600" && answer.object["correlation_id"] == "correlation-1")
            #expect(try answer.object["auth_req_id"]?.string?.isEmpty == false)
            let page = try LoopbackClient.get("\(simulation.aurora)/phone").text
            #expect(page.contains("Ada Lovelace") && page.contains("Sign in at the counter"))
        }
    }

    private static let wrong: [(claim: String, value: JSONValue?)] = [
        ("iss", "another"), ("sub", "another"), ("client_id", "another"), ("aud", "https://elsewhere.example"),
        ("aud", nil), ("iat", 1), ("iat", nil), ("exp", 1), ("exp", 4_000_000_000), ("exp", nil), ("jti", nil),
        ("response_type", "code"), ("redirect_uri", "https://other.example/"), ("redirect_uri", nil),
        ("notification_uri", nil), ("notification_uri", "ftp://x"), ("scope", "name"), ("login_hint", nil),
        ("login_hint", "+4912345678"), ("correlation_id", "x"), ("correlation_id", nil),
        ("context", ""), ("context", "a\nb"), ("context", .string(String(repeating: "x", count: 281))),
        ("expires_in", 0), ("expires_in", 172_801), ("expires_in", "3600"), ("expires_in", nil), ("state", nil),
        ("nonce", nil), ("client_notification_token", "short"), ("client_notification_token", nil),
    ]

    @Test(arguments: wrong.indices) func `is refused with a claim that is wrong or missing`(index: Int) async throws {
        let fault = Self.wrong[index]
        try await withSimulation(clients: [client]) { simulation throws in
            let answer = try ask(simulation, [fault.claim: fault.value])
            #expect((400..<500).contains(answer.status), "\(fault.claim)")
            #expect(try LoopbackClient.get("\(simulation.aurora)/phone").text.contains("Nobody is asked"))
        }
    }

    @Test func `is refused under another key or algorithm, a second time, and beside anything else`() async throws {
        try await withSimulation(clients: [client]) { simulation throws in
            let other = try PrivateKey.generate(.rsa(bits: 2048))
            try expectUnknownClient(ask(simulation, signedWith: other))
            let curve = try PrivateKey.generate(.ellipticCurve(.p256))
            try expectUnknownClient(ask(simulation, signedWith: curve, algorithm: .es256))
            #expect(try ask(simulation, ["jti": "same"]).status == 200)
            #expect(try ask(simulation, ["jti": "same"]).status == 400)
            let request = try JWTSigner(key: key, algorithm: .rs256, type: "JWT").sign(claims(simulation, [:]))
            let fields = [("request", request), ("context", "Something else")]
            #expect(try LoopbackClient.post("\(simulation.aurora)/server-initiated/authorize", fields).status == 400)
        }
    }

    @Test func `is taken back by the client that made it, once`() async throws {
        try await withSimulation(clients: [client]) { simulation throws in
            let id = try ask(simulation).object["auth_req_id"]
            let path = "/server-initiated/cancel"
            #expect(try ask(simulation, ["auth_req_id": "another"], at: path).status == 400)
            #expect(try ask(simulation, ["auth_req_id": id], at: path).status == 200)
            #expect(try ask(simulation, ["auth_req_id": id], at: path).status == 400)
            #expect(try LoopbackClient.get("\(simulation.aurora)/phone").text.contains("Nobody is asked"))
        }
    }

    @Test func `is announced by carriers, and found by a subject`() async throws {
        try await withSimulation(clients: [client]) { simulation throws in
            let subject = simulation.subject(of: "ada", for: client.id, at: .aurora)
            func issuer(_ query: String) throws -> String? {
                try LoopbackClient.get("\(simulation.discovery)?client_id=signing-client&\(query)").object["issuer"]?
                    .string
            }
            #expect(try issuer("sub=\(subject)") == simulation.aurora)
            simulation.port(subscriber: "ada", to: .borealis)
            #expect(try issuer("sub=\(subject)") == simulation.borealis)
            #expect(try issuer("sub=999999-x") == nil)
            let document = try LoopbackClient.get("\(simulation.discovery)?client_id=signing-client&mccmnc=310410")
                .object
            #expect(document["server_initiated_authorization_endpoint"]?.string?.hasPrefix(simulation.aurora) == true)
            #expect(document["server_initiated_cancel_endpoint"]?.string?.hasPrefix(simulation.aurora) == true)
        }
    }
}

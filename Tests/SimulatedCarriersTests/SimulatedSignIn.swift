import Crypto
import EventLoop
import HTTPTesting
import JOSE
import JSON
import SimulatedCarriers
import Syntax
import Testing

/// A running simulation for one test.
func withSimulation(
    clients: [SimulatedClient] = SimulatedClient.demo(), latency: Duration = .zero, gatehouse: String? = nil,
    _ body: (Simulation) throws -> Void
) async throws {
    let loop = try EventLoop(label: "simulation under test")
    loop.start()
    defer { loop.stop() }
    let simulation = try Simulation(
        ports: .kernelChosen, loops: [loop], clients: clients, latency: latency, gatehouse: gatehouse)
    try await simulation.start()
    let result = Result { try body(simulation) }
    await simulation.stop()
    try result.get()
}

/// A relying party by hand: builds requests field by field, so that each can be left out or made wrong.
struct SimulatedSignIn {
    static let verifier = "verifier-with-more-than-forty-three-characters.~"

    let simulation: Simulation
    let issuer: SimulatedIssuer
    var clientID: String
    var secret: String
    var redirectURI: String
    var scope: String

    init(_ simulation: Simulation, at issuer: SimulatedIssuer) {
        self.simulation = simulation
        self.issuer = issuer
        clientID = issuer == .plain ? "gatehouse-demo" : "ccid-0123456789abcdef"
        secret = issuer == .plain ? "demo-secret-plain" : "demo-secret"
        redirectURI = issuer == .plain ? "com.example.app:/callback" : "\(clientID)://com.xci.provider.sdk"
        scope =
            issuer == .plain
            ? "openid profile email phone address offline_access" : "openid name email phone postal_code"
    }

    static func challenge(_ verifier: String = verifier) -> String {
        Base64URL.encode(Digest.sha256.hash(Array(verifier.utf8)))
    }

    /// The authorization request; a change to nil leaves a field out.
    func authorize(_ changes: [String: String?] = [:]) throws -> HTTPTestAnswer {
        let url = simulation.url(of: issuer) + "/authorize?" + FormText.encode(authorizationFields(changes))
        return try LoopbackClient.get(url)
    }

    func authorizationFields(_ changes: [String: String?] = [:]) -> [(String, String)] {
        let fields: [String: String?] = [
            "client_id": clientID, "redirect_uri": redirectURI, "response_type": "code", "scope": scope,
            "state": "state-1", "nonce": "nonce-1", "code_challenge": Self.challenge(),
            "code_challenge_method": "S256", "prompt": "none", "login_hint": "ada",
        ]
        return fields.merging(changes) { $1 }.compactMap { name, value in value.map { (name, $0) } }
    }

    /// The parameters that the authorization endpoint sends the browser back with.
    func authorizationAnswer(_ changes: [String: String?] = [:]) throws -> [String: String] {
        let answer = try authorize(changes)
        #expect(answer.status == 303)
        let location = try #require(answer.header("Location"))
        #expect(location.hasPrefix(redirectURI))
        return FormText.query(of: location)
    }

    func code(_ changes: [String: String?] = [:]) throws -> String {
        try #require(try authorizationAnswer(changes)["code"])
    }

    var basic: (String, String) { ("Authorization", "Basic " + Base64.encode(Array("\(clientID):\(secret)".utf8))) }

    /// The token request with Basic authentication.
    func token(code: String, _ changes: [String: String?] = [:]) throws -> HTTPTestAnswer {
        let fields: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI,
            "code_verifier": Self.verifier,
        ]
        return try LoopbackClient.post(
            simulation.url(of: issuer) + "/token",
            fields.merging(changes) { $1 }.compactMap { name, value in value.map { (name, $0) } }, headers: [basic])
    }

    func refresh(_ token: String) throws -> HTTPTestAnswer {
        try LoopbackClient.post(
            simulation.url(of: issuer) + "/token", [("grant_type", "refresh_token"), ("refresh_token", token)],
            headers: [basic])
    }

    /// A whole sign-in up to the tokens.
    func tokens(_ changes: [String: String?] = [:]) throws -> Tokens {
        let answer = try token(code: try code(changes))
        #expect(answer.status == 200)
        return try Tokens(answer)
    }

    var configuration: JSONObject {
        get throws {
            try LoopbackClient.get(simulation.url(of: issuer) + "/.well-known/openid-configuration").object
        }
    }

    func userinfo(_ accessToken: String) throws -> HTTPTestAnswer {
        let url = try #require(try configuration["userinfo_endpoint"]?.string)
        return try LoopbackClient.get(url, headers: [("Authorization", "Bearer \(accessToken)")])
    }

    var keys: [JSONValue] {
        get throws {
            let url = try #require(try configuration["jwks_uri"]?.string)
            return try #require(try LoopbackClient.get(url).object["keys"]?.array)
        }
    }

    /// The published key of that `kid`.
    func key(_ id: String?) throws -> PublicKey? {
        try keys.first { $0["kid"]?.string == id }.map { try JWK($0).publicKey }
    }
}

/// What a token endpoint answered.
struct Tokens {
    let answer: JSONObject
    let accessToken: String

    init(_ answer: HTTPTestAnswer) throws {
        self.answer = try answer.object
        accessToken = self.answer["access_token"]?.string ?? ""
    }

    var idToken: TestToken {
        get throws { try TestToken(try #require(answer["id_token"]?.string)) }
    }
}

/// A JWT taken apart, whatever is wrong with it.
struct TestToken {
    let headerText: String
    let payloadText: String
    let signature: [UInt8]
    private let signedText: String

    init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        headerText = String(decoding: try #require(Base64URL.decode(parts[0])), as: UTF8.self)
        payloadText = String(decoding: try #require(Base64URL.decode(parts[1])), as: UTF8.self)
        signature = try #require(Base64URL.decode(parts[2]))
        signedText = "\(parts[0]).\(parts[1])"
    }

    var header: JSONObject {
        get throws { try #require(try JSONValue(parsing: headerText.utf8).object) }
    }
    var claims: JSONObject {
        get throws { try #require(try JSONValue(parsing: payloadText.utf8).object) }
    }

    func isSigned(by key: PublicKey?, _ algorithm: SignatureAlgorithm) -> Bool {
        key?.verifies(signature: signature, of: Array(signedText.utf8), with: algorithm) ?? false
    }

    func isMarked(with key: [UInt8]) -> Bool { HMAC.sha256(Array(signedText.utf8), key: key) == signature }
}

extension HTTPTestAnswer {
    var object: JSONObject {
        get throws { try #require(try JSONValue(parsing: body).object) }
    }
    var error: String? {
        get throws { try object["error"]?.string }
    }
}

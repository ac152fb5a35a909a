import Crypto
import HTTPTesting
import JOSE
import JSON
import SimulatedCarriers
import Syntax
import Testing

/// A relying party of a dialect by hand, and the SDK of an app.
struct DialectSignIn {
    static let redirectURI = "com.example.app:/callback"

    let simulation: Simulation
    let issuer: SimulatedIssuer
    let clientID: String
    var tenant: String?
    var secret: String

    init(_ simulation: Simulation, at issuer: SimulatedIssuer, tenant: String? = nil) {
        self.simulation = simulation
        self.issuer = issuer
        self.tenant = tenant
        secret = "demo-secret-\(issuer.rawValue)"
        clientID = Simulation.serverClient(at: issuer)
    }

    var url: String { simulation.url(of: issuer) }
    var app: String { Simulation.appClients(at: issuer).first ?? clientID }

    /// What the SDK answers; a change to nil leaves a field out.
    func native(_ changes: [String: String?] = [:]) throws -> HTTPTestAnswer {
        let fields: [String: String?] = [
            "login_hint": "ada", "client_id": app, "nonce": "nonce-1", "tenant": tenant,
            "server_client_id": issuer == .google ? clientID : nil,
        ]
        return try LoopbackClient.post("\(url)/native", Self.list(fields.merging(changes) { $1 }))
    }

    func nativeToken(_ changes: [String: String?] = [:]) throws -> TestToken {
        let answer = try native(changes)
        try #require(answer.status == 200, "\(answer.text)")
        return try TestToken(try #require(try answer.object["id_token"]?.string))
    }

    /// Its ID token in which that is the matter.
    func nativeToken(misbehaving name: String, _ changes: [String: String?] = [:]) throws -> TestToken {
        try nativeToken(changes.merging(["misbehave": name]) { $1 })
    }

    var configuration: JSONObject {
        get throws {
            let address = try #require(simulation.metadata(of: issuer, tenant: tenant))
            return try LoopbackClient.get(address).object
        }
    }

    var keys: [JSONValue] {
        get throws {
            let address = try #require(try configuration["jwks_uri"]?.string)
            return try #require(try LoopbackClient.get(address).object["keys"]?.array)
        }
    }

    /// Whether the key that a token names is published and has signed it.
    func isPublished(_ token: TestToken) throws -> Bool {
        let header = try token.header
        guard let key = try keys.first(where: { $0["kid"] != nil && $0["kid"] == header["kid"] }),
            let algorithm = header["alg"]?.string.flatMap(SignatureAlgorithm.init)
        else { return false }
        return token.isSigned(by: try JWK(key).publicKey, algorithm)
    }

    /// The address of the authorization request.
    func authorization(_ changes: [String: String?] = [:]) throws -> String {
        let fields: [String: String?] = [
            "client_id": clientID, "redirect_uri": Self.redirectURI, "response_type": "code",
            "scope": "openid profile email", "state": "state-1", "nonce": "nonce-1",
            "code_challenge": SimulatedSignIn.challenge(), "code_challenge_method": "S256", "prompt": "none",
            "login_hint": "ada",
        ]
        let endpoint = try #require(try configuration["authorization_endpoint"]?.string)
        return endpoint + "?" + FormText.encode(Self.list(fields.merging(changes) { $1 }))
    }

    /// A code that a browser came back with.
    func code(_ changes: [String: String?] = [:]) throws -> String {
        let answer = try LoopbackClient.get(try authorization(changes))
        #expect(answer.status == 303, "\(answer.text)")
        return try #require(FormText.query(of: answer.header("Location") ?? "")["code"])
    }

    /// What the token endpoint says to a code, with the secret where the dialect has it.
    func redeem(_ code: String, _ changes: [String: String?] = [:], at endpoint: String? = nil) throws
        -> HTTPTestAnswer
    {
        let address = try #require(try endpoint ?? configuration["token_endpoint"]?.string)
        let usesBasic = issuer == .cognito
        let fields: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": Self.redirectURI,
            "code_verifier": SimulatedSignIn.verifier, "client_id": usesBasic ? nil : clientID,
            "client_secret": usesBasic ? nil : secret,
        ]
        let basic = ("Authorization", "Basic " + Base64.encode(Array("\(clientID):\(secret)".utf8)))
        return try LoopbackClient.post(
            address,
            Self.list(fields.merging(changes) { $1 }), headers: usesBasic ? [basic] : [])
    }

    func tokens(_ changes: [String: String?] = [:]) throws -> Tokens {
        let answer = try redeem(try code(changes))
        #expect(answer.status == 200, "\(answer.text)")
        return try Tokens(answer)
    }

    func userinfo(_ accessToken: String) throws -> HTTPTestAnswer {
        let url = try #require(try configuration["userinfo_endpoint"]?.string)
        return try LoopbackClient.get(url, headers: [("Authorization", "Bearer \(accessToken)")])
    }

    static func list(_ fields: [String: String?]) -> [(String, String)] {
        fields.compactMap { name, value in value.map { (name, $0) } }
    }
}

extension Tokens {
    init(native answer: HTTPTestAnswer) throws {
        try #require(answer.status == 200, "\(answer.text)")
        try self.init(answer)
    }
}

import Crypto
import Glibc
import HTTPTesting
import JOSE
import JSON
import SimulatedCarriers
import Syntax
import Testing

/// A client at Borealis whose statements of who it is are made by hand, so that each claim can be left out or made
/// wrong.
struct StatingClient {
    let client: SimulatedClient

    init(_ authentication: Set<SimulatedClient.Authentication>, secret: String = "", keys: [PublicKey] = []) {
        client = SimulatedClient(
            id: "signing-client", secret: secret, redirectURIs: ["https://app.example.com/cb"],
            authentication: authentication, keys: keys, issuers: [.borealis])
    }

    /// The answer to a token request with a code that is good, and these fields beside it.
    func redeem(_ simulation: Simulation, _ fields: [(String, String)]) throws -> HTTPTestAnswer {
        var signIn = SimulatedSignIn(simulation, at: .borealis)
        (signIn.clientID, signIn.redirectURI) = (client.id, client.redirectURIs[0])
        return try LoopbackClient.post(
            "\(simulation.borealis)/token",
            [
                ("grant_type", "authorization_code"), ("code", try signIn.code()), ("redirect_uri", signIn.redirectURI),
                ("code_verifier", SimulatedSignIn.verifier),
            ] + fields)
    }

    func redeem(
        _ simulation: Simulation, assertion: String, _ fields: [(String, String)] = []
    ) throws -> HTTPTestAnswer {
        let type = ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        return try redeem(simulation, [type, ("client_assertion", assertion)] + fields)
    }

    /// An assertion's claims, changed so; nil leaves one out.
    func claims(_ simulation: Simulation, _ changes: [String: JSONValue?] = [:]) throws -> [UInt8] {
        let issuer = try #require(try SimulatedSignIn(simulation, at: .borealis).configuration["issuer"]?.string)
        return Self.changed(
            [
                "iss": .string(client.id), "sub": .string(client.id), "aud": .string("\(issuer)/token"),
                "exp": .integer(Self.now + 60), "iat": .integer(Self.now), "jti": .string(Random.token(byteCount: 16)),
            ], changes)
    }

    static func changed(_ claims: [String: JSONValue?], _ changes: [String: JSONValue?]) -> [UInt8] {
        let members = claims.merging(changes) { $1 }.compactMap { name, value in value.map { (name: name, value: $0) } }
        return JSONValue.object(JSONObject(members)).serialized
    }

    static func signed(_ claims: [UInt8], with key: PrivateKey) throws -> String {
        try JWTSigner(key: key, algorithm: .es256, type: "JWT").sign(claims)
    }

    /// Under HS256.
    static func signed(_ claims: [UInt8], with secret: String) -> String {
        let text = Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "." + Base64URL.encode(claims)
        return text + "." + Base64URL.encode(HMAC.sha256(Array(text.utf8), key: Array(secret.utf8)))
    }

    static var now: Int64 {
        var seconds = 0
        _ = unsafe time(&seconds)
        return Int64(seconds)
    }
}

/// That a request was refused for who sent it.
func expectUnknownClient(_ answer: HTTPTestAnswer, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(answer.status == 401, sourceLocation: sourceLocation)
    #expect(try answer.error == "invalid_client", sourceLocation: sourceLocation)
}

import Crypto
import Foundation
import GatehouseTesting
import HTTPTesting
import JOSE
import JSON
import SimulatedCarriers
import Syntax
import Testing

/// How a recipe is tried at a simulated provider: what stands in the place of its placeholders and of the provider's
/// address.
struct RecipeTrial: Sendable {
    static let nonce = "what-the-app-has-drawn"

    let issuer: SimulatedIssuer
    /// In the place of lines of the section.
    let lines: [String]
    /// What the app asks its SDK for.
    let asked: [String: String]

    private init(
        _ issuer: SimulatedIssuer, _ address: String, client: String, _ more: [String] = [], asked: [String: String]
    ) {
        self.issuer = issuer
        lines = ["issuer: '{\(issuer.rawValue)}\(address)'", "clientID: \(client)"] + more
        self.asked = asked
    }

    private static func usual(_ issuer: SimulatedIssuer, _ address: String, _ more: [String: String] = [:]) -> Self {
        let server = "gatehouse-\(issuer.rawValue)"
        return RecipeTrial(
            issuer, address, client: server, ["audiences: [\(server)-app]"],
            asked: ["client_id": "\(server)-app"].merging(more) { $1 })
    }

    private static let tenant = "0f5e1d2c-3b4a-4968-8776-a5b4c3d2e1f0"
    private static let policies = "7e6d5c4b-3a29-4817-9605-f4e3d2c1b0a9"
    private static let document = ".well-known/openid-configuration"

    /// By the recipe's title.
    static let all: [String: RecipeTrial] = [
        "Apple": RecipeTrial(
            .apple, "", client: "com.example.app",
            ["issuers: ['{apple}/account']", "audiences: [com.example.web]", "appleTeamID: DEMOTEAM01"],
            asked: ["client_id": "com.example.app"]),
        "Google": RecipeTrial(
            .google, "", client: "gatehouse-google", ["audiences: [gatehouse-google-ios, gatehouse-google-android]"],
            asked: ["client_id": "gatehouse-google-ios", "server_client_id": "gatehouse-google"]),
        "Microsoft Entra": RecipeTrial(
            .entra, "/{tenantid}/v2.0", client: "gatehouse-entra",
            ["discoveryURL: '{entra}/organizations/v2.0/\(document)'", "tenants: [\(tenant)]"],
            asked: ["client_id": "gatehouse-entra"]),
        "Azure AD B2C": RecipeTrial(
            .entra, "/tfp/\(policies)/b2c_1_signin/v2.0/", client: "gatehouse-entra",
            ["discoveryURL: '{entra}/b2c/b2c_1_signin/v2.0/\(document)'"],
            asked: ["client_id": "gatehouse-entra", "tenant": "b2c_1_signin"]),
        "Facebook": RecipeTrial(
            .facebook, "", client: "gatehouse-facebook", ["issuers: ['{facebook}/limited']"],
            asked: ["client_id": "gatehouse-facebook"]),
        "Auth0": usual(.auth0, "/"),
        "Okta": usual(.okta, "/oauth2/default"),
        "Keycloak": usual(.keycloak, "/realms/demo", ["server_client_id": "gatehouse-keycloak"]),
        "Amazon Cognito": usual(.cognito, "/eu-west-1_demo"),
        "LINE": RecipeTrial(
            .line, "", client: "gatehouse-line", ["idTokenVerificationURL: '{line}/oauth2/v2.1/verify'"],
            asked: ["client_id": "gatehouse-line"]),
        "Firebase phone number verification": RecipeTrial(
            .firebase, "/projects/218471001337", client: "'{firebase}/projects/218471001337'",
            ["audiences: ['{firebase}/projects/gatehouse-demo']"], asked: ["client_id": "218471001337"]),
    ]

    /// What else the app asks for, so that what a recipe tells of goes wrong; nil where that is done with the token.
    static let wrongs: [String: [String: String]] = [
        "the token is for an app that the section does not name": ["misbehave": "id_token_of_another_app"],
        "the token is older than ten minutes": ["age_seconds": "1200"],
        "the code is another one than came with the token": ["misbehave": "id_token_wrong_c_hash"],
        "somebody of another tenant signs in": ["tenant": "11111111-2222-4333-8444-555555555555"],
        "an access token is posted in its place": ["misbehave": "id_token_is_access_token"],
        "the app posts a token that is signed with the secret": ["misbehave": "id_token_hs256_client_secret"],
        otherNonce: [:], secondTime: [:],
    ]
    static let otherNonce = "the nonce is another one than was hashed for the SDK"
    static let secondTime = "the same token is posted in another request"

    /// Starts a server with the section of a recipe, of which only what is the provider's and the operator's own is
    /// replaced.
    func with(_ recipe: Recipe, _ body: (RunningGatehouse) async throws -> Void) async throws {
        let secret = FileManager.default.temporaryDirectory.appending(path: "recipe-\(UUID().uuidString)")
        let key = try PrivateKey.generate(.ellipticCurve(.p256))
        let text = issuer == .apple ? try key.pemRepresentation().revealedText : "demo-secret-\(issuer.rawValue)"
        try Data(text.utf8).write(to: secret)
        defer { try? FileManager.default.removeItem(at: secret) }
        let section = recipe.lines.map { line -> String in
            let name = line.prefix { $0 != ":" }
            if ["clientSecretFile", "clientKeyFile"].contains(name) { return "\(name): '\(secret.path)'" }
            return lines.first { $0.prefix { $0 != ":" } == name } ?? line
        }
        let given = Set(section.map { $0.prefix { $0 != ":" } })
        // A profile's own addresses are those of the real provider.
        let addresses = ["issuer", "issuers", "discoveryURL", "idTokenVerificationURL"]
        let others = lines.filter { line in
            let name = line.prefix { $0 != ":" }
            return addresses.contains(String(name)) && !given.contains(name)
        }
        try await RunningGatehouse.with(others: [recipe.name: section + others]) { gatehouse in
            if issuer == .apple { try await Self.register(key, gatehouse) }
            try await body(gatehouse)
        }
    }

    private static func register(_ key: PrivateKey, _ gatehouse: RunningGatehouse) async throws {
        let plain = try #require(URLComponents(string: gatehouse.simulation.plain)?.port)
        let keys: JSONValue = ["keys": [.object(key.publicKey.jwk(keyID: "apple", algorithm: .es256))]]
        let answer = try await LoopbackClient(port: UInt16(plain)).send(
            "POST", "/control/clients/com.example.app/keys", body: keys.serialized)
        #expect(answer.status == 200)
    }

    /// What the SDK hands to the app, by the names of the recipes.
    func held(at gatehouse: RunningGatehouse, _ more: [String: String] = [:]) async throws -> [String: String] {
        let address = try #require(URLComponents(string: gatehouse.simulation.url(of: issuer)))
        let fields = [
            "login_hint": "ada", "nonce": Hexadecimal.encode(Digest.sha256.hash(Array(Self.nonce.utf8))),
        ].merging(asked) { $1 }.merging(more) { $1 }
        let answer = try await LoopbackClient(port: UInt16(try #require(address.port))).send(
            "POST", address.path + "/native",
            headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(FormText.encode(fields).utf8))
        #expect(answer.status == 200, "\(answer.text)")
        var held = ["NONCE": Self.nonce]
        for (placeholder, name) in [("ID_TOKEN", "id_token"), ("ACCESS_TOKEN", "access_token"), ("CODE", "code")] {
            held[placeholder] = answer[name]?.string
        }
        return held
    }
}

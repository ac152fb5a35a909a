import Crypto
import Foundation
import GatehouseTesting
import HTTPTesting
import JOSE
import JSON
import SignIn
import SimulatedCarriers
import Testing

@testable import Composition
@testable import Operations

/// At the plain provider there is a client that sends no secret ever; the provider is given its keys as it would read
/// them.
@Suite struct `A provider that takes signed statements of who we are` {
    private static let client = ["clientID: gatehouse-keys"]

    /// What has to be said in the configuration beside a key's file.
    private enum Way: String, CaseIterable {
        case shared = "clientAuthentication: private_key_jwt"
        case sharedES256 = "clientAuthentication: private_key_jwt, assertionAlgorithm: ES256"
        case own = "clientAuthentication: private_key_jwt, clientKeyFile"
        case secret = "clientAuthentication: client_secret_jwt"
        case apple = "clientAuthentication: apple, appleTeamID: DEMOTEAM01, appleKeyID: key-1, clientKeyFile"

        var lines: [String] { rawValue.split(separator: ", ").map(String.init) }
    }

    private func with(
        _ way: Way, _ body: (RunningGatehouse) async throws -> Void
    ) async throws {
        let key = try PrivateKey.generate(.ellipticCurve(.p256))
        let file = FileManager.default.temporaryDirectory.appending(path: "client-\(UUID().uuidString).pem")
        try Data(key.pemRepresentation().revealedBytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let lines = way.lines.map { $0 == "clientKeyFile" ? "clientKeyFile: '\(file.path)'" : $0 }
        let secret = way == .secret ? "clientSecret: demo-secret-that-is-long-enough-for-HS256" : "clientSecret: ''"
        try await RunningGatehouse.with(plain: Self.client + [secret] + lines) { gatehouse in
            if way == .apple {
                // Apple has the key from its own console, and knows it by the name that it gave.
                try await Self.register([.object(key.publicKey.jwk(keyID: "key-1", algorithm: .es256))], gatehouse)
            } else {
                try await Self.registerWhatIsPublished(gatehouse)
            }
            try await body(gatehouse)
        }
    }

    private static func register(_ keys: [JSONValue], _ gatehouse: RunningGatehouse) async throws {
        let plain = try #require(URLComponents(string: gatehouse.simulation.plain)?.port)
        let set: JSONValue = ["keys": .array(keys)]
        let answer = try await LoopbackClient(port: UInt16(plain)).send(
            "POST", "/control/clients/gatehouse-keys/keys", body: set.serialized)
        #expect(answer.status == 200)
    }

    private static func registerWhatIsPublished(_ gatehouse: RunningGatehouse) async throws {
        let published = try await gatehouse.call("GET", "/auth/client-jwks.json")
        #expect(published.status == 200 && published.header("content-type") == "application/json")
        try await register(try #require(published.json["keys"]?.array), gatehouse)
    }

    private func signIn(_ gatehouse: RunningGatehouse) async throws -> HTTPTestAnswer {
        let authorized = try await gatehouse.authorize("ada", at: .plain, ["client_id": "gatehouse-keys"])
        return try await gatehouse.signIn(authorized, ["client_id": "gatehouse-keys"])
    }

    @Test(arguments: Way.allCases)
    private func `signs users in by them, and hears no secret`(way: Way) async throws {
        try await with(way) { gatehouse async throws in
            #expect(try await signIn(gatehouse).status == 200)
            #expect(try await signIn(gatehouse).status == 200, "and once more, since each is good once")
            for word in ["PRIVATE", "client_assertion", "demo-secret"] { #expect(!gatehouse.log.text.contains(word)) }
        }
    }

    @Test func `is signed to with the next key only once it could have read that`() async throws {
        try await with(.shared) { gatehouse async throws in
            let rotated = try await gatehouse.run("keys", "rotate", "--client", "--json")
            #expect(rotated.status == 0, "\(rotated.errors)")
            let kid = try #require(rotated.json["keys"]?.array?.first?["kid"]?.string)
            let server = gatehouse.server
            #expect(try await server.keys.reload(from: server.repository, now: Int64(Date.now.timeIntervalSince1970)))
            let published = try await gatehouse.call("GET", "/auth/client-jwks.json")
            #expect(published.text.contains(kid) && published.json["keys"]?.array?.count == 2)
            // The one from before signs for ten minutes more, and the provider still has only that.
            #expect(try await signIn(gatehouse).status == 200)
        }
    }

    @Test func `refuses a client that signs with a key it has not read, which is told as a fault of ours`() async throws
    {
        try await with(.shared) { gatehouse async throws in
            let other = try PrivateKey.generate(.rsa(bits: 2048)).publicKey
            try await Self.register([.object(other.jwk(keyID: "other", algorithm: .rs256))], gatehouse)
            let answer = try await signIn(gatehouse)
            #expect(answer.status == 502 && answer.json["error"] == "provider_error")
            #expect(gatehouse.log.text.contains("our client was refused with invalid_client"))
        }
    }

    @Test func `has no key to make for a configuration without one`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let rotated = try await gatehouse.run("keys", "rotate", "--client")
            #expect(rotated.status == 1 && rotated.errors.contains("no provider is configured for a key of ours"))
            #expect(try await gatehouse.call("GET", "/auth/client-jwks.json").json == ["keys": []])
        }
    }
}

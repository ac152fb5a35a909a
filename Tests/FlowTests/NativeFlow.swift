import Accounts
import AccountsSQL
import AccountsSQLite
import Crypto
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Providers
import SimulatedCarriers
import Testing

@testable import Composition
@testable import Operations

/// Sign-ins with what the SDKs of the simulated dialects hand to apps: a section for each, of the dialect's name.
struct NativeFlow {
    let gatehouse: RunningGatehouse

    /// Starts a server with some dialects, runs `body`, and stops it.
    ///
    /// - Parameters:
    ///   - issuers: whose sections there are.
    ///   - lines: of those sections, in the place of what is usual.
    ///   - others: further sections, whole.
    static func with(
        _ issuers: [SimulatedIssuer], _ lines: [String] = [], others: [String: [String]] = [:], top: String = "",
        _ body: (NativeFlow) async throws -> Void
    ) async throws {
        let usual = Dictionary(uniqueKeysWithValues: issuers.map { ($0.rawValue, section($0, lines)) })
        try await RunningGatehouse.with(top: top, others: usual.merging(others) { $1 }) { gatehouse in
            try await body(NativeFlow(gatehouse: gatehouse))
        }
    }

    /// The YAML lines of a dialect's section.
    static func section(_ issuer: SimulatedIssuer, _ changes: [String] = []) -> [String] {
        let usual =
            [
                "profile: openid", "clientSecret: demo-secret-\(issuer.rawValue)",
                "redirectURIs: ['com.example.app:/callback']", "nativeTokens: true", "requirePKCE: false",
                "userinfo: false",
            ] + names(of: issuer)
        let changed = Set(changes.map { $0.prefix { $0 != ":" } })
        return usual.filter { !changed.contains($0.prefix { $0 != ":" }) } + changes
    }

    private static func names(of issuer: SimulatedIssuer) -> [String] {
        let server = Simulation.serverClient(at: issuer)
        let apps = Simulation.appClients(at: issuer).joined(separator: ", ")
        let clients = ["clientID: \(server)", "audiences: [\(apps)]"]
        let base = "{\(issuer.rawValue)}"
        switch issuer {
        case .apple: return clients + ["issuer: '\(base)'", "issuers: ['\(base)/account']", "trustEmails: all"]
        case .facebook: return clients + ["issuer: '\(base)'", "issuers: ['\(base)/limited']"]
        case .entra:
            return clients + [
                "issuer: '\(base)/{tenantid}/v2.0'", "tenants: [\(home)]",
                "discoveryURL: '\(base)/common/v2.0/.well-known/openid-configuration'",
            ]
        case .auth0: return clients + ["issuer: '\(base)/'"]
        case .okta: return clients + ["issuer: '\(base)/oauth2/default'"]
        case .keycloak: return clients + ["issuer: '\(base)/realms/demo'", "algorithms: [RS256, ES256]"]
        case .cognito: return clients + ["issuer: '\(base)/eu-west-1_demo'"]
        case .line: return clients + ["issuer: '\(base)'", "algorithms: [ES256]"]
        case .firebase:
            return [
                "issuer: '\(base)/projects/\(server)'", "clientID: '\(base)/projects/\(server)'",
                "audiences: ['\(base)/projects/gatehouse-demo']", "algorithms: [ES256]",
            ]
        default: return clients + ["issuer: '\(base)'"]
        }
    }

    /// The tenant of Entra's subscribers who name none.
    static let home = "0f5e1d2c-3b4a-4968-8776-a5b4c3d2e1f0"
    /// That of personal accounts.
    static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// What an SDK has handed to its app, and what the app has drawn for it.
    struct Handed {
        let answer: JSONValue
        let preimage: String

        var idToken: String { answer["id_token"]?.string ?? "" }

        /// What the app posts, with some members changed, added, or (nil) left out.
        func body(_ provider: String, _ changes: [String: JSONValue?] = [:]) -> JSONValue {
            var members: [String: JSONValue] = [
                "provider": .string(provider), "id_token": .string(idToken), "nonce": .string(preimage),
            ]
            for (name, value) in changes { members[name] = value }
            return .object(JSONObject(members.map { (name: $0.key, value: $0.value) }))
        }
    }

    /// Asks the SDK of a dialect.
    ///
    /// - Parameters:
    ///   - form: what it puts into the token of what the app has drawn.
    ///   - changes: what it is asked otherwise; nil leaves a field out.
    func ask(
        _ issuer: SimulatedIssuer, _ subscriber: String = "ada", form: NonceForm = .hexadecimalSHA256,
        preimage: String = Authorized.makeVerifier(), changing changes: [String: String?] = [:]
    ) async throws -> Handed {
        let server = Simulation.serverClient(at: issuer)
        let usual: [String: String?] = [
            "login_hint": subscriber, "client_id": Simulation.appClients(at: issuer).first ?? server,
            "nonce": form.claim(of: preimage), "server_client_id": issuer == .google ? server : nil,
        ]
        let fields = usual.merging(changes) { $1 }.compactMapValues(\.self)
        let url = try #require(URLComponents(string: gatehouse.simulation.url(of: issuer)))
        let answer = try await LoopbackClient(port: UInt16(try #require(url.port))).send(
            "POST", "\(url.path)/native",
            headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(FormText.encode(fields).utf8))
        try #require(answer.status == 200, "\(answer.text)")
        return Handed(answer: answer.json, preimage: preimage)
    }

    /// Asks for a token in which that is the matter.
    func ask(_ issuer: SimulatedIssuer, misbehaving name: String) async throws -> Handed {
        try await ask(issuer, changing: ["misbehave": name])
    }

    func post(
        _ handed: Handed, to provider: String, _ changes: [String: JSONValue?] = [:]
    ) async throws -> HTTPTestAnswer {
        try await gatehouse.post("/auth/signin", handed.body(provider, changes))
    }

    /// How many users are stored.
    func users() async throws -> Int {
        try await gatehouse.server.repository.users(after: nil, limit: 1000, provider: nil).count
    }

    /// That the log holds nothing of what was handed over.
    func expectNothingLogged(of handed: Handed, _ comment: Comment? = nil) {
        let log = gatehouse.log.text
        let parts = handed.idToken.split(separator: ".").suffix(2).map(String.init)
        for secret in parts + [handed.preimage] where secret.utf8.count > 8 {
            #expect(!log.contains(secret), comment)
        }
    }
}

extension HTTPTestAnswer {
    /// Expects a refusal.
    func expectRefused(
        _ status: Int, _ error: String, _ reason: String? = nil, _ comment: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            self.status == status && self["error"]?.string == error && self["reason"]?.string == reason,
            "\(comment) \(text)", sourceLocation: sourceLocation)
    }
}

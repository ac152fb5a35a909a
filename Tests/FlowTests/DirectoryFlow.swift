import Accounts
import AccountsSQL
import AccountsSQLite
import Crypto
import Foundation
import GatehouseTesting
import HTTPClient
import HTTPTesting
import JSON
import Providers
import SignIn
import SimulatedCarriers
import Synchronization
import Syntax
import System
import Telemetry
import Testing
import Wings

@testable import Composition
@testable import Operations

/// People who sign up at the simulated Beyond Identity, through a Gatehouse, by either of its APIs.
final class DirectoryFlow: Sendable {
    enum API: CaseIterable {
        case of2021, v1

        var settings: String {
            switch self {
            case .of2021: "url: '{beyond}/v1/manage', token: demo-api-token"
            case .v1:
                """
                url: '{beyond}/v1/tenants/demo/realms/demo', version: v1, clientID: management, \
                clientSecret: demo-secret-management, authenticatorConfigID: demo-authenticator, \
                tokenURL: '{beyond}/v1/tenants/demo/realms/demo/applications/management/token'
                """
            }
        }

        /// The first call of a sign-up.
        var first: SimulatedEndpoint { self == .of2021 ? .directoryUsers : .directoryIdentities }
        /// That of another mail.
        var again: SimulatedEndpoint { self == .of2021 ? .directoryRecovery : .directoryJobs }
    }

    let gatehouse: RunningGatehouse
    private let later = Mutex<Int64>(0)

    private init(_ gatehouse: RunningGatehouse) {
        self.gatehouse = gatehouse
    }

    static func with(
        _ api: API, _ more: String = "", lines: [String] = [], limits: RunningGatehouse.Limits = .init(),
        _ body: (DirectoryFlow) async throws -> Void
    ) async throws {
        let section = [
            "profile: beyond-identity", "issuer: '{beyond}'", "clientID: gatehouse-beyond",
            "clientSecret: demo-secret-beyond", "requirePKCE: false",
            "redirectURIs: ['com.example.app:/beyond']", "userAPI: {\(api.settings)\(more)}",
        ]
        try await RunningGatehouse.with(
            top: BrowserFlow.configuration, telenor: ["beyond": section + lines], limits: limits
        ) { try await body(DirectoryFlow($0)) }
    }

    var simulation: Simulation { gatehouse.simulation }
    fileprivate var port: UInt16 {
        get throws {
            let port = try #require(URLComponents(string: simulation.beyond)?.port)
            return UInt16(port)
        }
    }

    func post(
        _ path: String, _ members: [String: String], _ headers: [String: String] = [:]
    ) async throws -> HTTPTestAnswer {
        let body = JSONValue.object(JSONObject(members.map { (name: $0.key, value: .string($0.value)) }))
        return try await gatehouse.post(path, body, headers)
    }

    /// Signs up, and has it passed on.
    func signUp(_ username: String?, _ email: String?) async throws {
        var members: [String: String] = [:]
        members["username"] = username
        members["email"] = email
        let answer = try await post("/users/signup", members)
        #expect(answer.status == 200, "\(answer.text)")
        try await deliver()
    }

    /// What the housekeeping does each second.
    @discardableResult
    func deliver() async throws -> [OutboxDelivery.Report] {
        let collected = Collected()
        let delivery = OutboxDelivery(
            repository: gatehouse.server.repository, providers: ProviderRegistry(gatehouse.server.providers),
            transport: gatehouse.server.grantTransport, clock: clock, giveUpSeconds: 72 * 3600, observers: .none,
            carriers: [
                DirectoryDelivery(
                    repository: gatehouse.server.repository, providers: ProviderRegistry(gatehouse.server.providers),
                    transport: gatehouse.server.grantTransport, clock: clock)
            ])
        let logger = gatehouse.log.logger
        try await delivery.deliver {
            OutboxLog.tell($0, logger)
            collected.add($0)
        }
        return collected.all
    }

    private final class Collected: Sendable {
        private let reports = Mutex<[OutboxDelivery.Report]>([])
        var all: [OutboxDelivery.Report] { reports.withLock(\.self) }
        func add(_ report: OutboxDelivery.Report) { reports.withLock { $0.append(report) } }
    }

    private var clock: Clock {
        let later = later.withLock(\.self)
        return Clock { WallClock.now.seconds + later }
    }

    func pass(seconds: Int64) { later.withLock { $0 += seconds } }

    private func control(_ path: String, _ list: String) async throws -> [JSONValue] {
        let answer = try await LoopbackClient(port: try port).send("GET", path)
        return try #require(answer[list]?.array)
    }

    func mails(to address: String? = nil) async throws -> [String] {
        let query = address.map { "?" + FormText.encode(["to": $0]) } ?? ""
        return try await control("/control/mails" + query, "mails").compactMap { $0["link"]?.string }
    }

    func accounts() async throws -> [JSONValue] { try await control("/control/directory", "accounts") }

    func users() async throws -> Int {
        try await gatehouse.server.repository.users(after: nil, limit: 1000, provider: nil).count
    }

    func bind(_ link: String?) async throws {
        let text = try #require(link)
        let token = try #require(URLComponents(string: text)?["token"])
        let answer = try await LoopbackClient(port: try port).send(
            "POST", "/bind", headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array(FormText.encode(["token": token]).utf8))
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Where Beyond Identity sends a user who wants to sign in by a name.
    func authorize(_ hint: String, _ more: [String: String] = [:]) async throws -> URLComponents {
        let query = [
            "client_id": "gatehouse-beyond", "response_type": "code", "scope": "openid profile email",
            "redirect_uri": "com.example.app:/beyond", "prompt": "none", "login_hint": hint, "nonce": "n",
        ].merging(more) { $1 }
        let answer = try await LoopbackClient(port: try port).send("GET", "/authorize?" + FormText.encode(query))
        return try BrowserFlow.location(of: answer)
    }

    func signIn(_ hint: String, _ more: [String: String] = [:]) async throws -> HTTPTestAnswer {
        let location = try await authorize(hint, more)
        let code = try #require(location["code"], "\(location)")
        return try await post(
            "/auth/signin",
            ["provider": "beyond", "code": code, "redirect_uri": "com.example.app:/beyond", "nonce": "n"])
    }
}

extension DirectoryFlow {
    /// The directory refuses all tokens that it has given.
    func expireTokens() async throws {
        let answer = try await LoopbackClient(port: try port).send("POST", "/control/directory/expire-tokens", body: [])
        #expect(answer.status == 200)
    }

    /// Makes an identity as an operator would, without us.
    func addIdentity(_ username: String, _ email: String) async throws {
        let realm = "/v1/tenants/demo/realms/demo"
        let basic = Base64.encode(Array("management:demo-secret-management".utf8))
        let token = try await LoopbackClient(port: try port).send(
            "POST", realm + "/applications/management/token",
            headers: ["Authorization": "Basic \(basic)", "Content-Type": "application/x-www-form-urlencoded"],
            body: Array("grant_type=client_credentials".utf8))
        let access = try #require(token["access_token"]?.string)
        let identity: JSONValue = [
            "identity": [
                "display_name": .string(username),
                "traits": [
                    "type": "traits_v0", "username": .string(username), "primary_email_address": .string(email),
                ],
            ]
        ]
        let answer = try await LoopbackClient(port: try port).send(
            "POST", realm + "/identities",
            headers: [
                "Authorization": "Bearer \(access)",
                "Content-Type": "application/json",
            ], body: identity.serialized)
        #expect(answer.status == 200, "\(answer.text)")
    }
}

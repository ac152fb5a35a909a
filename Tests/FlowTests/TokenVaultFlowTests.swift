import Accounts
import AccountsSQL
import AccountsSQLite
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Patience
import Providers
import SignIn
import SimulatedCarriers
import Syntax
import System
import Telemetry
import TestSupport
import Testing

@testable import Composition
@testable import Operations

/// A user of the plain provider whose tokens are kept, and the service that may have them.
struct VaultFlow {
    private static let redirectURI = "https://service.example/cb"
    private static let scope = "openid account.read account.sessions account.erase tokens"
    static let apps = """
        session: {issuer: '\(BrowserFlow.issuer)'}
        apps: [service]
        app:
          service:
            clientID: service
            idTokenAlgorithm: ES256
            secret: secret-of-the-service
            redirectURIs: ['\(redirectURI)']
            providerTokens: [plain]
            scopes: [openid, account.read, account.sessions, account.erase, tokens]
        """

    let gatehouse: RunningGatehouse
    let token: String
    let identity: Int64

    static func with(
        lifetime: String? = "token_expires_in_30_valid", plain: [String] = [], observers: Observers = .none,
        _ body: (VaultFlow) async throws -> Void
    ) async throws {
        try await RunningGatehouse.with(
            top: apps, plain: ["keepTokens: true", "scopes: [openid, profile, email, offline_access]"] + plain,
            observers: observers
        ) { gatehouse in
            try await body(try await VaultFlow(gatehouse, misbehaving: lifetime))
        }
    }

    /// Signs a subscriber in, by default with a token that is due for a refresh at once.
    init(_ gatehouse: RunningGatehouse, _ subscriber: String = "ada", misbehaving name: String?) async throws {
        self.gatehouse = gatehouse
        if let name { try await Self.misbehave(name, at: "token", times: 1, gatehouse) }
        var browser = BrowserFlow(gatehouse)
        let code = try await browser.code([
            "client_id": "service", "redirect_uri": Self.redirectURI, "provider": "plain", "mccmnc": "",
            "login_hint": subscriber, "scope": Self.scope,
        ])
        let signedIn = try await browser.redeem(
            code, ["client_id": "service", "client_secret": "secret-of-the-service", "redirect_uri": Self.redirectURI])
        token = try #require(signedIn["token"]?.string, "\(signedIn.text)")
        let identities = try await gatehouse.call("GET", "/users/me/identities", bearer: token)
        identity = try #require(identities.json.array?.first?["identity_id"]?.integer)
    }

    func accessToken(_ query: String = "") async throws -> HTTPTestAnswer {
        let basic = "Basic " + Base64.encode(Array("service:secret-of-the-service".utf8))
        return try await gatehouse.call(
            "GET", "/users/me/identities/\(identity)/access-token\(query)", bearer: token,
            headers: ["Client-Authorization": basic])
    }

    /// Has the next calls of the token endpoint, or of another, go wrong.
    func misbehave(_ name: String, at endpoint: String? = nil, times: Int? = 1) async throws {
        try await Self.misbehave(name, at: endpoint, times: times, gatehouse)
    }

    private static func misbehave(
        _ name: String, at endpoint: String?, times: Int?, _ gatehouse: RunningGatehouse
    ) async throws {
        var members: [(name: String, value: JSONValue)] = [("name", .string(name)), ("issuer", "plain")]
        if let endpoint { members.append((name: "endpoint", value: .string(endpoint))) }
        if let times { members.append((name: "times", value: .integer(Int64(times)))) }
        let port = try #require(URLComponents(string: gatehouse.simulation.plain)?.port)
        let answer = try await LoopbackClient(port: UInt16(port)).send(
            "POST", "/control/misbehave", headers: ["Content-Type": "application/json"],
            body: JSONValue.object(JSONObject(members)).serialized)
        #expect(answer.status == 200, "\(answer.text)")
    }

    func behave() async throws {
        let port = try #require(URLComponents(string: gatehouse.simulation.plain)?.port)
        _ = try await LoopbackClient(port: UInt16(port)).send("POST", "/control/behave", body: [])
    }

    /// The refresh tokens that the provider was sent, in order.
    var refreshes: [String] {
        gatehouse.simulation.requests(at: .token).compactMap { $0.formField("refresh_token") }
    }

    /// What the server does now and then: tells providers what is due.
    func deliver(giveUpSeconds: Int64 = 3600, secondsLater: Int64 = 0) async throws {
        let delivery = OutboxDelivery(
            repository: gatehouse.server.repository, providers: ProviderRegistry(gatehouse.server.providers),
            transport: gatehouse.server.grantTransport,
            clock: Clock { Int64(Date().timeIntervalSince1970) + secondsLater }, giveUpSeconds: giveUpSeconds,
            observers: .none)
        try await delivery.deliver { OutboxLog.tell($0, gatehouse.log.logger) }
    }
}

@Suite struct `The token vault over real sockets` {
    /// One after the other: each has two hundred callers, who have all come before the provider answers.
    @Test(.serialized, arguments: [nil, "status_500", "hang", "close_before_answer", "token_invalid_grant"])
    func `makes one refresh for two hundred who ask at once`(misbehaviour: String?) async throws {
        // That who hangs is given up is what is waited for there.
        let plain = ["timeoutSeconds: \(misbehaviour == "hang" ? 15 : 120)", "signInTimeoutSeconds: 120"]
        let recorder = StepRecorder()
        try await VaultFlow.with(plain: plain, observers: Observers([recorder])) { flow in
            let held = HeldAnswer()
            if misbehaviour == "hang" { held.release() }
            flow.gatehouse.simulation.misbehave(.held(held), at: .token, of: .plain, times: 1)
            if let misbehaviour { try await flow.misbehave(misbehaviour, at: "token") }
            let answers = try await withThrowingTaskGroup(of: HTTPTestAnswer.self) { group in
                for _ in 0..<200 { group.addTask { try await flow.accessToken() } }
                if misbehaviour != "hang" {
                    try await eventually("two hundred callers") { recorder.openCount >= 200 }
                    // Who asks the store now is behind all who have come.
                    for _ in 0..<2 { _ = try await flow.gatehouse.call("GET", "/users/me", bearer: flow.token) }
                    held.release()
                }
                return try await group.reduce(into: [HTTPTestAnswer]()) { $0.append($1) }
            }
            let statuses = Set(answers.map(\.status))
            #expect(answers.count == 200)
            #expect(flow.refreshes.count == 1, "\(flow.refreshes.count) with \(statuses)")
            switch misbehaviour {
            case nil:
                #expect(statuses == [200])
                #expect(Set(answers.compactMap { $0["access_token"]?.string }).count == 1)
            case "token_invalid_grant":
                #expect(statuses == [409])
                #expect(try await flow.accessToken()["error"] == "provider_sign_in_required")
                #expect(flow.refreshes.count == 1)
            case "status_500":
                #expect(statuses == [502])
                #expect(try await flow.accessToken().status == 200, "the grant is as it was")
                #expect(flow.refreshes.count == 2)
            case "hang": #expect(statuses == [504])
            default:
                #expect(statuses == [502])
                // The provider has rotated the token, and the answer was lost: now it says so, and that is the end.
                #expect(try await flow.accessToken().status == 409)
                #expect(flow.refreshes.count == 2)
            }
        }
    }

    @Test func `hands the provider's token out, which the provider takes, and refreshes the profile by it`()
        async throws
    {
        try await VaultFlow.with { flow in
            let first = try await flow.accessToken()
            #expect(first.status == 200 && first["token_type"] == "Bearer", "\(first.text)")
            #expect(first["expires_in"]?.integer.map { $0 > 3500 } == true)
            #expect(try await flow.accessToken()["access_token"] == first["access_token"])
            let issuer = try #require(URLComponents(string: flow.gatehouse.simulation.plain)?.port)
            let userinfo = try await LoopbackClient(port: UInt16(issuer)).send(
                "GET", "/userinfo",
                headers: ["Authorization": "Bearer \(try #require(first["access_token"]?.string))"])
            #expect(userinfo.status == 200)
            let profile = try await flow.gatehouse.call(
                "POST", "/users/me/refresh-profile", bearer: flow.token, form: [:])
            #expect(profile.status == 200 && profile["email"] != nil, "\(profile.text)")
            let secrets = flow.refreshes + [first["access_token"]?.string ?? "?"]
            for secret in secrets { #expect(!flow.gatehouse.log.text.contains(secret)) }
        }
    }

    @Test func `revokes what it was granted when the user is erased, once the provider is back`() async throws {
        try await VaultFlow.with { flow in
            let token = try #require(try await flow.accessToken()["access_token"]?.string)
            try await flow.misbehave("status_503", at: "revocation", times: nil)
            #expect(try await flow.gatehouse.call("DELETE", "/users/me", bearer: flow.token).status == 200)
            try await flow.deliver()
            #expect(try await flow.gatehouse.server.repository.outboxStatus().pending == 1)
            #expect(try await flow.status(of: token) == 200, "the provider was down")
            // Nothing of the user is left but what is sealed for the provider.
            #expect(try await flow.gatehouse.server.repository.userCount() == 0)
            try await flow.behave()
            try await flow.deliver(secondsLater: 60)
            #expect(try await flow.status(of: token) == 401)
            #expect(try await flow.gatehouse.server.repository.outboxStatus().pending == 0)
            let trail = try await flow.gatehouse.server.repository.auditEvents(after: 0, limit: 100)
            #expect(trail.map(\.kind) == [.userCreated, .userErased, .providerRevocationDone])
        }
    }

    @Test func `gives a revocation up that never comes through, and tells so`() async throws {
        try await VaultFlow.with { flow in
            try await flow.misbehave("status_503", at: "revocation", times: nil)
            #expect(try await flow.gatehouse.call("DELETE", "/users/me", bearer: flow.token).status == 200)
            for hour in 0..<4 { try await flow.deliver(secondsLater: Int64(hour) * 3000) }
            let repository = flow.gatehouse.server.repository
            #expect(try await repository.outboxStatus().pending == 0)
            #expect(try await repository.auditEvents(after: 0, limit: 100).last?.kind == .providerRevocationGivenUp)
            #expect(flow.gatehouse.log.text.contains("given up"))
        }
    }

    @Test func `a user who signs out everywhere has nothing granted any more`() async throws {
        try await VaultFlow.with { flow in
            let token = try #require(try await flow.accessToken()["access_token"]?.string)
            #expect(try await flow.gatehouse.call("DELETE", "/users/me/sessions", bearer: flow.token).status == 200)
            try await flow.deliver()
            #expect(try await flow.status(of: token) == 401)
        }
    }
}

extension VaultFlow {
    /// What the provider says to an access token of its own.
    fileprivate func status(of token: String) async throws -> Int {
        let port = try #require(URLComponents(string: gatehouse.simulation.plain)?.port)
        return try await LoopbackClient(port: UInt16(port)).send(
            "GET", "/userinfo", headers: ["Authorization": "Bearer \(token)"]
        ).status
    }
}

import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Synchronization
import Testing

/// An app with AppAuth's token manager, at a Gatehouse that signs its users in with TelenorID+.
@Suite struct `An app with AppAuth's token manager` {
    /// What goes over its wire, and what its clock shows.
    private final class Wire: Sendable {
        private let state = Mutex((forms: [[String: String]](), seconds: 0.0, isDown: false, status: 0))

        var forms: [[String: String]] { state.withLock { $0.forms } }
        /// Instead of the service's own answer; 0 for that.
        var status: Int {
            get { state.withLock { $0.status } }
            set { state.withLock { $0.status = newValue } }
        }
        var isDown: Bool {
            get { state.withLock { $0.isDown } }
            set { state.withLock { $0.isDown = newValue } }
        }
        func pass(seconds: Double) { state.withLock { $0.seconds += seconds } }
        var now: Date { Date().addingTimeInterval(state.withLock { $0.seconds }) }

        func send(_ form: [String: String], to gatehouse: RunningGatehouse) async -> HTTPTestAnswer? {
            state.withLock { $0.forms.append(form) }
            if isDown { return nil }
            if status != 0 { return HTTPTestAnswer(status: status, headers: [], body: Array("<p>busy".utf8)) }
            return try? await gatehouse.call("POST", "/auth/token", form: form)
        }
    }

    /// Signs in through the browser, and hands the tokens to a manager.
    private func with(
        _ body: (AppAuthManager, Wire, RunningGatehouse, HTTPTestAnswer) async throws -> Void
    ) async throws {
        try await TelenorFlow.with { gatehouse in
            var flow = TelenorFlow(gatehouse)
            let tokens = try await flow.tokens(["scope": "openid profile offline_access"])
            try check(tokens["id_token"]?.string, nonce: "app-nonce")
            let wire = Wire()
            let manager = AppAuthManager(clientID: "desk", tokens: tokens.json, now: { wire.now }) { form in
                await wire.send(form, to: gatehouse)
            }
            try await body(manager, wire, gatehouse, tokens)
        }
    }

    /// What AppAuth demands of an ID token, also of one that a refresh brings (OIDAuthorizationService.m,
    /// IdToken.java).
    private func check(_ token: String?, nonce: String?) throws {
        let parts = try #require(token).split(separator: ".")
        #expect(parts.count == 3)
        var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        let payload = Array(try #require(Data(base64Encoded: text)))
        let claims = try JSONValue(parsing: payload.span)
        let now = Int64(Date().timeIntervalSince1970)
        #expect(claims["iss"]?.string == BrowserFlow.issuer && claims["aud"]?.string == "desk")
        #expect(claims["sub"]?.string?.isEmpty == false && claims["nonce"]?.string == nonce)
        #expect(try #require(claims["exp"]?.integer) > now)
        #expect(abs(now - (try #require(claims["iat"]?.integer))) <= 600)
    }

    @Test func `asks nobody as long as the token is fresh for more than a minute`() async throws {
        try await with { manager, wire, _, tokens in
            let lifetime = Double(try #require(tokens["expires_in"]?.integer))
            #expect(lifetime > 60)
            #expect(try await manager.freshToken() == tokens["access_token"]?.string)
            wire.pass(seconds: lifetime - 70)
            #expect(try await manager.freshToken() == tokens["access_token"]?.string)
            #expect(wire.forms.isEmpty)
            wire.pass(seconds: 10)
            _ = try await manager.freshToken()
            #expect(wire.forms.map { $0["scope"] } == [nil] && wire.forms[0]["grant_type"] == "refresh_token")
            _ = try await manager.freshToken()
            #expect(wire.forms.count == 1)
            try self.check(await manager.idToken, nonce: nil)
        }
    }

    @Test func `refreshes once for all who wait, and each answer's refresh token takes the place of the last`()
        async throws
    {
        try await with { manager, wire, gatehouse, tokens in
            wire.pass(seconds: 900)
            let fresh = try await withThrowingTaskGroup(of: String.self, returning: Set<String>.self) { group in
                for _ in 0..<8 { group.addTask { try await manager.freshToken() } }
                return try await group.reduce(into: []) { $0.insert($1) }
            }
            #expect(fresh.count == 1 && wire.forms.count == 1)
            let second = await manager.refreshToken
            #expect(second != nil && second != tokens["refresh_token"]?.string)
            #expect(await manager.scope?.hasPrefix("openid profile offline_access") == true)
            _ = try await manager.freshToken(forced: true)
            #expect(wire.forms.count == 2 && wire.forms[1]["refresh_token"] == second)
            let bearer = try #require(await manager.accessToken)
            #expect(try await gatehouse.call("GET", "/auth/userinfo", bearer: bearer).status == 200)
        }
    }

    @Test func `keeps what it has when nobody answers, or only says that it can't now`() async throws {
        try await with { manager, wire, _, tokens in
            wire.pass(seconds: 900)
            wire.isDown = true
            await #expect(throws: AppAuthManager.Failure.transient) { try await manager.freshToken() }
            wire.isDown = false
            for status in [500, 503, 429] {
                wire.status = status
                await #expect(throws: AppAuthManager.Failure.transient) { try await manager.freshToken() }
            }
            #expect(await manager.refreshToken == tokens["refresh_token"]?.string)
            wire.status = 0
            let fresh = try await manager.freshToken()
            #expect(fresh != tokens["access_token"]?.string)
        }
    }

    @Test func `is told for good that its grant is over once it is revoked, and has to sign in again`() async throws {
        try await with { manager, wire, gatehouse, tokens in
            let form = ["token": try #require(tokens["refresh_token"]?.string), "client_id": "desk"]
            #expect(try await gatehouse.call("POST", "/auth/revoke", form: form).status == 200)
            wire.pass(seconds: 900)
            await #expect(throws: AppAuthManager.Failure.final("invalid_grant")) { try await manager.freshToken() }
            #expect(await manager.accessToken == nil)
            await #expect(throws: AppAuthManager.Failure.noRefreshToken) { try await manager.freshToken() }
            #expect(wire.forms.count == 1)
        }
    }

    @Test func `logs out with its ID token, and comes back with its state`() async throws {
        try await with { manager, wire, gatehouse, _ in
            let query = FormText.encode([
                "id_token_hint": try #require(await manager.idToken),
                "post_logout_redirect_uri": "http://127.0.0.1:5000/bye", "state": "logout-state",
            ])
            let answer = try await gatehouse.call("GET", "/auth/logout?" + query)
            let location = try BrowserFlow.location(of: answer)
            #expect(location.string?.hasPrefix("http://127.0.0.1:5000/bye?") == true)
            #expect(location["state"] == "logout-state")
            wire.pass(seconds: 900)
            await #expect(throws: AppAuthManager.Failure.final("invalid_grant")) { try await manager.freshToken() }
        }
    }
}

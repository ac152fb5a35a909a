import Accounts
import Apps
import Crypto
import HTTPServer
import HTTPTesting
import JSON
import Providers
import Syntax
import TestSupport
import Testing

@testable import SignIn
@testable import WebAPI

@Suite struct `What an app may ask for` {
    private static let address = "https://b.example/cb"

    /// A service whose app `b` has these rights, and a secret if it is to have one.
    private static func browser(
        _ rights: RegisteredApp.Rights, secret: String? = nil, providers: [String] = []
    ) async throws -> BrowserStage {
        let app = RegisteredApp(
            name: "b", clientID: "b", secret: secret.map { Secret($0) }, redirectURIs: [RedirectURI(address)],
            providers: providers, origins: [], postLogoutRedirectURIs: [], otherBrowser: .refuse, consent: .implicit,
            idTokenAlgorithm: .es256, rights: rights)
        return BrowserStage(
            of: try await APIStage(
                apps: AppRegistry([app], resourceServers: []), others: [.openID { $0.clientID = "other-client" }]))
    }

    private static func signIn(
        _ browser: inout BrowserStage, scope: String?, headers: [(String, String)] = []
    ) async throws -> HTTPTestAnswer {
        let code = try await browser.code(["client_id": "b", "redirect_uri": address, "scope": scope])
        return await browser.redeem(
            code, ["client_id": headers.isEmpty ? "b" : nil, "redirect_uri": address], headers: headers)
    }

    private static func refresh(
        _ browser: BrowserStage, _ token: String?, _ further: [(String, String)] = []
    ) async -> HTTPTestAnswer {
        await browser.api.post(
            "/auth/token",
            form: FormText.encode(
                [("grant_type", "refresh_token"), ("client_id", "b"), ("refresh_token", token ?? "")] + further))
    }

    @Test func `is granted as far as the operator has it, and told`() async throws {
        var browser = try await Self.browser(RegisteredApp.Rights(permissions: Permissions([.openid, .email])))
        let answer = try await Self.signIn(&browser, scope: "openid profile email account.read account.erase nonsense")
        #expect(answer.status == 200 && answer.json["scope"] == "openid email", "\(answer.text)")
        let claims = try Self.claims(of: answer, "id_token")
        #expect(claims["email"] == "jane@example.com" && claims["name"] == nil)
        #expect(try Self.claims(of: answer, "access_token")["scope"] == "openid email")
    }

    private static func claims(of answer: HTTPTestAnswer, _ name: String) throws -> JSONValue {
        let parts = (answer.json[name]?.string ?? "").split(separator: ".")
        return try JSONValue(parsing: try #require(Base64URL.decode(String(parts[1]))))
    }

    @Test func `is refused where nothing of it can be granted`() async throws {
        var browser = try await Self.browser(RegisteredApp.Rights(permissions: Permissions([.openid])))
        for scope in ["account.read", "nonsense", "profile account.erase"] {
            let request = ["client_id": "b", "redirect_uri": Self.address, "scope": scope]
            let answer = try Location(of: await browser.visit("/auth/authorize", BrowserStage.request(request)))
            #expect(answer.base == Self.address && answer["error"] == "invalid_scope", "\(scope)")
        }
    }

    @Test func `brings a refresh token where it is offline_access, or where the operator has it always`() async throws {
        for (asked, offlineAccess, expected) in [
            ("openid", RegisteredApp.OfflineAccess.asked, false), ("openid offline_access", .asked, true),
            ("openid", .always, true),
        ] {
            var browser = try await Self.browser(RegisteredApp.Rights(offlineAccess: offlineAccess))
            let answer = try await Self.signIn(&browser, scope: asked)
            #expect((answer.json["refresh_token"] != nil) == expected, "\(asked) \(offlineAccess)")
        }
        var browser = try await Self.browser(RegisteredApp.Rights(permissions: Permissions([.openid])))
        let answer = try await Self.signIn(&browser, scope: "openid offline_access")
        #expect(answer.json["refresh_token"] == nil && answer.json["scope"] == "openid")
    }

    @Test func `is what a refresh narrows, for that token alone`() async throws {
        var browser = try await Self.browser(RegisteredApp.Rights())
        let first = try await Self.signIn(&browser, scope: "openid profile email offline_access")
        let narrow = await Self.refresh(
            browser, first.json["refresh_token"]?.string, [("scope", "openid account.read")])
        #expect(narrow.status == 200 && narrow.json["scope"] == "openid", "\(narrow.text)")
        let user = await browser.api.send(
            .get, "/auth/userinfo", headers: bearer(narrow.json["access_token"]?.string ?? ""))
        let stored = try #require(try await browser.api.stage.repository.user(UserID(rawValue: 1)))
        #expect(user.json == ["sub": .string(stored.reference), "idp": "zenkey"])
        let nothing = await Self.refresh(
            browser, narrow.json["refresh_token"]?.string, [("scope", "account.read")])
        #expect((nothing.status, nothing.error) == (400, "invalid_scope"))
        let whole = await Self.refresh(browser, narrow.json["refresh_token"]?.string)
        #expect(whole.json["scope"] == "openid profile email offline_access", "\(whole.text)")
    }

    @Test func `has an audience among those of its section`() async throws {
        var browser = try await Self.browser(RegisteredApp.Rights(audiences: ["https://backend.example"]))
        let first = try await Self.signIn(&browser, scope: "openid offline_access")
        #expect(try Self.claims(of: first, "access_token")["aud"] == "https://gatehouse.example")
        let next = await Self.refresh(
            browser, first.json["refresh_token"]?.string, [("resource", "https://backend.example")])
        #expect(try Self.claims(of: next, "access_token")["aud"] == "https://backend.example")
        let foreign = await Self.refresh(
            browser, next.json["refresh_token"]?.string, [("resource", "https://evil.example")])
        #expect((foreign.status, foreign.error) == (400, "invalid_target"))
        let asked = try Location(
            of: await browser.visit(
                "/auth/authorize",
                BrowserStage.request([
                    "client_id": "b", "redirect_uri": Self.address, "resource": "https://evil.example",
                ])))
        #expect(asked["error"] == "invalid_target")
    }

    @Test func `is by the grants of its section`() async throws {
        var browser = try await Self.browser(RegisteredApp.Rights(grants: [.refreshToken]))
        let asked = try Location(
            of: await browser.visit(
                "/auth/authorize", BrowserStage.request(["client_id": "b", "redirect_uri": Self.address])))
        #expect(asked["error"] == "unauthorized_client")
        var other = try await Self.browser(RegisteredApp.Rights(grants: [.authorizationCode]))
        let answer = try await Self.signIn(&other, scope: "openid offline_access")
        #expect(answer.status == 200 && answer.json["refresh_token"] == nil)
        let refreshed = await Self.refresh(other, "x")
        #expect((refreshed.status, refreshed.error) == (400, "unauthorized_client"))
    }

    @Test func `links no identity of a provider that it may not use`() async throws {
        var browser = try await Self.browser(
            RegisteredApp.Rights(permissions: .everything), providers: ["zenkey"])
        let token = try await Self.signIn(&browser, scope: "openid account.identities").json["access_token"]?.string
        let answer = await browser.api.post(
            "/users/me/identities", json: ["provider": "openid", "code": "c", "code_verifier": "x"],
            headers: bearer(token ?? ""))
        #expect((answer.status, answer.error) == (400, "invalid_request"))
        #expect(answer.text.contains("this app's providers"), "\(answer.text)")
    }

    @Test func `ends nothing of an app that has a secret and does not show it`() async throws {
        let headers = BrowserStage.basic("b", "a secret of sixteen characters")
        var browser = try await Self.browser(
            RegisteredApp.Rights(permissions: .everything), secret: "a secret of sixteen characters")
        let tokens = try await Self.signIn(&browser, scope: "openid account.read offline_access", headers: headers)
        for name in ["access_token", "refresh_token"] {
            let token = try #require(tokens.json[name]?.string)
            let answer = await browser.api.post("/auth/revoke", form: FormText.encode([("token", token)]))
            #expect((answer.status, answer.error) == (401, "invalid_client"), "\(name)")
        }
        let access = tokens.json["access_token"]?.string ?? ""
        #expect(await browser.api.send(.get, "/users/me", headers: bearer(access)).status == 200)
        let ended = await browser.api.post(
            "/auth/revoke", form: FormText.encode([("token", access)]), headers: headers)
        #expect(ended.status == 200)
        #expect(await browser.api.send(.get, "/users/me", headers: bearer(access)).status == 401)
    }

    @Test func `is nothing any more once the app is taken out of the configuration`() async throws {
        var browser = try await Self.browser(RegisteredApp.Rights(permissions: .everything))
        let tokens = try await Self.signIn(&browser, scope: "openid account.read offline_access")
        let access = try #require(tokens.json["access_token"]?.string)
        let stage = browser.api.stage
        let without = Sessions(
            repository: stage.repository, tokenIssuer: stage.issuer, apps: AppRegistry([], resourceServers: []),
            providers: stage.providers, clock: stage.clock)
        #expect(try await stage.sessions.principal(of: access).app?.clientID == "b")
        await #expect(throws: ServiceError.invalidToken) { try await without.principal(of: access) }
        await #expect(throws: ServiceError.invalidGrant(.unknownRefreshToken)) {
            try await without.refresh(tokens.json["refresh_token"]?.string)
        }
    }
}

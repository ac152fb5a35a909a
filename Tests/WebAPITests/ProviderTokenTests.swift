import Accounts
import Apps
import Crypto
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
import Providers
import Syntax
import TestSupport
import Testing

@testable import WebAPI

extension APIStage {
    /// A stage whose provider's tokens are kept, and two services: `web` may have them, `other` may not; `phone` has no
    /// secret.
    static func keepingTokens(
        perMinute: Int = 0, apiKeys: [String] = [], lifetime: Int64 = 3600,
        _ change: (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws -> APIStage {
        func app(_ name: String, secret: String?, tokens: [String]) -> RegisteredApp {
            RegisteredApp(
                name: name, clientID: "\(name)-id", secret: secret.map { Secret($0) },
                redirectURIs: [RedirectURI("https://\(name).example/cb")], providers: [], origins: [],
                postLogoutRedirectURIs: [], otherBrowser: .refuse, consent: .implicit, idTokenAlgorithm: .es256,
                providerTokens: tokens,
                rights: RegisteredApp.Rights(permissions: Permissions([.openid, .tokens, .accountRead])))
        }
        let apps = AppRegistry(
            [
                app("web", secret: "web secret", tokens: ["zenkey"]), app("other", secret: "other secret", tokens: []),
                app("phone", secret: nil, tokens: ["zenkey"]),
            ], resourceServers: [ResourceServer(id: "api", secret: Secret("api secret"))])
        let app = try await APIStage(apiKeys: apiKeys, perMinute: perMinute, apps: apps) {
            $0.keepsTokens = true
            change(&$0)
        }
        app.stage.transport.answer(
            app.stage.carrier.tokenEndpoint,
            json: .object(
                JSONObject(
                    keptTokens(lifetime) + [
                        ("access_token", "access"), ("token_type", "Bearer"),
                        ("id_token", .string(try app.stage.carrier.idToken())),
                    ])))
        return app
    }

    private static func keptTokens(_ lifetime: Int64) -> [(String, JSONValue)] {
        [("refresh_token", "refresh"), ("scope", "openid"), ("expires_in", .integer(lifetime))]
    }

    static func basic(_ id: String, _ secret: String) -> String {
        "Basic " + Base64.encode(Array("\(id):\(secret)".utf8))
    }

    /// The session token and the number of the identity of a user who has just signed in.
    ///
    /// - Parameter client: whose session it is: `web` or `other`.
    func keptUser(
        of client: String = "web", scope: String = "openid tokens account.read", lifetime: Int64 = 3600,
        subject: String = "310260-subject"
    ) async throws -> (token: String, identity: Int64) {
        var browser = BrowserStage(of: self)
        let request = try await browser.begin([
            "client_id": "\(client)-id", "redirect_uri": "https://\(client).example/cb", "scope": scope,
        ])
        let answer = try await browser.comeBack(from: request, with: Self.keptTokens(lifetime)) {
            $0.claims[setting: "sub"] = .string(subject)
        }
        let code = try #require(try Location(of: answer)["code"])
        let redeemed = await browser.redeem(
            code, ["client_id": nil, "redirect_uri": "https://\(client).example/cb"],
            headers: BrowserStage.basic("\(client)-id", "\(client) secret"))
        let token = try #require(redeemed.json["access_token"]?.string)
        let shown = [("Authorization", "Bearer \(token)")]
        let identities = await send(.get, "/users/me/identities", headers: shown).json.array
        return (token, identities?.first?["identity_id"]?.integer ?? 0)
    }

    func providerToken(
        _ identity: Int64, _ token: String?, client: String? = basic("web-id", "web secret"), query: String? = nil
    ) async -> HTTPTestAnswer {
        await send(
            .get, "/users/me/identities/\(identity)/access-token", query: query,
            headers: (token.map(bearer) ?? []) + (client.map { [("Client-Authorization", $0)] } ?? []))
    }
}

@Suite struct `The door to a provider's access token` {
    @Test func `opens to a service that may have it and shows a session of the user's`() async throws {
        let app = try await APIStage.keepingTokens()
        let (token, identity) = try await app.keptUser()
        let answer = await app.providerToken(identity, token)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.json["access_token"] == "access" && answer.json["token_type"] == "Bearer")
        #expect(answer.json["expires_in"] == 3600 && answer.json["scope"] == "openid")
        #expect(answer.header("cache-control") == "no-store")
        #expect(!answer.text.contains("refresh"))
    }

    @Test func `takes both credentials in Authorization, too, in any order`() async throws {
        let app = try await APIStage.keepingTokens()
        let (token, identity) = try await app.keptUser()
        let fields = bearer(token) + [("Authorization", APIStage.basic("web-id", "web secret"))]
        for headers in [fields, fields.reversed()] {
            let answer = await app.send(.get, "/users/me/identities/\(identity)/access-token", headers: headers)
            #expect(answer.status == 200)
        }
        for doubled in [fields + bearer(token), fields + [fields[1]]] {
            let answer = await app.send(.get, "/users/me/identities/\(identity)/access-token", headers: doubled)
            #expect(answer.status == 401)
        }
    }

    /// The attack that it is built against: a resource server that was shown a session token.
    @Test func `stays shut to a holder of the user's token alone`() async throws {
        let app = try await APIStage.keepingTokens()
        let (token, identity) = try await app.keptUser()
        let clients: [String?] = [
            nil, "Basic", "Basic !", APIStage.basic("web-id", "wrong"), APIStage.basic("phone-id", ""),
            APIStage.basic("phone-id", "x"), APIStage.basic("api", "api secret"), APIStage.basic("nobody", ""),
            "Bearer \(token)",
        ]
        for client in clients {
            let answer = await app.providerToken(identity, token, client: client)
            #expect(answer.status == 401, "\(client ?? "none")")
            #expect(!answer.text.contains("access\""))
        }
        #expect(await app.providerToken(identity, token, client: clients[3]).error == "invalid_client")
    }

    @Test func `stays shut to an app that the configuration does not name for that provider`() async throws {
        let app = try await APIStage.keepingTokens()
        let (token, identity) = try await app.keptUser(of: "other")
        let answer = await app.providerToken(identity, token, client: APIStage.basic("other-id", "other secret"))
        #expect((answer.status, answer.error) == (403, "unauthorized_client"))
    }

    @Test func `stays shut to a service that shows the session of another app, or of an app that posts codes`()
        async throws
    {
        let app = try await APIStage.keepingTokens()
        let (others, identity) = try await app.keptUser(of: "other")
        let shown = await app.providerToken(identity, others)
        #expect((shown.status, shown.error) == (401, "invalid_token"))
        try app.stage.answerToken()
        let posted = await app.providerToken(identity, try await app.signedIn().token)
        #expect((posted.status, posted.error) == (401, "invalid_token"), "\(posted.text)")
    }

    @Test func `stays shut to a session that was not opened for it`() async throws {
        let app = try await APIStage.keepingTokens()
        let (token, identity) = try await app.keptUser(scope: "openid account.read")
        let answer = await app.providerToken(identity, token)
        #expect((answer.status, answer.error) == (403, "insufficient_scope"))
        #expect(answer.header("www-authenticate")?.contains(#"scope="tokens""#) == true)
    }

    @Test func `stays shut without the user, and for another user's identity`() async throws {
        let app = try await APIStage.keepingTokens()
        let (token, identity) = try await app.keptUser()
        for bearer in [nil, "garbage"] {
            #expect(await app.providerToken(identity, bearer).error == "invalid_token")
        }
        app.stage.answerUserinfo(["sub": "second"])
        let second = try await app.keptUser(subject: "second").token
        #expect(await app.providerToken(identity, second).error == "not_found")
        #expect(await app.providerToken(identity + 7, token).error == "not_found")
        _ = await app.send(.delete, "/auth/token", headers: bearer(token))
        #expect(await app.providerToken(identity, token).error == "invalid_token")
    }

    @Test func `asks who guesses secrets to wait`() async throws {
        let app = try await APIStage.keepingTokens(perMinute: 2)
        let (token, identity) = try await app.keptUser()
        for _ in 0..<2 { _ = await app.providerToken(identity, token, client: APIStage.basic("web-id", "wrong")) }
        let answer = await app.providerToken(identity, token, client: APIStage.basic("web-id", "wrong"))
        #expect((answer.status, answer.error) == (429, "rate_limited"))
        #expect(await app.providerToken(identity, token).status == 200, "what is right is never refused")
    }

    @Test func `says what is wrong with force_refresh`() async throws {
        let app = try await APIStage.keepingTokens()
        let (token, identity) = try await app.keptUser()
        #expect(await app.providerToken(identity, token, query: "force_refresh=true").status == 200)
        let answer = await app.providerToken(identity, token, query: "force_refresh=yes")
        #expect(answer.status == 400 && answer.json["error_description"]?.string?.contains("force_refresh") == true)
    }

    @Test func `neither answers nor log tell a token of the provider's that is not asked for`() async throws {
        let app = try await APIStage.keepingTokens(lifetime: 30)
        let (token, identity) = try await app.keptUser(lifetime: 30)
        app.stage.transport.answer(
            app.stage.carrier.tokenEndpoint,
            .json(["error": "invalid_client", "error_description": "what is refresh?"], status: 401))
        let answer = await app.providerToken(identity, token)
        #expect(answer.status == 502)
        let lines = app.log.lines.map { "\($0.message) \($0.values)" }.joined(separator: "\n")
        #expect(!lines.contains("what is refresh") && lines.contains("invalid_client"))
        #expect(!answer.text.contains("refresh?"))
    }
}

@Suite struct `POST /users/me/refresh-profile` {
    @Test func `answers with the user as the provider has it now`() async throws {
        let app = try await APIStage.keepingTokens()
        let (token, identity) = try await app.keptUser()
        app.stage.answerUserinfo(["sub": "310260-subject", "name": "Joan Roe"])
        for body in ["", "{}", #"{"identity_id": \#(identity)}"#, #"{"identity_id": "\#(identity)"}"#] {
            let answer = await app.send(
                .post, "/users/me/refresh-profile",
                headers: bearer(token) + (body.isEmpty ? [] : [("Content-Type", "application/json")]),
                body: Array(body.utf8))
            #expect(answer.status == 200 && answer.json["name"] == "Joan Roe", "\(body) \(answer.text)")
        }
    }

    @Test func `is asked ten times in an hour for one user, and then told when it may be again`() async throws {
        let app = try await APIStage.keepingTokens()
        let (token, _) = try await app.keptUser()
        let calls = app.stage.transport.requests.count
        for _ in 0..<10 {
            #expect(
                await app.post("/users/me/refresh-profile", json: [:], headers: bearer(token)).status == 200)
        }
        let answer = await app.post("/users/me/refresh-profile", json: [:], headers: bearer(token))
        #expect(answer.status == 429 && answer.error == "rate_limited")
        #expect(answer.header("retry-after").flatMap { Int($0) }.map { (3000...3600).contains($0) } == true)
        #expect(app.stage.transport.requests.count == calls + 10)
    }

    @Test func `names what is wrong with the identity`() async throws {
        let app = try await APIStage.keepingTokens()
        let (token, identity) = try await app.keptUser()
        func refresh(_ value: JSONValue) async -> HTTPTestAnswer {
            await app.post("/users/me/refresh-profile", json: ["identity_id": value], headers: bearer(token))
        }
        #expect(await refresh("x").error == "invalid_request")
        #expect(await refresh(.integer(identity + 7)).error == "not_found")
    }
}

/// Asks what the vault opens for every answer it has.
enum VaultTour {
    /// Every kind of answer that was seen.
    static func seen() async throws -> Set<String> {
        var seen: Set<String> = []
        let app = try await APIStage.keepingTokens(lifetime: 30)
        let (token, identity) = try await app.keptUser(lifetime: 30)
        func ask() async {
            _ = await app.providerToken(identity, token)
            _ = await app.post("/users/me/refresh-profile", json: [:], headers: bearer(token))
        }
        for answer in [
            OutboundAnswer.page(500), .error("temporarily_unavailable", 503), .timeout, .error("invalid_grant", 400),
        ] {
            answer.script(app)
            await ask()
        }
        _ = await app.providerToken(identity + 7, token)
        _ = await app.post(
            "/users/me/refresh-profile", json: ["identity_id": .integer(identity + 7)], headers: bearer(token))
        _ = await app.providerToken(identity, token, client: nil)
        let other = try await app.keptUser(of: "other")
        _ = await app.providerToken(
            other.identity, other.token, client: APIStage.basic("other-id", "other secret"))
        _ = await app.providerToken(identity, try await app.keptUser(scope: "account.read").token)
        _ = await app.providerToken(identity, nil)
        for _ in 0..<11 {
            _ = await app.post("/users/me/refresh-profile", json: [:], headers: bearer(token))
        }
        seen.formUnion(app.seenAnswers)
        seen.formUnion(try await others())
        return seen
    }

    /// What takes a stage of its own.
    private static func others() async throws -> Set<String> {
        var seen: Set<String> = []
        let good = try await APIStage.keepingTokens()
        let (token, identity) = try await good.keptUser()
        _ = await good.providerToken(identity, token)
        _ = await good.post("/users/me/refresh-profile", json: [:], headers: bearer(token))
        good.stage.answerUserinfo(["sub": "somebody-else"])
        _ = await good.post("/users/me/refresh-profile", json: [:], headers: bearer(token))
        _ = await good.post("/users/me/refresh-profile", json: ["identity_id": "x"], headers: bearer(token))
        await good.stage.repository.close()
        _ = await good.providerToken(identity, token)
        _ = await good.post("/users/me/refresh-profile", json: [:], headers: bearer(token))
        seen.formUnion(good.seenAnswers)
        let silent = try await APIStage.keepingTokens { $0.userinfo = .never }
        let user = try await silent.keptUser()
        _ = await silent.post("/users/me/refresh-profile", json: [:], headers: bearer(user.token))
        seen.formUnion(silent.seenAnswers)
        let hurried = try await APIStage.keepingTokens(perMinute: 1)
        for _ in 0..<2 { _ = await hurried.providerToken(1, "x", client: nil) }
        seen.formUnion(hurried.seenAnswers)
        // The provider of an identity that was stored under a configuration of before.
        for operation in ["providerAccessToken", "refreshProfile"] {
            seen.insert(APIStage.name(operation, 400, "unknown_provider"))
        }
        return seen
    }

    private enum OutboundAnswer {
        case page(Int)
        case error(String, Int)
        case timeout

        func script(_ app: APIStage) {
            let endpoint = app.stage.carrier.tokenEndpoint
            switch self {
            case .page(let status): app.stage.transport.answer(endpoint, .page(status: status))
            case .error(let code, let status):
                app.stage.transport.answer(endpoint, .json(["error": .string(code)], status: status))
            case .timeout: app.stage.transport.fail(endpoint, .timedOut(requestSent: true))
            }
        }
    }
}

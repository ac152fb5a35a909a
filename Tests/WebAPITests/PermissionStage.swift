import Accounts
import Apps
import Crypto
import HTTPServer
import HTTPTesting
import JSON
import PostgresTestSupport
import Providers
import SignIn
import Syntax
import TestSupport
import Testing

@testable import WebAPI

/// The stores that a service can have.
enum StoreKind: CaseIterable, Sendable {
    case file, database

    /// - Parameter body: gets nil for a store in a file.
    func with(_ body: (_ repository: (any AccountRepository)?) async throws -> Void) async throws {
        guard self == .database else { return try await body(nil) }
        try await SharedServer.withEmptyTables { address in
            try await withStore(at: address) { try await body($0) }
        }
    }
}

/// A service in which every operation that a session token may be shown to is there and can succeed: its provider keeps
/// tokens and asks users on their phones, a second takes its access tokens, a third keeps a directory. There are an app
/// for each permission and one that has all, which signs in Jane, John, or Jane by an identity that was just added.
struct PermissionStage {
    /// By which identity somebody signs in.
    enum Identity: String { case jane, added, john }

    /// What of Jane's is asked for.
    struct Target {
        /// By which she signed in first.
        let first: Int64
        /// Which was linked just now.
        let added: Int64
        let session: String
        /// Of that session.
        let token: String
    }

    let api: APIStage
    private var count = 0
    /// Each has people of its own.
    private var round = 0
    private var exchanges = 0

    init(in repository: (any AccountRepository)? = nil, freshness: ProviderConfiguration.FreshnessProof) async throws {
        let exchanging = ProviderConfiguration.openID {
            $0.clientID = "other-client"
            $0.tokenExchange = TokenExchange(.introspection)
        }
        api = try await APIStage(
            in: repository, apps: Self.apps, others: [exchanging, try APIStage.directory()]
        ) {
            SignInStage.pushing(&$0)
            $0.keepsTokens = true
            $0.freshness = freshness
        }
        api.stage.takePushes()
        api.answerDirectory()
        api.stage.transport.answer(api.stage.carrier.metadataURL, json: api.stage.carrier.metadataWithIntrospection)
    }

    private static var apps: AppRegistry {
        func app(_ name: String, _ permissions: Permissions) -> RegisteredApp {
            RegisteredApp(
                name: name, clientID: name, secret: Secret("\(name) secret of an app"),
                redirectURIs: [RedirectURI("https://app.example/\(name)")], providers: [], origins: [],
                postLogoutRedirectURIs: [], otherBrowser: .refuse, consent: .implicit, idTokenAlgorithm: .es256,
                providerTokens: ["zenkey"],
                rights: RegisteredApp.Rights(
                    permissions: permissions, grants: RegisteredApp.GrantType.allCases,
                    audiences: ["https://backend.example"]))
        }
        let narrow = Permission.allCases.map { app($0.rawValue, Permissions([$0])) }
        return AppRegistry(narrow + [app("all", Permissions(Permission.allCases))], resourceServers: [])
    }

    /// What an app shows of itself.
    static func basic(_ app: String) -> (String, String) { BrowserStage.basic(app, "\(app) secret of an app")[0] }

    // MARK: Signing in

    private static let keptTokens: [(String, JSONValue)] = [
        ("refresh_token", "refresh"), ("scope", "openid email"), ("expires_in", 3600),
    ]

    private mutating func nextCode() -> JSONValue {
        count += 1
        return .string("code-\(count)")
    }

    func subject(_ identity: Identity) -> String { "310260-\(identity)-\(round)" }

    private func set(_ claims: inout JSONObject, for subject: String, authenticatedAt: Int64?) {
        let now = api.stage.now
        claims[setting: "sub"] = .string(subject)
        claims[setting: "iat"] = .integer(now)
        claims[setting: "exp"] = .integer(now + 300)
        claims[setting: "auth_time"] = authenticatedAt.map { .integer($0) }
    }

    /// The provider vouches for somebody, with the next code that is posted.
    func vouch(for subject: String, authenticatedAt: Int64?, nonce: String? = "the-nonce") throws {
        let idToken = try api.stage.carrier.idToken { draft in
            set(&draft.claims, for: subject, authenticatedAt: authenticatedAt)
            draft.claims[setting: "nonce"] = nonce.map { .string($0) }
        }
        api.stage.transport.answer(
            api.stage.carrier.tokenEndpoint,
            json: .object(
                JSONObject(
                    Self.keptTokens + [
                        ("access_token", "access"), ("token_type", "Bearer"), ("id_token", .string(idToken)),
                    ])))
        api.stage.answerUserinfo(["sub": .string(subject)])
    }

    /// What is posted with a code that the provider gave for somebody.
    mutating func posted(_ subject: String, authenticatedAt: Int64?, nonce: String? = "the-nonce") throws -> JSONValue {
        try vouch(for: subject, authenticatedAt: authenticatedAt, nonce: nonce)
        return APIStage.authorized([("code", nextCode()), ("nonce", nonce.map { .string($0) })])
    }

    /// The token of an app that posts codes.
    mutating func postedToken(authenticatedAt: Int64?, nonce: String? = "the-nonce") async throws -> String {
        let body = try posted(subject(.jane), authenticatedAt: authenticatedAt, nonce: nonce)
        let answer = await api.post("/auth/zenkey-signin", json: body)
        return try #require(answer.json["token"]?.string, "\(answer.text)")
    }

    /// The access token of an app that signs users in by the browser.
    func appToken(
        of app: String, _ permissions: Permissions, for identity: Identity, authenticatedAt: Int64?,
        resource: String? = nil
    ) async throws -> String {
        let answer = try await appTokens(
            of: app, permissions, for: identity, authenticatedAt: authenticatedAt, resource: resource)
        return try #require(answer.json["access_token"]?.string, "\(answer.text)")
    }

    /// All that the app is answered.
    func appTokens(
        of app: String, _ permissions: Permissions, for identity: Identity, authenticatedAt: Int64?,
        resource: String? = nil
    ) async throws -> HTTPTestAnswer {
        let subject = subject(identity)
        var browser = BrowserStage(of: api)
        let address = "https://app.example/\(app)"
        api.stage.answerUserinfo(["sub": .string(subject)])
        let request = try await browser.begin([
            "client_id": app, "redirect_uri": address, "scope": permissions.scope, "resource": resource,
        ])
        let back = try await browser.comeBack(from: request, with: Self.keptTokens) { draft in
            set(&draft.claims, for: subject, authenticatedAt: authenticatedAt)
        }
        let code = try #require(try Location(of: back)["code"], "\(back.header("location") ?? back.text)")
        return await browser.redeem(
            code, ["client_id": nil, "redirect_uri": address], headers: [Self.basic(app)])
    }

    /// The token of a session that a provider's access token has opened.
    mutating func exchangedToken() async throws -> String {
        let (now, subject) = (api.stage.now, subject(.jane))
        api.stage.answerIntrospection {
            $0[setting: "sub"] = .string(subject)
            $0[setting: "exp"] = .integer(now + 300)
            for name in ["aud", "client_id"] { $0[setting: name] = "other-client" }
        }
        api.stage.answerUserinfo(["sub": .string(subject)])
        // Each is a request of its own.
        exchanges += 1
        let answer = await api.exchange(["provider": "openid", "correlation_id": "exchange-\(exchanges)"])
        return try #require(answer.json["token"]?.string, "\(answer.text)")
    }

    // MARK: What is asked for

    /// Begins anew: Jane signs in, and an identity is added to her.
    mutating func target() async throws -> Target {
        round += 1
        let token = try await postedToken(authenticatedAt: api.stage.now)
        let body = try posted(subject(.added), authenticatedAt: api.stage.now)
        let linked = await api.post("/users/me/identities", json: body, headers: bearer(token))
        #expect(linked.status == 201, "\(linked.text)")
        return Target(
            first: try await number(.jane), added: try await number(.added), session: try Self.session(of: token),
            token: token)
    }

    /// What an identity is called.
    func number(_ identity: Identity) async throws -> Int64 {
        let sought = Subject(issuer: api.stage.carrier.issuer, value: subject(identity))
        return try #require(try await identities(of: identity).first { $0.subject == sought }).id.rawValue
    }

    private func owner(of identity: Identity) async throws -> UserID? {
        let subject = Subject(issuer: api.stage.carrier.issuer, value: subject(identity))
        return try await api.stage.repository.user(with: subject)
    }

    private func identities(of identity: Identity) async throws -> [Accounts.Identity] {
        guard let owner = try await owner(of: identity) else { return [] }
        return try await api.stage.repository.identities(of: owner)
    }

    /// Jane's identities and sessions, by their names; nothing once she was erased.
    var belongings: Set<String> {
        get async throws {
            guard let jane = try await owner(of: .jane) else { return [] }
            let sessions = try await api.stage.repository.sessions(of: jane, now: api.stage.now)
            return Set(
                sessions.map(\.id.description) + (try await identities(of: .jane)).map(\.id.rawValue.description))
        }
    }

    /// The name of a token's session.
    static func session(of token: String) throws -> String {
        let parts = token.split(separator: ".")
        try #require(parts.count == 3)
        let claims = try JSONValue(parsing: try #require(Base64URL.decode(String(parts[1]))))
        return try #require(claims["sid"]?.string)
    }
}

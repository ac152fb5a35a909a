import Accounts
import Apps
import Crypto
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
import Providers
import SignIn
import Syntax
import TestSupport
import Testing

@testable import WebAPI
@testable import Wings

extension APIStage {
    static let realm = "https://api.beyond.example/realm"
    private static let tokenURL = "https://api.beyond.example/token"

    /// With a second provider, whose directory gives links.
    static func withDirectory(
        apiKeys: [String] = [], perMinute: Int = 0, registration: RegistrationMode = .automatic,
        permissions: Permissions = .everything
    ) async throws -> APIStage {
        let app = try await APIStage(
            apiKeys: apiKeys, perMinute: perMinute, registration: registration, others: [directory()],
            permissions: permissions)
        app.answerDirectory()
        return app
    }

    /// The provider that has it.
    static func directory() throws -> ProviderConfiguration {
        let tokenEndpoint = try EndpointURL(configured: tokenURL)
        let api = UserAPI(
            url: try EndpointURL(configured: realm),
            access: .client(id: "management", secret: Secret("secret"), tokenEndpoint: tokenEndpoint),
            binding: UserAPI.Binding(authenticatorConfigID: "config", postBindingRedirectURI: nil),
            authenticatorURL: "https://app.example/downloads", returnsLinks: true,
            limits: UserAPI.Limits(mailsPerHour: 3, pending: 100, unfinishedSeconds: 86_400))
        return .openID {
            $0.name = "beyond"
            $0.clientID = "beyond-client"
            $0.userAPI = api
        }
    }

    func answerDirectory() {
        stage.transport.answer(Self.tokenURL, json: ["access_token": "management-token", "expires_in": 3600])
        stage.transport.answer(Self.realm + "/identities", json: ["id": "identity"])
        stage.transport.answer(
            Self.realm + "/identities/identity/credential-binding-jobs",
            json: ["credential_binding_job": ["id": "job"], "credential_binding_link": "https://bind.example/x"])
    }

    func signUp(_ path: String, _ name: String, _ token: String? = nil) async -> HTTPTestAnswer {
        await post(
            path, json: ["username": .string(name), "delivery_method": "return"], headers: token.map(bearer) ?? [])
    }
}

/// Asks the operations of directories for every answer they have.
enum SignUpTour {
    /// Every kind of answer that was seen.
    static func seen() async throws -> Set<String> {
        var seen: Set<String> = []
        for part in [roads, refusals, troubles, sensitive, closed] { seen.formUnion(try await part()) }
        let narrow = try await APIStage.withDirectory(permissions: [])
        _ = await narrow.signUp("/credential-binding-link", "somebody", try await narrow.signedIn().token)
        seen.formUnion(narrow.seenAnswers)
        return seen
    }

    private static let paths = SignUpEndpoint.paths + ["/users"]

    private static func roads() async throws -> Set<String> {
        let app = try await APIStage.withDirectory()
        for (index, path) in paths.enumerated() {
            let answer = await app.signUp(path, "jane-\(index)")
            #expect(answer.status == 200, "\(answer.text)")
            _ = await app.post(path, json: ["username": "jane@example.com", "provider": "other"])
            _ = await app.post(path, json: ["username": "jane@example.com", "client_id": "other"])
            _ = await app.post(path, json: [:])
            _ = await app.send(.post, path, headers: [("Content-Type", "text/plain")])
        }
        return app.seenAnswers
    }

    private static func refusals() async throws -> Set<String> {
        let locked = try await APIStage.withDirectory(apiKeys: ["key"])
        let hurried = try await APIStage.withDirectory(perMinute: 1)
        let without = try await APIStage()
        for path in paths {
            _ = await locked.signUp(path, "jane")
            for _ in 0..<3 { _ = await hurried.signUp(path, "jane") }
            if path != "/users" { _ = await without.signUp(path, "jane") }
        }
        return locked.seenAnswers.union(hurried.seenAnswers).union(without.seenAnswers)
    }

    private static func troubles() async throws -> Set<String> {
        let app = try await APIStage.withDirectory()
        let (token, _) = try await app.signedIn()
        let identities = APIStage.realm + "/identities"
        let outcomes: [ScriptedTransport.Outcome] = [
            .success(.page), .success(.page(status: 429)), .failure(.timedOut(requestSent: true)),
        ]
        for outcome in outcomes {
            app.stage.transport.answer(identities) { _ in outcome }
            for path in ["/users/signup", "/users", "/credential-binding-link"] {
                _ = await app.signUp(path, "john")
                if path == "/credential-binding-link" { _ = await app.signUp(path, "john", token) }
            }
        }
        return app.seenAnswers
    }

    /// A session that is too old, one of an identity that is too new, and none.
    private static func sensitive() async throws -> Set<String> {
        let app = try await APIStage.withDirectory()
        let path = "/credential-binding-link"
        let (token, _) = try await app.signedIn()
        let answer = await app.signUp(path, "ignored", token)
        #expect(answer.json["credential_binding_link"] == "https://bind.example/x", "\(answer.text)")
        #expect(await app.signUp(path, "ignored", "garbage").status == 401)
        let byMail = await app.post(
            path, json: ["username": "jane", "delivery_method": "email"], headers: bearer(token))
        #expect(byMail.status == 400)
        try app.stage.answerToken { $0.claims[setting: "sub"] = "added" }
        app.stage.answerUserinfo(["sub": "added"])
        _ = await app.post(
            "/users/me/identities", json: APIStage.authorized([("code", "added")]), headers: bearer(token))
        let added = await app.signIn([("code", "added-2")]).json["token"]?.string ?? ""
        #expect(await app.signUp(path, "ignored", added).error == "identity_too_new")
        app.stage.pass(seconds: 301)
        let old = await app.signUp(path, "ignored", token)
        #expect(old.status == 401 && old.error == "insufficient_user_authentication", "\(old.text)")
        return app.seenAnswers
    }

    private static func closed() async throws -> Set<String> {
        let app = try await APIStage.withDirectory()
        await app.stage.repository.close()
        for path in paths { _ = await app.signUp(path, "jane") }
        return app.seenAnswers
    }
}

@Suite struct `Operations of directories` {
    @Test func `are there where a provider has one`() async throws {
        for (app, status) in [(try await APIStage.withDirectory(), 400), (try await APIStage(), 404)] {
            for path in SignUpEndpoint.paths { #expect(await app.post(path, json: [:]).status == status, "\(path)") }
        }
        #expect(try await APIStage().post("/users", json: ["username": "jane@example.com"]).status == 400)
    }

    @Test func `leave link tickets what they are`() async throws {
        let app = try await APIStage.withDirectory(registration: .ticket)
        let ticket = await app.signIn().json["link_ticket"] ?? .null
        #expect(await app.post("/users", json: ["link_ticket": ticket, "username": "jane"]).status == 201)
        #expect(await app.post("/users", json: ["zenkey_sub": "raw-subject"]).status == 400)
    }

    @Test func `tell a directory of a session's user nothing but what it made up`() async throws {
        let app = try await APIStage.withDirectory()
        let (token, _) = try await app.signedIn()
        #expect(await app.signUp("/credential-binding-link", "Jane of mine", token).status == 200)
        let request = try #require(app.stage.transport.requests(to: APIStage.realm + "/identities").first)
        let identity = try JSONValue(parsing: request.body.span)["identity"]
        #expect(identity?["display_name"] == "Jane of mine")
        let username = try #require(identity?["traits"]?["username"]?.string)
        #expect(username.utf8.count == 22 && identity?["traits"]?["primary_email_address"] == nil)
        #expect(!app.log.text.contains("management-token") && !app.log.text.contains(username))
    }
}

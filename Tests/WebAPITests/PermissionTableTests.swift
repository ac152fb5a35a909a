import Accounts
import Apps
import Crypto
import HTTPServer
import HTTPTesting
import JSON
import Providers
import SignIn
import TestSupport
import Testing

@testable import WebAPI

/// Who may ask for what: every operation of the table that takes a token, by everybody who can show one.
@Suite struct `An operation by who asks for it` {
    /// What a token must hold, by operation. A new operation that takes one has to be written here.
    private static let needs: [String: Permission] = [
        "credentialBindingLink": .accountIdentities, "beginPush": .transactions, "currentUser": .accountRead,
        "editCurrentUser": .accountWrite, "eraseCurrentUser": .accountErase, "refreshProfile": .accountRead,
        "approveTransaction": .transactions, "listIdentities": .accountRead, "linkIdentity": .accountIdentities,
        "unlinkIdentity": .accountIdentities, "providerAccessToken": .tokens, "listSessions": .accountRead,
        "revokeSessions": .accountSessions, "revokeSession": .accountSessions, "userinfo": .openid,
        "userinfoByPost": .openid,
    ]

    /// A service with an app for each permission, one that has all, and one that has them and is public.
    private static func stage(splitsAudiences: Bool = false) async throws -> APIStage {
        func app(_ name: String, _ permissions: Permissions) -> RegisteredApp {
            RegisteredApp(
                name: name, clientID: name, secret: Secret("\(name) secret of an app"),
                redirectURIs: [RedirectURI("https://app.example/\(name)")], providers: ["zenkey"], origins: [],
                postLogoutRedirectURIs: [], otherBrowser: .refuse, idTokenAlgorithm: .es256,
                providerTokens: ["zenkey"],
                rights: RegisteredApp.Rights(
                    permissions: permissions, grants: RegisteredApp.Grant.allCases,
                    audiences: ["https://backend.example"]))
        }
        let narrow = Permission.allCases.map { app($0.rawValue, Permissions([$0])) }
        return try await APIStage(
            apps: AppDirectory(narrow + [app("all", Permissions(Permission.allCases))], resourceServers: []),
            others: [.openID { $0.clientID = "other-client" }], splitsAudiences: splitsAudiences)
    }

    /// The access token that an app gets for a user.
    private static func token(
        of app: String, _ api: APIStage, scope: String, _ changes: [String: String?] = [:]
    ) async throws -> HTTPTestAnswer {
        var browser = BrowserStage(of: api)
        let address = "https://app.example/\(app)"
        let request = try await browser.begin(
            ["client_id": app, "redirect_uri": address, "scope": scope].merging(changes) { $1 })
        let code = try #require(try Location(of: try await browser.comeBack(from: request))["code"])
        return await browser.redeem(
            code, ["client_id": nil, "redirect_uri": address],
            headers: BrowserStage.basic(app, "\(app) secret of an app"))
    }

    private static func ask(
        _ operation: Operation<APIServices>, _ api: APIStage, _ token: String?, by app: String = "all"
    ) async -> HTTPTestAnswer {
        let path = operation.path.replacing("{identity_id}", with: "7")
            .replacing("{session_id}", with: String(repeating: "0", count: 32))
        let client = ("Client-Authorization", BrowserStage.basic(app, "\(app) secret of an app")[0].1)
        return await api.send(
            operation.method, path,
            headers: (token.map(bearer) ?? []) + [client, ("Content-Type", "application/json")],
            body: Array("{}".utf8))
    }

    /// All there can be.
    private static var operations: [Operation<APIServices>] {
        Operations.all(with: .ofTests).filter { $0.permission != nil }
    }

    /// Those of a service whose providers take no pushes and keep no directory: of the others the tours ask.
    private static var present: [Operation<APIServices>] {
        operations.filter { !["credentialBindingLink", "beginPush"].contains($0.description.id) }
    }

    @Test func `says in the table what a token must hold`() {
        let table = Dictionary(uniqueKeysWithValues: Self.operations.map { ($0.description.id, $0.permission) })
        #expect(table == Self.needs.mapValues { $0 })
        // No other operation is given a session by the shell.
        for operation in Operations.all(with: .ofTests) where operation.permission == nil {
            #expect(![.user, .bearer, .userAndClient].contains(operation.access), "\(operation.path)")
        }
    }

    @Test(arguments: Permission.allCases)
    func `opens to a token that holds what it takes, and to no other`(held: Permission) async throws {
        for operation in Self.present {
            // A stage each: some end what others are asked by.
            let api = try await Self.stage()
            let answer = try await Self.token(of: held.rawValue, api, scope: held.rawValue)
            let token = try #require(answer.json["access_token"]?.string)
            let asked = await Self.ask(operation, api, token, by: held.rawValue)
            let name = "\(operation.description.id) \(asked.status) \(asked.text)"
            if operation.permission == held {
                #expect(asked.error != "insufficient_scope" && asked.error != "invalid_token", "\(name)")
            } else {
                #expect((asked.status, asked.error) == (403, "insufficient_scope"), "\(name)")
                let scope = operation.permission?.rawValue ?? ""
                #expect(asked.header("www-authenticate")?.hasSuffix(#"scope="\#(scope)""#) == true)
            }
        }
    }

    @Test func `is shut to an app that was granted everything and has asked for openid alone`() async throws {
        let api = try await Self.stage()
        let token = try #require(try await Self.token(of: "all", api, scope: "openid").json["access_token"]?.string)
        for operation in Self.present where operation.permission != .openid {
            #expect(await Self.ask(operation, api, token).error == "insufficient_scope", "\(operation.path)")
        }
    }

    @Test func `is shut to a token that is made out to a backend`() async throws {
        let api = try await Self.stage()
        let scope = Permissions(Permission.allCases).scope
        for changes in [["resource": "https://backend.example"], [:]] as [[String: String?]] {
            let first = try await Self.token(of: "all", api, scope: scope, changes)
            var token = first.json["access_token"]?.string
            if changes.isEmpty {
                let refreshed = await api.post(
                    "/auth/token",
                    form: FormText.encode([
                        ("grant_type", "refresh_token"), ("refresh_token", first.json["refresh_token"]?.string ?? ""),
                        ("resource", "https://backend.example"),
                    ]), headers: BrowserStage.basic("all", "all secret of an app"))
                token = refreshed.json["access_token"]?.string
            }
            for operation in Self.present {
                let asked = await Self.ask(operation, api, token)
                #expect((asked.status, asked.error) == (401, "invalid_token"), "\(operation.path)")
            }
            #expect(await api.send(.delete, "/auth/token", headers: bearer(token ?? "")).status == 401)
        }
    }

    @Test func `is shut to nobody's token, and to one that has expired or was revoked`() async throws {
        let api = try await Self.stage()
        let scope = Permissions(Permission.allCases).scope
        let expired = try #require(try await Self.token(of: "all", api, scope: scope).json["access_token"]?.string)
        let revoked = try #require(try await Self.token(of: "all", api, scope: scope).json["access_token"]?.string)
        _ = await api.send(.delete, "/auth/token", headers: bearer(revoked))
        for token in [nil, "garbage", revoked] {
            for operation in Self.present {
                #expect(await Self.ask(operation, api, token).error == "invalid_token", "\(operation.path)")
            }
        }
        api.stage.pass(seconds: 901)
        for operation in Self.present {
            #expect(await Self.ask(operation, api, expired).error == "invalid_token", "\(operation.path)")
        }
    }

    @Test func `is open to an app that posts codes but for the providers' tokens, until the operator says otherwise`()
        async throws
    {
        for operation in Self.present {
            let api = try await Self.stage()
            let asked = await Self.ask(operation, api, try await api.signedIn().token)
            // Whose session it is comes before what it may do.
            let isShut = asked.error == "insufficient_scope" || asked.error == "invalid_token"
            #expect(isShut == (operation.permission == .tokens), "\(operation.path) \(asked.text)")
        }
        let narrow = try await APIStage(permissions: Permissions([.openid, .profile]))
        let token = try await narrow.signedIn().token
        #expect(await narrow.send(.get, "/users/me", headers: bearer(token)).error == "insufficient_scope")
        #expect(await narrow.send(.get, "/auth/userinfo", headers: bearer(token)).status == 200)
    }

    @Test func `takes a posted code's token for two, or for this service alone, as the operator has it`() async throws {
        let shared = try await Self.stage()
        let (token, _) = try await shared.signedIn()
        #expect(await shared.send(.get, "/users/me", headers: bearer(token)).status == 200)
        let split = try await Self.stage(splitsAudiences: true)
        let (ours, refreshToken) = try await split.signedIn()
        #expect(await split.send(.get, "/users/me", headers: bearer(ours)).status == 200)
        let answer = await split.post(
            "/auth/token",
            json: [
                "grant_type": "refresh_token", "refresh_token": .string(refreshToken), "resource": "api",
            ])
        let theirs = try #require(answer.json["access_token"]?.string)
        #expect(await split.send(.get, "/users/me", headers: bearer(theirs)).error == "invalid_token")
    }
}

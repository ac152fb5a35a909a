import Accounts
import Apps
import Crypto
import HTTPServer
import HTTPTesting
import JSON
import Providers
import SignIn
import Syntax
internal import System
import TestSupport
import Testing

@testable import WebAPI
@testable import Wings

/// A browser at a service that has the page.
struct AccountVisitor {
    var browser: BrowserStage
    /// What the page knows the browser by.
    var cookie: String?

    var stage: SignInStage { browser.api.stage }

    init(perMinute: Int = 0) async throws {
        browser = BrowserStage(
            of: try await APIStage(
                perMinute: perMinute, apps: BrowserStage.withAccountPage, wings: .withAccountPage
            ) { $0.discoveryUI = "https://choose.example/ui" })
    }

    mutating func visit(
        _ fields: [(String, String)] = [], post: Bool = false, headers: [(String, String)] = []
    ) async -> HTTPTestAnswer {
        let cookies = cookie.map { [("Cookie", $0)] } ?? []
        let answer = await browser.visit(
            "/account", fields, method: post ? .post : .get, headers: headers + cookies)
        for case ("Set-Cookie", let field) in answer.headers where field.hasPrefix("__Host-gatehouse-account=") {
            cookie = String(field.prefix { $0 != ";" })
        }
        return answer
    }

    /// Signs in to the page.
    mutating func open(
        as subject: String = "310260-subject", again: Bool = false, authenticatedSecondsAgo: Int64? = 5
    ) async throws -> HTTPTestAnswer {
        let back = try await comeBack(as: subject, again: again, authenticatedSecondsAgo)
        let opened = await visit([("code", try #require(back["code"])), ("state", try #require(back["state"]))])
        #expect(try Location(of: opened).base == "https://gatehouse.example/account")
        return await visit()
    }

    /// The way to the provider, and back to where the page is.
    mutating func comeBack(
        as subject: String = "310260-subject", again: Bool = false, _ secondsAgo: Int64? = 5
    ) async throws -> Location {
        let fields = [("provider", "zenkey")] + (again ? [("prompt", "login")] : [])
        var request = try Location(of: await visit(fields))
        if request.base == "https://choose.example/ui" {
            request = try Location(
                of: await browser.visit(
                    "/auth/zenkey/callback", [("state", request["state"] ?? ""), ("mccmnc", "310260")]))
        }
        let now = stage.now
        stage.answerUserinfo(["sub": .string(subject)])
        return try Location(
            of: try await browser.comeBack(from: request) { draft in
                draft.claims[setting: "sub"] = .string(subject)
                draft.claims[setting: "auth_time"] = secondsAgo.map { .integer(now - $0) }
                draft.claims[setting: "iat"] = .integer(now)
                draft.claims[setting: "exp"] = .integer(now + 300)
            })
    }

    /// Presses the button of one of the page's forms.
    mutating func press(
        _ end: String, _ field: (String, String)? = nil, on page: HTTPTestAnswer,
        headers: [(String, String)] = [("Sec-Fetch-Site", "same-origin"), ("Origin", "null")]
    ) async throws -> HTTPTestAnswer {
        let token = try #require(page.text.firstMatch(of: /name="token" value="([^"]+)"/)?.1)
        return await visit(
            [("token", String(token)), ("end", end)] + (field.map { [$0] } ?? []), post: true, headers: headers)
    }

    func sessions(of user: Int64 = 1) async throws -> [Session] {
        try await stage.repository.sessions(of: UserID(rawValue: user), now: stage.now)
    }

    /// The user has two sessions with an app that they have agreed to, and one by a posted code.
    mutating func signInElsewhere() async throws -> [SessionID] {
        let notes: [String: String?] = [
            "client_id": "notes-id", "redirect_uri": "https://notes.example/cb", "scope": "openid email account.read",
        ]
        for _ in 0..<2 {
            let answer = try await browser.comeBack(from: browser.begin(notes))
            let back = answer.status == 200 ? try await browser.sayYes(on: answer) : answer
            let code = try #require(try Location(of: back)["code"])
            let changes = ["client_id": "notes-id", "redirect_uri": "https://notes.example/cb"]
            #expect(await browser.redeem(code, changes).status == 200)
        }
        try stage.answerToken()
        _ = try await browser.api.signedIn()
        // The two with the app first, since all are of one moment.
        return try await sessions().sorted { $0.app != nil && $1.app == nil }.map(\.id)
    }
}

extension BrowserStage {
    static let withAccountPage = AppRegistry(
        apps.all + [.accountPage(of: BaseURL("https://gatehouse.example"))], resourceServers: [])
}

extension APIExtensions {
    static let withAccountPage = APIExtensions(
        [.accountPage(isOn: true), .keyService(at: "/keyservice/v1", nil, keysPerDay: nil)])
}

import Accounts
import Apps
import HTTPClient
import HTTPServer
import HTTPTesting
import JSON
import Pages
import Providers
import SignIn
import TestSupport
import Testing

@testable import WebAPI

extension APIStage {
    static let pushPath = "/auth/zenkey-async-signin"
    private static let key = [("X-API-KEY", "key")]

    static func withPushes(
        apiKeys: [String] = [], perMinute: Int = 0, registration: RegistrationMode = .automatic,
        permissions: Permissions = .everything, areMinimal: Bool = false
    ) async throws -> APIStage {
        let app = try await APIStage(
            apiKeys: apiKeys, perMinute: perMinute, registration: registration, permissions: permissions
        ) {
            SignInStage.pushing(&$0)
            $0.takesMinimalPushes = areMinimal
        }
        app.stage.takePushes()
        return app
    }

    func beginPush(_ changes: [(String, JSONValue?)] = [], headers: [(String, String)] = []) async -> HTTPTestAnswer {
        var body = JSONObject([
            ("client_id", "ccid-0123456789abcdef"), ("login_hint", .string(SignInStage.pushHint)),
            ("mccmnc", "310260"), ("context", .string(SignInStage.pushContext)),
        ])
        for (name, value) in changes { body[setting: name] = value }
        return await post(Self.pushPath, json: .object(body), headers: headers)
    }

    /// Begins one, and waits until the carrier has answered.
    func pushed(headers: [(String, String)] = []) async throws -> String {
        let before = stage.pushRequests.count
        let id = try #require(await beginPush(headers: headers).json["auth_req_id"]?.string)
        for _ in 0..<1000 where stage.pushRequests.count == before { try await Task.sleep(for: .milliseconds(2)) }
        #expect(stage.pushRequests.count == before + 1)
        return id
    }

    /// Asks a second later.
    func poll(_ id: String, headers: [(String, String)] = []) async -> HTTPTestAnswer {
        stage.pass(seconds: 1)
        return await send(.get, "\(Self.pushPath)/\(id)", headers: headers)
    }

    /// Asks until it is over: what the carrier says, it says after the app was answered.
    func ended(_ id: String) async throws -> HTTPTestAnswer {
        for _ in 0..<1000 {
            let answer = await poll(id)
            if answer.status != 200 { return answer }
            try await Task.sleep(for: .milliseconds(2))
        }
        return await poll(id)
    }

    func notifyOfPush(
        _ changes: [String: String?] = [:], bearer token: String? = nil, _ change: (inout TokenDraft) -> Void = { _ in }
    ) async throws -> HTTPTestAnswer {
        let (members, usual) = try stage.approval(changes, change)
        let body = JSONObject(members.sorted { $0.key < $1.key }.map { (name: $0.key, value: .string($0.value)) })
        return await post(
            "\(Self.pushPath)/notification", json: .object(body), headers: bearer(token ?? usual))
    }
}

@Suite struct `The endpoints for sign-ins on the phone` {
    @Test func `answer with an id and a number of seconds, then that it is pending, then 302 with tokens`() async throws
    {
        let app = try await APIStage.withPushes()
        let begun = await app.beginPush()
        #expect(begun.status == 200 && begun.json["expires_in"] == 600 && begun.header("cache-control") == "no-store")
        let id = try #require(begun.json["auth_req_id"]?.string)
        #expect(await app.poll(id).json == ["auth_req_id": .string(id)])
        for _ in 0..<1000 where app.stage.pushRequests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        #expect(try await app.notifyOfPush().json == [:])
        let done = await app.poll(id)
        #expect(done.status == 302 && done.header("location") == nil)
        #expect(done.json["auth_req_id"] == .string(id) && done.json["token"] == done.json["access_token"])
        #expect(done.isCompressible == false && done.header("cache-control") == "no-store")
        let token = try #require(done.json["token"]?.string)
        #expect(await app.send(.get, "/users/me", headers: bearer(token)).status == 200)
    }

    @Test func `take forms and the spellings of the SDKs`() async throws {
        let app = try await APIStage.withPushes()
        let form = "clientId=ccid-0123456789abcdef&loginHint=%2B12065550100&mcc=310&mnc=260&context=Hello&acrValues=a3"
        #expect(await app.post(APIStage.pushPath, form: form).status == 200)
    }

    @Test func `are not there where no provider takes them, as nothing is`() async throws {
        let app = try await APIStage()
        for (method, path) in [
            (HTTPMethod.post, ""), (.get, ""), (.get, "/x"), (.post, "/x"), (.delete, "/x"), (.post, "/notification"),
        ] {
            let answer = await app.send(method, APIStage.pushPath + path)
            let nothing = await app.send(method, "/auth/nothing" + path)
            #expect(answer.status == 404 && answer.json == nothing.json)
        }
    }

    @Test func `refuse what is no request, and say what is wrong with it`() async throws {
        let app = try await APIStage.withPushes()
        let wrong: [(String, JSONValue?)] = [
            ("login_hint", nil), ("login_hint", "jane"), ("login_hint", "2065550100"), ("mccmnc", nil),
            ("mccmnc", "31026"), ("context", nil), ("context", "a\nb"),
            ("context", "Pay 10\u{202E}00"), ("context", "Pay\u{200B}"),
            ("context", .string(String(repeating: "x", count: 281))), ("correlation_id", "a b"),
        ]
        for (name, value) in wrong {
            let answer = await app.beginPush([(name, value)])
            #expect(answer.status == 400 && answer.error == "invalid_request", "\(name)")
            #expect(answer.json["error_description"]?.string?.contains(name) == true, "\(name)")
        }
        #expect(await app.beginPush([("client_id", "other")]).error == "unknown_client")
        #expect(app.stage.pushRequests.isEmpty)
    }

    /// What a stock app sends: its client, and whom to ask.
    @Test func `can be minimal where the section says so: a subject, without a network and a text`() async throws {
        let minimal: [(String, JSONValue?)] = [
            ("login_hint", "310260-subject"), ("mccmnc", nil), ("context", nil),
        ]
        let refusing = try await APIStage.withPushes()
        #expect(await refusing.beginPush(minimal).status == 400)
        let app = try await APIStage.withPushes(areMinimal: true)
        let begun = await app.beginPush(minimal)
        #expect(begun.status == 200, "\(begun.text)")
        for _ in 0..<1000 where app.stage.pushRequests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        let asked = try app.stage.lastPush()
        #expect(asked["login_hint"] == "310260-subject" && asked["context"] == nil)
        for wrong in [
            [("login_hint", "+1"), ("context", nil)], [("login_hint", "a b")],
            [("login_hint", "+12065550100"), ("mccmnc", nil)],
            [("login_hint", .string(String(repeating: "x", count: 256)))], [("login_hint", nil)],
        ] as [[(String, JSONValue?)]] {
            #expect(await app.beginPush(wrong).status == 400, "\(wrong)")
        }
    }

    @Test(arguments: [true, false])
    func `that name a subject sign in that one and nobody else`(isTheirs: Bool) async throws {
        let app = try await APIStage.withPushes(areMinimal: true)
        let begun = await app.beginPush([("login_hint", "310260-subject"), ("mccmnc", nil), ("context", nil)])
        let id = try #require(begun.json["auth_req_id"]?.string)
        for _ in 0..<1000 where app.stage.pushRequests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        let (members, bearer) = try app.stage.approval { token in
            token.claims[setting: "context"] = nil
            if !isTheirs { token.claims[setting: "sub"] = "310260-somebody-else" }
        }
        let notified = await app.post(
            "\(APIStage.pushPath)/notification", json: .object(JSONObject(members.map { ($0.key, .string($0.value)) })),
            headers: [("Authorization", "Bearer \(bearer)")])
        #expect((notified.status == 200) == isTheirs, "\(notified.text)")
        #expect((await app.poll(id).json["token"] != nil) == isTheirs)
    }

    @Test func `give nobody what was begun under another API key, and say of it what they say of nothing`() async throws
    {
        let app = try await APIStage.withPushes(apiKeys: ["one", "two"])
        let id = try await app.pushed(headers: [("X-API-KEY", "one")])
        let unknown = String(repeating: "A", count: 43)
        for method in [HTTPMethod.get, .post, .delete] {
            let theirs = await app.send(method, "\(APIStage.pushPath)/\(id)", headers: [("X-API-KEY", "two")])
            let nobodys = await app.send(method, "\(APIStage.pushPath)/\(unknown)", headers: [("X-API-KEY", "two")])
            #expect(theirs.status == 404 && theirs.json == nobodys.json)
        }
        #expect(await app.send(.get, "\(APIStage.pushPath)/\(id)").error == "invalid_api_key")
        #expect(await app.poll(id, headers: [("X-API-KEY", "one")]).status == 200)
    }

    @Test func `make an address wait that asks for too many it has not begun, and nobody who asks for their own`()
        async throws
    {
        let app = try await APIStage.withPushes(perMinute: 3)
        let id = try await app.pushed()
        for number in 0..<3 {
            #expect(await app.poll(String(repeating: "\(number)", count: 43)).status == 404)
        }
        let answer = await app.poll(String(repeating: "9", count: 43))
        #expect(answer.status == 429 && answer.error == "rate_limited")
        for _ in 0..<5 { #expect(await app.poll(id).status == 200) }
    }

    @Test func `are told apart in nothing by whether the carrier knows the number`() async throws {
        let known = try await APIStage.withPushes()
        let unknown = try await APIStage.withPushes()
        unknown.stage.answerPush(json: ["error": "user_not_found"], status: 400)
        for app in [known, unknown] { _ = try await app.pushed() }
        var answers: [[String]] = []
        for app in [known, unknown] {
            let again = await app.beginPush()
            let begun = await app.beginPush([("login_hint", "+12065550777")])
            let id = try #require(begun.json["auth_req_id"]?.string)
            let polled = await app.poll(id)
            answers.append(
                [again, begun, polled].map { answer in
                    let fields = answer.headers.map { "\($0.name): \($0.value)" }.sorted()
                    return "\(answer.status) \(fields) \(answer.text.replacing(id, with: "ID"))"
                })
        }
        #expect(answers[0] == answers[1])
    }

    @Test func `log which provider and why, and nothing that anybody could use`() async throws {
        let app = try await APIStage.withPushes()
        let id = try await app.pushed()
        _ = try await app.notifyOfPush { $0.claims[setting: "aud"] = "other" }
        _ = try await app.notifyOfPush()
        _ = await app.poll(id)
        app.stage.answerPush(json: ["error": "invalid_client", "error_description": .string("No \(id)")], status: 401)
        let second = try #require(
            await app.beginPush([("login_hint", "+12065550999")]).json["auth_req_id"]?.string)
        #expect(try await app.ended(second).status == 502)
        #expect(app.log.signIns.contains { $0.values["reason"] == "invalid_id_token: audience" })
        for _ in 0..<1000 where !app.log.text.contains("push failed") { try await Task.sleep(for: .milliseconds(2)) }
        let asked = try app.stage.lastPush()
        var secrets = [id, second, SignInStage.pushHint, "12065550999", SignInStage.pushContext, "310260-subject"]
        secrets += ["client_notification_token", "state", "nonce"].compactMap { asked[$0]?.string }
        for secret in secrets { #expect(!app.log.text.contains(secret), "\(secret)") }
        #expect(app.log.text.contains("our client was refused with invalid_client"))
    }

    @Test func `let no script of an app read what carriers are answered`() async throws {
        let browser = try await BrowserStage()
        let answer = await browser.api.post(
            "\(APIStage.pushPath)/notification", json: [:], headers: [("Origin", "https://web.example")])
        #expect(answer.header("access-control-allow-origin") == nil)
    }
}

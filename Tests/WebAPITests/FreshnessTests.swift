import Accounts
import HTTPServer
import HTTPTesting
import JSON
import Providers
import SignIn
import TestSupport
import Testing

/// What a user may do who was let in without a word of when they were there: the provider's session can be a week old.
@Suite struct `A sign-in whose provider tells no time of authentication` {
    enum Nonce: CaseIterable { case none, own, ours }

    /// Signs in by a token that was issued just now and has no `auth_time`.
    private static func signIn(_ app: APIStage, _ nonce: Nonce, code: String = "silent") async throws -> String {
        let text: String? =
            switch nonce {
            case .none: nil
            case .own: "the-app's-own"
            case .ours: try #require(await app.post("/auth/challenge", json: [:]).json["nonce"]?.string)
            }
        try Self.answerToken(app, nonce: text)
        let answer = await app.signIn([("nonce", text.map { .string($0) }), ("code", .string(code))])
        return try #require(answer.json["token"]?.string, "\(answer.text)")
    }

    private static func answerToken(_ app: APIStage, nonce: String?) throws {
        let now = app.stage.now
        try app.stage.answerToken {
            $0.claims[setting: "auth_time"] = nil
            $0.claims[setting: "nonce"] = nonce.map { .string($0) }
            $0.claims[setting: "iat"] = .integer(now)
            $0.claims[setting: "exp"] = .integer(now + 300)
        }
    }

    /// The statuses of what only ends something, and of what adds something, under a session beside another one.
    private static func acts(
        _ app: APIStage, _ nonce: Nonce, wait seconds: Int64 = 0
    ) async throws -> (endings: [Int], others: [Int]) {
        let other = try await Self.signIn(app, .none, code: "other")
        let token = try await Self.signIn(app, nonce)
        app.stage.pass(seconds: seconds)
        try Self.answerToken(app, nonce: nil)
        let link = await app.post(
            "/users/me/identities", json: APIStage.authorized([("code", "linked"), ("nonce", nil)]),
            headers: bearer(token))
        let edits = [
            await app.patch("/users/me", ["email": "a@example.com"], token).status,
            await app.patch("/users/me", ["username": "else"], token).status,
        ]
        let sessions = await app.send(.get, "/users/me/sessions", headers: bearer(token)).json.array ?? []
        let name = try #require(sessions.first { $0["current"] == false }?["session_id"]?.string)
        let signOut = await app.send(.delete, "/users/me/sessions/\(name)", headers: bearer(token)).status
        #expect(await app.send(.get, "/users/me", headers: bearer(other)).status == (signOut == 200 ? 401 : 200))
        let erase = await app.send(.delete, "/users/me", headers: bearer(token)).status
        return ([signOut, erase], [link.status] + edits)
    }

    @Test(arguments: [Nonce.none, .own])
    func `shows nothing by the time of its token`(nonce: Nonce) async throws {
        for authenticationTimes in ProviderConfiguration.AuthenticationTimes.allCases {
            for freshness in ProviderConfiguration.FreshnessProof.allCases {
                let app = try await APIStage {
                    ($0.authenticationTimes, $0.freshness) = (authenticationTimes, freshness)
                }
                let acts = try await Self.acts(app, nonce)
                #expect(acts.endings == [401, 401] && acts.others == [401, 401, 401])
            }
        }
    }

    @Test func `ends what it likes with our challenge, and adds nothing unless the section says so`() async throws {
        for authenticationTimes in [ProviderConfiguration.AuthenticationTimes.auto, .never] {
            let app = try await APIStage { $0.authenticationTimes = authenticationTimes }
            let acts = try await Self.acts(app, .ours)
            #expect(acts.endings == [200, 200] && acts.others == [401, 401, 401])
            let more = try await APIStage {
                ($0.authenticationTimes, $0.freshness) = (authenticationTimes, .challenge)
            }
            let all = try await Self.acts(more, .ours)
            #expect(all.endings == [200, 200] && all.others == [200, 200, 200])
        }
    }

    @Test func `shows nothing by our challenge where every token tells a time`() async throws {
        let app = try await APIStage { $0.authenticationTimes = .always }
        let acts = try await Self.acts(app, .ours)
        #expect(acts.endings == [401, 401] && acts.others == [401, 401, 401])
    }

    @Test func `shows something by our challenge for five minutes`() async throws {
        for (seconds, status) in [(300, 200), (301, 401)] as [(Int64, Int)] {
            let app = try await APIStage { $0.freshness = .challenge }
            #expect(try await Self.acts(app, .ours, wait: seconds).endings == [status, status])
        }
    }

    @Test func `shows nothing by a token that is older than the challenge it has`() async throws {
        let app = try await APIStage { $0.freshness = .challenge }
        let nonce = try #require(await app.post("/auth/challenge", json: [:]).json["nonce"]?.string)
        let earlier = app.stage.now - 61
        try app.stage.answerToken {
            $0.claims[setting: "auth_time"] = nil
            $0.claims[setting: "nonce"] = .string(nonce)
            $0.claims[setting: "iat"] = .integer(earlier)
        }
        let token = try #require(await app.signIn([("nonce", .string(nonce))]).json["token"]?.string)
        #expect(await app.send(.delete, "/users/me", headers: bearer(token)).status == 401)
    }

    @Test func `keeps through a registration by ticket what it has shown`() async throws {
        for (nonce, status) in [(Nonce.own, 401), (.ours, 200)] {
            let app = try await APIStage(registration: .ticket)
            let text =
                nonce == .own
                ? "own" : try #require(await app.post("/auth/challenge", json: [:]).json["nonce"]?.string)
            try app.stage.answerToken {
                $0.claims[setting: "auth_time"] = nil
                $0.claims[setting: "nonce"] = .string(text)
            }
            let ticket = try #require(await app.signIn([("nonce", .string(text))]).json["link_ticket"])
            let token = try #require(await app.post("/users", json: ["link_ticket": ticket]).json["token"]?.string)
            #expect(await app.send(.delete, "/users/me", headers: bearer(token)).status == status)
        }
    }
}

@Suite struct `A max_age with a posted code` {
    @Test func `is held to by auth_time`() async throws {
        let app = try await APIStage()
        let day = app.stage.now - 86_400
        try app.stage.answerToken { $0.claims[setting: "auth_time"] = .integer(day) }
        let refused = await app.signIn([("max_age", 300)])
        #expect(refused.status == 401)
        #expect(refused.error == "invalid_id_token" && refused.json["reason"] == "auth_time")
        #expect(await app.signIn([("code", "second"), ("max_age", "86400")]).status == 200)
        try app.stage.answerToken { $0.claims[setting: "auth_time"] = nil }
        let silent = await app.signIn([("code", "third"), ("max_age", "300")])
        #expect(silent.error == "invalid_id_token" && silent.json["reason"] == "auth_time")
        #expect(await app.signIn([("code", "fourth")]).status == 200)
    }

    @Test func `is held to by the identity that is linked`() async throws {
        let app = try await APIStage()
        let token = try await app.signedIn().token
        let day = app.stage.now - 86_400
        try app.stage.answerToken {
            $0.claims[setting: "sub"] = "second"
            $0.claims[setting: "auth_time"] = .integer(day)
        }
        app.stage.answerUserinfo(["sub": "second"])
        let answer = await app.post(
            "/users/me/identities", json: APIStage.authorized([("code", "second"), ("max_age", 60)]),
            headers: bearer(token))
        #expect(answer.error == "invalid_id_token" && answer.json["reason"] == "auth_time")
    }

    @Test func `is refused before the code is sent where nothing could show it`() async throws {
        let app = try await APIStage { $0.authenticationTimes = .never }
        let answer = await app.signIn([("max_age", "300")])
        #expect(answer.status == 400 && answer.error == "invalid_request")
        #expect(app.stage.tokenRequests.isEmpty)
        #expect(await app.signIn([("max_age", "soon")]).status == 400)
    }
}

@Suite struct `A login that the app asks for in the browser` {
    /// The status of an erasure under the session; nil where nobody was signed in.
    private static func signIn(
        _ changes: [String: String?], wait seconds: Int64 = 0,
        _ change: (inout ProviderConfiguration) -> Void = { _ in }, token: (inout TokenDraft) -> Void
    ) async throws -> (error: String?, erased: Int?) {
        var browser = try await BrowserStage(change)
        let request = try await browser.begin(["scope": "openid account.erase"].merging(changes) { $1 })
        browser.api.stage.pass(seconds: seconds)
        let now = browser.api.stage.now
        var back = try await browser.comeBack(from: request) {
            $0.claims[setting: "iat"] = .integer(now)
            $0.claims[setting: "exp"] = .integer(now + 300)
            token(&$0)
        }
        if back.status == 200 { back = try await browser.sayYes(on: back) }
        let answer = try Location(of: back)
        guard let code = answer["code"] else { return (answer["error"], nil) }
        let redeemed = await browser.redeem(code)
        let access = try #require(redeemed.json["access_token"]?.string, "\(redeemed.text)")
        return (nil, await browser.api.send(.delete, "/users/me", headers: bearer(access)).status)
    }

    @Test(arguments: ["login", "login consent"])
    func `is not answered by an authentication of before`(prompt: String) async throws {
        for age in [61, 86_400] as [Int64] {
            let answer = try await Self.signIn(["prompt": prompt]) {
                $0.claims[setting: "auth_time"] = .integer(SigningProvider.now - age)
            }
            #expect(answer.error == "unmet_authentication_requirements")
        }
        let answer = try await Self.signIn(["prompt": prompt]) {
            $0.claims[setting: "auth_time"] = .integer(SigningProvider.now - 60)
        }
        #expect(answer.error == nil && answer.erased == 200)
    }

    @Test func `may take the user as long as a sign-in may`() async throws {
        let answer = try await Self.signIn(["prompt": "login", "max_age": "0"], wait: 500) {
            $0.claims[setting: "auth_time"] = .integer(SigningProvider.now + 10)
        }
        #expect(answer.error == nil)
    }

    @Test func `is answered where no time is told, unless one is always told or was asked for`() async throws {
        let silent = { (draft: inout TokenDraft) in draft.claims[setting: "auth_time"] = nil }
        let answer = try await Self.signIn(["prompt": "login"], token: silent)
        #expect(answer.error == nil && answer.erased == 200)
        let always = try await Self.signIn(["prompt": "login"], { $0.authenticationTimes = .always }, token: silent)
        #expect(always.error == "unmet_authentication_requirements")
        let asked = try await Self.signIn(["prompt": "login", "max_age": "600"], token: silent)
        #expect(asked.error == "unmet_authentication_requirements")
    }

    @Test func `of the app or not, a sign-in of our own making shows something for five minutes`() async throws {
        let silent = { (draft: inout TokenDraft) in draft.claims[setting: "auth_time"] = nil }
        for (seconds, erased) in [(300, 200), (301, 401)] as [(Int64, Int)] {
            let answer = try await Self.signIn([:], wait: seconds, token: silent)
            #expect(answer.error == nil && answer.erased == erased)
        }
    }
}

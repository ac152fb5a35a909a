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

/// The page on which people see where they are signed in and what apps may do, and end it (OWASP ASVS 5.0 10.4.9,
/// 10.7.3). Who attacks it has another site, somebody else's session, or a browser that was left alone.
@Suite struct `The account page` {
    @Test func `shows sessions app by app, what they may do, and what was agreed to, and no token`() async throws {
        var visitor = try await AccountVisitor()
        let others = try await visitor.signInElsewhere()
        #expect(others.count == 3)
        let entrance = await visitor.visit()
        #expect(entrance.status == 200 && entrance.text.contains("href=\"/account?provider=zenkey\""))
        let page = try await visitor.open()
        for text in [
            "<h1>Your account</h1>", "<h2>notes</h2>", "see your account", "you allowed it to:", "last used on",
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        for session in others { #expect(page.text.contains(session.description)) }
        #expect(!page.text.contains("eyJ") && !page.text.contains("gatehouse:account"))
        #expect(page.header("cache-control") == "no-store" && page.header("x-frame-options") == "DENY")
        let policy = page.header("content-security-policy") ?? ""
        #expect(policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self'"))
        #expect(!policy.contains("script-src") && page.header("referrer-policy") == "no-referrer")
        let set = await visitor.visit([("provider", "zenkey")]).headers.filter { $0.0 == "Set-Cookie" }.map(\.1)
        #expect(set.contains { $0.hasPrefix("__Host-gatehouse-account=") && $0.contains("Max-Age=600") })
        #expect(set.allSatisfy { $0.contains("; Path=/; HttpOnly; SameSite=Lax; Secure") })
    }

    @Test func `ends one session, all of an app's, or all, by its user's word in the trail`() async throws {
        var visitor = try await AccountVisitor()
        let others = try await visitor.signInElsewhere()
        let page = try await visitor.open()
        #expect(
            try Location(of: try await visitor.press("session", ("session", others[0].description), on: page)).base
                == "https://gatehouse.example/account")
        #expect(try await visitor.sessions().filter { others.contains($0.id) }.count == 2)
        _ = try await visitor.press("app", ("app", "notes-id"), on: page)
        #expect(try await visitor.sessions().filter { others.contains($0.id) }.map(\.id) == [others[2]])
        #expect(try await visitor.stage.repository.consents(of: UserID(rawValue: 1)).count == 1)
        let last = try await visitor.press("everything", on: page)
        #expect(last.status == 200 && last.text.contains("You are signed out"))
        #expect(try await visitor.sessions().isEmpty)
        #expect(await visitor.visit().text.contains("provider=zenkey"))
        let events = try await visitor.stage.repository.auditEvents(after: 0, limit: .max)
        let ended = events.filter { [.sessionRevoked, .sessionsRevoked].contains($0.kind) }
        #expect(ended.count == 3 && ended.allSatisfy { $0.origin?.actor == .user && $0.origin?.request != nil })
    }

    @Test func `takes consent back, which ends the app's sessions and what is under way`() async throws {
        var visitor = try await AccountVisitor()
        let others = try await visitor.signInElsewhere()
        let notes: [String: String?] = ["client_id": "notes-id", "redirect_uri": "https://notes.example/cb"]
        let underWay = try await visitor.browser.begin(notes)
        let page = try await visitor.open()
        visitor.stage.pass(seconds: 1)
        #expect(
            try Location(of: try await visitor.press("consent", ("app", "notes-id"), on: page)).base
                == "https://gatehouse.example/account")
        #expect(try await visitor.sessions().filter { others.contains($0.id) }.map(\.id) == [others[2]])
        #expect(try await visitor.stage.repository.consents(of: UserID(rawValue: 1)).isEmpty)
        #expect(!(await visitor.visit().text.contains("<h2>notes</h2>")))
        let late = try Location(of: try await visitor.browser.comeBack(from: underWay))
        #expect(late["error"] == "login_required" && late["code"] == nil)
        visitor.stage.pass(seconds: 1)
        #expect(try await visitor.browser.comeBack(from: visitor.browser.begin(notes)).status == 200)
    }

    @Test func `does nothing for another site, nor without the token of this browser's page`() async throws {
        var visitor = try await AccountVisitor()
        _ = try await visitor.signInElsewhere()
        let page = try await visitor.open()
        let count = try await visitor.sessions().count
        for site in ["cross-site", "same-site", "none"] {
            #expect(try await visitor.press("everything", on: page, headers: [("Sec-Fetch-Site", site)]).status == 403)
        }
        for token in ["", "x", AccountKey().formToken] {
            #expect(await visitor.visit([("token", token), ("end", "everything")], post: true).status == 403)
        }
        #expect(await visitor.visit([("end", "everything")], post: true).status == 403)
        // By GET nothing is done, whatever stands in the address.
        let token = try #require(page.text.firstMatch(of: /name="token" value="([^"]+)"/)?.1)
        _ = await visitor.visit([("token", String(token)), ("end", "everything")])
        let cookie = visitor.cookie
        visitor.cookie = nil
        #expect(try await visitor.press("everything", on: page).status == 403)
        visitor.cookie = cookie
        #expect(try await visitor.sessions().count == count)
        #expect(await visitor.visit([("token", String(token)), ("end", "nothing")], post: true).status == 400)
    }

    @Test func `ends nobody else's session, and does not tell whether there is one`() async throws {
        var visitor = try await AccountVisitor()
        let others = try await visitor.signInElsewhere()
        let page = try await visitor.open(as: "310260-stranger")
        for id in [others[0], SessionID(now: 1, random: (1, 2))] {
            let answer = try await visitor.press("session", ("session", id.description), on: page)
            #expect(answer.status == 303)
        }
        _ = try await visitor.press("consent", ("app", "notes-id"), on: page)
        _ = try await visitor.press("everything", on: page)
        #expect(Set(try await visitor.sessions().map(\.id)) == Set(others))
        #expect(try await visitor.stage.repository.consents(of: UserID(rawValue: 1)).count == 1)
    }

    @Test func `shuts after ten minutes, for who is locked, and for who is erased`() async throws {
        for act in 0..<3 {
            var visitor = try await AccountVisitor()
            _ = try await visitor.signInElsewhere()
            let page = try await visitor.open()
            let (repository, now, user) = (visitor.stage.repository, visitor.stage.now, UserID(rawValue: 1))
            let line = NotBefore(drawnAt: visitor.stage.clock.milliseconds)
            switch act {
            case 0: visitor.stage.pass(seconds: 600)
            case 1:
                let lock = Lock(cause: .operator, reason: nil, since: now, until: nil)
                _ = try await repository.lock(user, lock, line: line, now: now)
            default: _ = try await repository.erase(user, line: line, now: now)
            }
            let answer = try await visitor.press("everything", on: page)
            #expect(answer.status == 403 && answer.text.contains("provider=zenkey"))
            let shown = await visitor.visit()
            #expect(shown.text.contains("provider=zenkey") && !shown.text.contains("<h2>notes</h2>"))
        }
    }

    @Test func `is opened by the browser that began, with its own sign-in, once`() async throws {
        var visitor = try await AccountVisitor()
        let back = try await visitor.comeBack()
        let (code, state) = (try #require(back["code"]), try #require(back["state"]))
        let own = visitor.cookie
        for other in [nil, "__Host-gatehouse-account=" + AccountKey().text, "__Host-gatehouse-account=x"] {
            visitor.cookie = other
            #expect(await visitor.visit([("code", code), ("state", state)]).status == 403)
        }
        visitor.cookie = own
        #expect(await visitor.visit([("code", "x"), ("state", state)]).status == 400)
        #expect(await visitor.visit([("code", code), ("state", "x")]).status == 403)
        _ = await visitor.visit([("code", code), ("state", state)])
        let opened = visitor.cookie
        #expect(opened != own)
        // The key of the way there opens nothing, and the code is used up.
        visitor.cookie = own
        #expect(await visitor.visit().text.contains("provider=zenkey"))
        #expect(await visitor.visit([("code", code), ("state", state)]).status == 400)
    }

    @Test func `wants to see again who has not authenticated just now, before it ends anything elsewhere`() async throws
    {
        var visitor = try await AccountVisitor()
        let others = try await visitor.signInElsewhere()
        let page = try await visitor.open(authenticatedSecondsAgo: 4000)
        for (end, field) in [
            ("session", ("session", others[0].description)), ("app", ("app", "notes-id")),
            ("consent", ("app", "notes-id")), ("everything", nil),
        ] as [(String, (String, String)?)] {
            let answer = try await visitor.press(end, field, on: page)
            #expect(answer.status == 403 && answer.text.contains("provider=zenkey&amp;prompt=login"))
        }
        #expect(try await visitor.sessions().filter { others.contains($0.id) }.count == 3)
        let again = try await visitor.open(again: true, authenticatedSecondsAgo: 0)
        _ = try await visitor.press("everything", on: again)
        #expect(try await visitor.sessions().isEmpty)
    }

    @Test func `is left by its own session alone, which takes no proof`() async throws {
        var visitor = try await AccountVisitor()
        let others = try await visitor.signInElsewhere()
        let page = try await visitor.open(authenticatedSecondsAgo: 4000)
        let own = try #require(try await visitor.sessions().map(\.id).first { !others.contains($0) })
        let answer = try await visitor.press("session", ("session", own.description), on: page)
        #expect(answer.status == 200 && answer.text.contains("You are signed out"))
        #expect(Set(try await visitor.sessions().map(\.id)) == Set(others))
    }

    @Test func `says so where its user comes back without being signed in, and never tells another origin`()
        async throws
    {
        var visitor = try await AccountVisitor()
        let request = try Location(of: await visitor.visit([("provider", "zenkey")]))
        let text = try #require(visitor.cookie?.split(separator: "=").last)
        let key = try #require(AccountKey(String(text)))
        #expect(request["state"] != key.state)
        let refused = await visitor.visit([("error", "access_denied"), ("state", key.state)])
        #expect(refused.status == 200 && refused.text.contains("signed in."))
        #expect(await visitor.visit([("provider", "nobody")]).status == 400)
        let script = await visitor.visit(headers: [("Origin", "https://web.example")])
        #expect(script.header("access-control-allow-origin") == nil)
    }

    @Test func `is not there where it is turned off`() async throws {
        let app = try await APIStage(apps: BrowserStage.apps)
        for method in [HTTPMethod.get, .post] {
            #expect(await app.api.respond(to: .sample(method, "/account")).status.code == 404)
        }
    }
}

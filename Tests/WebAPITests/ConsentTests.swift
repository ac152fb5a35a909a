import Accounts
import Apps
import HTTPTesting
import JSON
import Providers
import SignIn
internal import System
import TestSupport
import Testing

@testable import WebAPI

/// What an app of ours is given only when its user has agreed to it (OpenID Connect Core §3.1.2.4, OWASP ASVS 5.0
/// 10.7.1 and 10.7.2).
@Suite struct `An app whose users are asked` {
    private static let address = "https://notes.example/cb"

    private static func notes(_ changes: [String: String?] = [:]) -> [String: String?] {
        ["client_id": "notes-id", "redirect_uri": address].merging(changes) { $1 }
    }

    /// Signs in up to what the browser gets behind the provider.
    private func signIn(
        _ browser: inout BrowserStage, _ changes: [String: String?] = [:]
    ) async throws -> HTTPTestAnswer {
        try await browser.comeBack(from: browser.begin(Self.notes(changes)))
    }

    private func sessions(_ browser: BrowserStage) async throws -> [Session] {
        let stage = browser.api.stage
        return try await stage.repository.sessions(of: UserID(rawValue: 1), now: stage.now)
    }

    @Test func `gets its code only when its user has agreed, who sees what it asks for and who it is`() async throws {
        var browser = try await BrowserStage()
        let page = try await signIn(&browser, ["scope": "openid profile email offline_access account.erase"])
        #expect(page.status == 200 && page.header("location") == nil)
        for text in [
            "<h1>Do you want to allow that to notes?</h1>", "notes is an app at notes.example.",
            "<li>know you again the next time</li>", "<li>see your name, your picture",
            "<li>see your e-mail address</li>", "<li>stay signed in when you are not using it</li>",
            "<li>delete your account</li>", "That lasts until you sign out",
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        #expect(!page.text.contains("see your phone number"))
        #expect(page.header("content-security-policy")?.contains("form-action 'self' https:") == true)
        #expect(page.header("content-security-policy")?.contains("frame-ancestors 'none'") == true)
        #expect(page.header("cache-control") == "no-store" && page.header("referrer-policy") == "no-referrer")
        let answer = try Location(of: try await browser.sayYes(on: page))
        #expect(answer.base == Self.address && answer["state"] == "app-state")
        let tokens = await browser.redeem(
            try #require(answer["code"]), ["client_id": "notes-id", "redirect_uri": Self.address])
        #expect(tokens.json["scope"]?.string == "openid profile email offline_access account.erase")
    }

    @Test func `that has no refresh token says how soon it ends`() async throws {
        var browser = try await BrowserStage()
        let page = try await signIn(&browser, ["scope": "openid"])
        #expect(page.text.contains("That ends after 15 minutes."))
    }

    @Test func `asks once, and again for what its user has not agreed to`() async throws {
        var browser = try await BrowserStage()
        _ = try await browser.sayYes(on: signIn(&browser, ["scope": "openid email"]))
        for changes in [[:], ["prompt": "none"]] as [[String: String?]] {
            let again = try Location(
                of: await signIn(&browser, ["scope": "openid email"].merging(changes) { $1 }))
            #expect(again["code"] != nil)
        }
        let more = try await signIn(&browser, ["scope": "openid email account.read"])
        #expect(more.status == 200 && more.text.contains("see your account"))
        #expect(try Location(of: try await browser.sayYes(on: more))["code"] != nil)
        #expect(try Location(of: await signIn(&browser, ["scope": "email account.read"]))["code"] != nil)
    }

    @Test func `is told consent_required where nobody may be asked, and opens nothing`() async throws {
        var browser = try await BrowserStage()
        for first in [true, false] {
            let answer = try Location(of: await signIn(&browser, ["prompt": "none", "scope": "openid phone"]))
            #expect(answer.base == Self.address && answer["error"] == "consent_required" && answer["code"] == nil)
            #expect(try await sessions(browser).isEmpty)
            if first {
                let page = try await signIn(&browser, ["scope": "openid"])
                let yes = try Location(of: try await browser.sayYes(on: page))
                let session = try #require(try await sessions(browser).first)
                #expect(yes["code"] != nil)
                _ = try await browser.api.stage.repository.revokeSession(session.id, now: browser.api.stage.now)
            }
        }
    }

    @Test func `gets access_denied from a user who says no, and has no session`() async throws {
        var browser = try await BrowserStage()
        let page = try await signIn(&browser)
        #expect(try await sessions(browser).count == 1)
        let answer = try Location(of: try await browser.sayNo(on: page))
        #expect(answer.base == Self.address && answer["error"] == "access_denied" && answer["code"] == nil)
        #expect(try await sessions(browser).isEmpty)
        #expect(try await signIn(&browser).status == 200)
    }

    @Test func `is answered once, and in no other browser`() async throws {
        var browser = try await BrowserStage()
        let page = try await signIn(&browser)
        let cookie = browser.cookie
        for other in [nil, "__Host-gatehouse=" + String(repeating: "A", count: 43)] {
            browser.cookie = other
            #expect(try await browser.sayYes(on: page).status == 403)
        }
        browser.cookie = cookie
        #expect(try Location(of: try await browser.sayYes(on: page))["code"] != nil)
        browser.cookie = cookie
        for answer in [try await browser.sayYes(on: page), try await browser.sayNo(on: page)] {
            #expect(answer.status == 400 && answer.text.contains("This sign-in is over"))
        }
        #expect(try await sessions(browser).count == 1)
    }

    @Test func `gets nothing where the user was locked, signed out or erased while the page was open`() async throws {
        for act in 0..<3 {
            var browser = try await BrowserStage()
            let page = try await signIn(&browser)
            let (stage, user) = (browser.api.stage, UserID(rawValue: 1))
            let line = NotBefore(drawnAt: stage.clock.milliseconds)
            switch act {
            case 0:
                let lock = Lock(cause: .operator, reason: nil, since: stage.now, until: nil)
                _ = try await stage.repository.lock(user, lock, line: line, now: stage.now)
            case 1: _ = try await stage.repository.revokeSessions(of: user, except: nil, line: line, now: stage.now)
            default: _ = try await stage.repository.erase(user, line: line, now: stage.now)
            }
            let answer = try await browser.sayYes(on: page)
            #expect(answer.status == 400 && answer.header("location") == nil)
            #expect(try await stage.repository.consents(of: user).isEmpty)
        }
    }

    @Test func `waits ten minutes for the answer, and no longer`() async throws {
        var browser = try await BrowserStage()
        let page = try await signIn(&browser)
        browser.api.stage.pass(seconds: 601)
        #expect(try await browser.sayYes(on: page).status == 400)
        #expect(try await sessions(browser).isEmpty)
    }

    @Test func `asks each time where its section says so, or the request does`() async throws {
        var browser = try await BrowserStage()
        let bank: [String: String?] = ["client_id": "bank-id", "redirect_uri": "https://bank.example/cb"]
        for changes in [bank, Self.notes(["prompt": "consent"])] {
            for _ in 0..<2 {
                let page = try await browser.comeBack(from: browser.begin(changes))
                #expect(page.status == 200)
                #expect(try Location(of: try await browser.sayYes(on: page))["code"] != nil)
            }
        }
        let silent = try await browser.comeBack(from: browser.begin(bank.merging(["prompt": "none"]) { $1 }))
        #expect(try Location(of: silent)["error"] == "consent_required")
    }

    @Test func `asks nobody where the operator answers for it, unless the request does`() async throws {
        var browser = try await BrowserStage()
        #expect(try Location(of: await browser.comeBack(from: browser.begin()))["code"] != nil)
        let page = try await browser.comeBack(from: browser.begin(["prompt": "login consent"])) { draft in
            draft.claims[setting: "auth_time"] = .integer(SigningProvider.now)
        }
        #expect(page.status == 200 && page.text.contains("Do you want to allow that to acme?"))
    }
}

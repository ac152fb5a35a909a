import Crypto
import HTTPServer
import HTTPTesting
import JSON
import TestSupport
import Testing

@testable import SignIn
@testable import WebAPI

/// What a sign-in is called in the log, from the app's request to its tokens.
@Suite struct `The correlation id of a browser sign-in` {
    /// The ids of all lines that are written while something is done; an empty text for a line without one.
    private func ids(
        _ browser: inout BrowserStage, _ act: (inout BrowserStage) async throws -> Void
    ) async throws -> [String] {
        let before = browser.api.log.lines.count
        try await act(&browser)
        return browser.api.log.lines.dropFirst(before).map { $0.values["correlation_id"] ?? "" }
    }

    @Test func `is the app's own in every line of it`() async throws {
        var browser = try await BrowserStage()
        let lines = try await ids(&browser) { browser in
            let request = try await browser.begin(["correlation_id": "app-1234"])
            #expect(request["correlation_id"] == "app-1234")
            let back = try Location(of: try await browser.comeBack(from: request))
            let answer = await browser.redeem(try #require(back["code"]))
            #expect(answer.status == 200)
        }
        // Of the two requests of the browser, the sign-in, and that of the app.
        #expect(lines == Array(repeating: "app-1234", count: 4))
    }

    @Test func `is ours in every line where the app has none, and another one each time`() async throws {
        var browser = try await BrowserStage()
        var seen: Set<String> = []
        for _ in 0..<2 {
            let lines = try await ids(&browser) { browser in
                let back = try Location(of: try await browser.comeBack(from: try await browser.begin()))
                _ = await browser.redeem(try #require(back["code"]))
            }
            #expect(lines.count == 4 && Set(lines).count == 1 && lines.first?.utf8.count == 16)
            seen.formUnion(lines)
        }
        #expect(seen.count == 2)
    }

    @Test func `is there when it fails, at whatever step`() async throws {
        var browser = try await BrowserStage()
        let refused = try await ids(&browser) { browser in
            _ = await browser.visit(
                "/auth/authorize", BrowserStage.request(["correlation_id": "app-1", "response_type": "token"]))
        }
        #expect(refused == ["app-1"])
        let denied = try await ids(&browser) { browser in
            let request = try await browser.begin(["correlation_id": "app-2"])
            _ = await browser.visit(
                "/auth/zenkey/callback", [("state", request["state"] ?? ""), ("error", "access_denied")])
        }
        #expect(Set(denied) == ["app-2"])
        let late = try await ids(&browser) { browser in
            let back = try Location(
                of: try await browser.comeBack(from: try await browser.begin(["correlation_id": "app-3"])))
            let code = try #require(back["code"])
            #expect(await browser.redeem(code, ["code_verifier": String(repeating: "w", count: 43)]).status == 400)
        }
        #expect(Set(late) == ["app-3"])
    }

    /// With a code a caller writes into the log what an authorization request may say there, and nothing else.
    @Test func `is no way to write into the log`() async throws {
        var browser = try await BrowserStage()
        let random = String(repeating: "A", count: 43)
        for name in ["a b", "a\nlevel=error", "<b>", String(repeating: "x", count: 65), "\u{202E}", "a@b.example"] {
            let lines = try await ids(&browser) { browser in
                _ = await browser.visit("/auth/authorize", BrowserStage.request(["correlation_id": name]))
                _ = await browser.redeem("\(random).\(name)")
                _ = await browser.redeem("x.app-9")
            }
            #expect(Set(lines) == [""], "\(lines)")
            #expect(!browser.api.log.text.contains("level=error"))
        }
    }

    @Test func `makes no other code good: the same random bytes with another name are none`() async throws {
        var browser = try await BrowserStage()
        let back = try Location(
            of: try await browser.comeBack(from: try await browser.begin(["correlation_id": "app-4"])))
        let code = try #require(back["code"])
        #expect(code.hasSuffix(".app-4"))
        let other = await browser.redeem(code.replacing(".app-4", with: ".app-5"))
        #expect((other.status, other.error) == (400, "invalid_grant"))
        #expect(await browser.redeem(code).status == 200)
    }

    @Test func `is kept nowhere once the sign-in is over`() async throws {
        var browser = try await BrowserStage()
        let back = try Location(
            of: try await browser.comeBack(from: try await browser.begin(["correlation_id": "app-6"])))
        let code = try #require(back["code"])
        let token = try #require(await browser.redeem(code).json["access_token"]?.string)
        let lines = try await ids(&browser) { browser in
            #expect(await browser.api.send(.get, "/auth/userinfo", headers: bearer(token)).status == 200)
        }
        #expect(lines == [""])
    }
}

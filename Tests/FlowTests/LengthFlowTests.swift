import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Testing

/// What providers draw is as long as they like: codes of Azure AD B2C have 2,400 to more than 4,096 characters. Here
/// they have 12,000.
@Suite struct `A long code of a provider` {
    private static let longCode = ["misbehave": "authorization_long_code"]

    @Test func `signs in where the app posts it`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let app = try await gatehouse.authorize("ada", Self.longCode)
            #expect(app.code.utf8.count >= 12_000)
            let answer = try await gatehouse.signIn(app)
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test func `signs in where the browser brings it in an address`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            var back = try await browser.throughProvider()
            let code = try #require(back["code"])
            #expect(code.utf8.count < 4096)
            // The simulation's own request is short, and what it gave is exchanged for what it would have given.
            back = try Self.with(back, code: String(repeating: "x", count: 12_289))
            let refused = try await browser.comeBack(back)
            #expect(refused.status == 400 && refused.text.contains("code"), "\(refused.text)")
            back = try Self.with(back, code: String(repeating: "x", count: 12_288))
            let tried = try await browser.comeBack(back)
            // The provider was asked, and knows no such code: it was not the length that was wrong.
            let location = try BrowserFlow.location(of: tried)
            #expect(location["error"] != nil && location["state"] == "app-state", "\(location)")
        }
    }

    @Test func `signs in where the provider's form posts it, twice over`() async throws {
        let lines = ["responseMode: form_post", "scopes: [openid, name, email]"]
        try await NativeAppleFlow.with(lines, top: BrowserFlow.configuration) { apple in
            for (count, isTaken) in [(16_384, true), (16_385, false)] {
                var browser = BrowserFlow(apple.gatehouse)
                var form = try await browser.formOfProvider(["provider": "apple"])
                form.fields["code"] = String(repeating: "x", count: count)
                let kept = browser.cookie
                browser.cookie = nil
                let page = try await browser.visit(form.path, form: form.fields)
                browser.cookie = kept
                guard isTaken else {
                    let own = try BrowserForm(on: page.text)
                    #expect(own.fields["code"] == nil)
                    continue
                }
                let own = try BrowserForm(on: page.text)
                #expect(own.fields["code"]?.utf8.count == count)
                let location = try BrowserFlow.location(of: try await browser.visit(own.path, form: own.fields))
                #expect(location["error"] != nil && location["state"] == "app-state", "\(location)")
            }
        }
    }

    @Test func `is in a request line and a head that are taken, and what is longer is told by its name`() async throws {
        try await RunningGatehouse.with { gatehouse in
            func status(_ target: Int, _ field: Int) async throws -> Int {
                let text =
                    "GET /\(String(repeating: "a", count: target - 1)) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                    + "X: \(String(repeating: "b", count: field))\r\n\r\n"
                return try await LoopbackClient(port: gatehouse.port).answer(to: Array(text.utf8)).status
            }
            for (target, field, expected) in [(16_384, 16_000, 404), (16_385, 1, 414), (16_384, 16_500, 431)] {
                let status = try await status(target, field)
                #expect(status == expected)
            }
        }
    }

    private static func with(_ address: URLComponents, code: String) throws -> URLComponents {
        var address = address
        var items = try #require(address.queryItems)
        let place = try #require(items.firstIndex { $0.name == "code" })
        items[place].value = code
        address.queryItems = items
        return address
    }
}

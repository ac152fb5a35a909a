import HTTPServer
import HTTPTesting
import Providers
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `What people choose a provider by` {
    private static let svg = Array("<svg xmlns='http://www.w3.org/2000/svg'><path d='M0 0h8v8z'/></svg>".utf8)
    private static let anything: [String: String?] = ["provider": nil, "mccmnc": nil]

    private static func stage(_ change: (inout ProviderConfiguration) -> Void = { _ in }) async throws -> BrowserStage {
        try await BrowserStage {
            $0.displayName = "Acme Mobil"
            $0.logo = ProviderLogo(mediaType: .svg, bytes: svg)
            change(&$0)
        }
    }

    /// What stands on buttons and links, in their order.
    private func offered(_ page: HTTPTestAnswer) -> [String] {
        page.text.matches(of: /Continue with ([^<]+)</).map { String($0.1) }
    }

    @Test func `is its name and its picture, and never what its section is called`() async throws {
        var browser = try await Self.stage()
        let page = await browser.visit("/auth/authorize", BrowserStage.request(Self.anything))
        #expect(offered(page) == ["Acme Mobil", "openid"])
        #expect(page.text.contains("<img src=\"/auth/zenkey/logo\" alt=\"\">"))
        #expect(page.text.firstRange(of: "/auth/openid/logo") == nil)
        #expect(page.header("content-security-policy")?.contains("img-src 'self';") == true)
        let ask = BrowserStage.request(
            ["client_id": "tim-id", "redirect_uri": BrowserStage.tim].merging(Self.anything) { $1 })
        let confirmation = await browser.visit("/auth/authorize", ask)
        #expect(offered(confirmation) == ["Acme Mobil", "openid"])
        #expect(confirmation.text.contains("<button><img src=\"/auth/zenkey/logo\" alt=\"\">"))
    }

    @Test func `comes in the operator's order, then by name`() async throws {
        for (order, expected) in [(0, ["Zebra", "openid"]), (1, ["openid", "Zebra"]), (-1, ["Zebra", "openid"])] {
            var browser = try await Self.stage {
                // Names are compared as people do, without regard to letter case.
                $0.displayName = "Zebra"
                $0.order = order
            }
            let page = await browser.visit("/auth/authorize", BrowserStage.request(Self.anything))
            #expect(offered(page) == (order == 0 ? ["openid", "Zebra"] : expected))
        }
    }

    @Test func `is told on every page, and so is the app's name`() async throws {
        var browser = try await Self.stage()
        let request = try await browser.begin()
        browser.cookie = nil
        let page = try await browser.comeBack(from: request)
        #expect(page.status == 200 && page.text.contains("This sign-in with Acme Mobil was started"))
    }

    @Test func `is a picture that does nothing, even when it is opened by itself`() async throws {
        let browser = try await Self.stage()
        let answer = await browser.api.send(.get, "/auth/zenkey/logo")
        #expect(answer.status == 200 && answer.body == Self.svg)
        #expect(answer.header("content-type") == "image/svg+xml")
        let fields = Dictionary(grouping: answer.headers) { $0.0.lowercased() }.mapValues { $0.map(\.1) }
        // One policy, and not the one that all answers have besides.
        #expect(
            fields["content-security-policy"]
                == ["default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"])
        #expect(fields["x-content-type-options"] == ["nosniff"])
        #expect(fields["set-cookie"] == nil)
        for path in ["/auth/openid/logo", "/auth/nobody/logo"] {
            #expect(await browser.api.send(.get, path).status == 404)
        }
    }
}

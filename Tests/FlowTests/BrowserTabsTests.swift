import Foundation
import GatehouseTesting
import HTTPTesting
import SimulatedCarriers
import Testing

@Suite struct `Sign-ins of one browser over real sockets` {
    /// What a browser has that got them in this order: of two under one name the later one.
    private func jar(_ cookies: [String?]) -> String {
        var kept: [(name: Substring, pair: Substring)] = []
        for pair in cookies.compactMap(\.self).flatMap({ $0.split(separator: "; ") }) {
            let name = pair.prefix { $0 != "=" }
            kept.removeAll { $0.name == name }
            kept.append((name, pair))
        }
        return kept.map { String($0.pair) }.joined(separator: "; ")
    }

    /// Begins in so many tabs before any of them has got its cookie.
    private func begin(
        _ count: Int, _ gatehouse: RunningGatehouse
    ) async throws -> (browser: BrowserFlow, ways: [URLComponents]) {
        var browser = BrowserFlow(gatehouse)
        var (cookies, ways): ([String?], [URLComponents]) = ([], [])
        for _ in 0..<count {
            var tab = browser
            ways.append(try await tab.throughProvider())
            cookies.append(tab.cookie)
        }
        browser.cookie = jar(cookies)
        return (browser, ways)
    }

    private func code(_ browser: inout BrowserFlow, _ way: URLComponents) async throws -> String? {
        let answer = try await browser.comeBack(way)
        #expect(answer.status == 303, "\(answer.text)")
        return try BrowserFlow.location(of: answer)["code"]
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func `both end well that were begun at once, in either order`(order: [Int]) async throws {
        try await BrowserFlow.with { gatehouse in
            var (browser, ways) = try await begin(2, gatehouse)
            var codes: Set<String> = []
            for tab in order { codes.insert(try #require(try await code(&browser, ways[tab]))) }
            #expect(codes.count == 2)
            for code in codes { #expect(try await browser.redeem(code).status == 200) }
        }
    }

    @Test func `all end well that ten tabs begin at once`() async throws {
        try await BrowserFlow.with { gatehouse in
            var (browser, ways) = try await begin(10, gatehouse)
            for way in ways.reversed() { #expect(try await code(&browser, way) != nil) }
        }
    }

    @Test func `give way to younger ones, so that the cookies stay few and small`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            var ways: [URLComponents] = []
            for _ in 0..<10 { ways.append(try await browser.throughProvider()) }
            let cookie = try #require(browser.cookie)
            #expect(cookie.split(separator: "; ").count == 8 && cookie.utf8.count < 1024)
            for way in ways.dropFirst(2) { #expect(try await code(&browser, way) != nil) }
            #expect(try await browser.comeBack(ways[0]).status == 403)
        }
    }

    @Test func `end well with the one cookie of earlier versions`() async throws {
        try await BrowserFlow.with { gatehouse in
            var (browser, ways) = try await begin(2, gatehouse)
            let values = try #require(browser.cookie).matches(of: /=([^.;]+)/).map { String($0.1) }
            browser.cookie = "gatehouse=" + values.joined(separator: ".")
            #expect(try await code(&browser, ways[0]) != nil)
            #expect(browser.cookie == "gatehouse=\(values[1])")
            // Another one begins meanwhile.
            let third = try await browser.throughProvider()
            #expect(try await code(&browser, ways[1]) != nil)
            #expect(try await code(&browser, third) != nil)
            #expect(browser.cookie?.contains("gatehouse=") == false)
        }
    }

    @Test func `lead to the app again when they are loaded again, and give nothing a second time`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let way = try await browser.throughProvider()
            let first = try #require(try await code(&browser, way))
            for _ in 0..<2 {
                let again = try await browser.comeBack(way)
                #expect(again.status == 400 && again.header("location") == nil)
                #expect(again.text.contains("This sign-in is over") && again.text.contains("Back to desk"))
                #expect(again.text.contains(#"href="https://desk.example/""#))
                for secret in [first, way["state"], way["code"], "app-state"] {
                    #expect(!again.text.contains(try #require(secret)))
                }
            }
            #expect(gatehouse.simulation.requests(at: .token).count == 1)
            #expect(try await browser.redeem(first).status == 200)
        }
    }

    @Test func `name nothing to another browser when they are loaded again there`() async throws {
        try await BrowserFlow.with { gatehouse in
            var browser = BrowserFlow(gatehouse)
            let way = try await browser.throughProvider()
            _ = try await code(&browser, way)
            var other = BrowserFlow(gatehouse)
            let fresh = try await other.comeBack(way)
            // It has ended a sign-in with the same app itself.
            _ = try await other.code()
            for answer in [fresh, try await other.comeBack(way)] {
                #expect(answer.status == 400 && !answer.text.contains("desk"), "\(answer.text)")
            }
        }
    }
}

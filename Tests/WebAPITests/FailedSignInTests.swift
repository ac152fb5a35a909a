import Accounts
import EventLoop
import HTTPServer
import HTTPTesting
import JSON
import Providers
import SignIn
import Syntax
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `Failed sign-ins` {
    private static func network(_ bytes: UInt32...) -> ClientNetwork {
        ClientNetwork(IPAddress(v4: bytes.reduce(0) { $0 << 8 | $1 }))
    }

    @Test func `failed sign-ins are counted by provider, reason and network, and nothing else of them is kept`()
        async throws
    {
        let app = try await APIStage()
        try app.stage.answerToken { $0.claims[setting: "nonce"] = "another" }
        for code in ["one", "two"] { #expect(await app.signIn([("code", .string(code))]).status == 401) }
        #expect(await app.signIn([("client_id", "nobody")]).status == 400)
        let counts = app.failedSignIns.take()
        // All requests of a stage have one name.
        let names = [try #require(CorrelationHash(naming: "request-1"))]
        #expect(
            counts == [
                FailedSignInCount(
                    provider: "zenkey", reason: "invalid_id_token: nonce", network: "192.0.2.0/24", count: 2,
                    names: names),
                FailedSignInCount(
                    provider: nil, reason: "unknown_client", network: "192.0.2.0/24", count: 1, names: names),
            ])
        #expect(app.failedSignIns.take().isEmpty)
    }

    @Test func `failed sign-ins are not those that succeed, nor the beginning of a registration`() async throws {
        for registration in [RegistrationMode.automatic, .ticket] {
            let app = try await APIStage(registration: registration)
            _ = await app.signIn()
            #expect(app.failedSignIns.take().isEmpty)
        }
    }

    @Test func `are found by what their app has called them, as far as there is room, and listed by that to nobody`()
        async throws
    {
        let app = try await APIStage()
        try app.stage.answerToken { $0.claims[setting: "nonce"] = "another" }
        for number in 1...20 {
            _ = await app.signIn([
                ("code", .string("code-\(number)")), ("correlation_id", .string("app-\(number)")),
            ])
        }
        let counts = app.failedSignIns.take()
        #expect(counts.map(\.count) == [20] && counts[0].names.count == FailedSignInCounter.maximumNames)
        let admin = try await AdminStage()
        try await admin.stage.repository.addFailedSignIns(counts, at: 60, expiresAt: .max)
        for (name, isFound) in [("app-1", true), ("app-15", true), ("app-16", false), ("APP-1", false), ("app", false)]
        {
            let answer = await admin.send(.get, "/admin/failed-sign-ins", query: "correlation_id=\(name)")
            #expect(answer.status == 200 && answer.json["failed_sign_ins"]?.array?.isEmpty == !isFound, "\(name)")
            #expect(!answer.text.contains("app-"))
        }
        let byRequest = await admin.send(.get, "/admin/sign-ins", query: "request_id=request-1")
        #expect(byRequest.json["failed_sign_ins"]?.array?.first?["reason"] == "invalid_id_token: nonce")
        #expect(
            byRequest.json["failed_sign_ins"]?.array?.first?["sentence"]
                == "The ID token's nonce is not the app's: it belongs to another sign-in.")
        let both = await admin.send(.get, "/admin/sign-ins", query: "request_id=a&correlation_id=b")
        #expect((both.status, both.error) == (400, "invalid_request"))
        for name in ["%25", "a%20b", String(repeating: "x", count: 65)] {
            let answer = await admin.send(.get, "/admin/failed-sign-ins", query: "correlation_id=\(name)")
            #expect((answer.status, answer.error) == (400, "invalid_request"))
        }
    }

    @Test func `keep few names, however many fail in however many ways`() {
        let counter = FailedSignInCounter()
        for number in 0..<500 {
            counter.count(
                .invalidAPIKey, provider: nil, from: Self.network(10, 0, UInt32(number % 40), 1),
                named: ["app-\(number)"]
            )
        }
        let names = counter.take().flatMap(\.names)
        #expect(names.count == FailedSignInCounter.maximumNamesInAll)
    }

    @Test func `fill no more memory and no more rows, however many networks they come from`() {
        let counter = FailedSignInCounter()
        for number in 0..<4 * FailedSignInCounter.maximumKinds {
            counter.count(
                .invalidAPIKey, provider: nil,
                from: Self.network(10, UInt32(number >> 8 & 0xFF), UInt32(number & 0xFF), 1))
        }
        for _ in 0..<5 { counter.count(.invalidAPIKey, provider: "zenkey", from: Self.network(10, 0, 0, 9)) }
        for _ in 0..<5 { counter.count(.invalidAPIKey, provider: nil, from: Self.network(10, 0, 7, 7)) }
        let counts = counter.take()
        #expect(counts.count == FailedSignInCounter.maximumCounts)
        // The largest is there though it began late, as long as it is told apart at all.
        #expect(
            counts.first
                == FailedSignInCount(provider: nil, reason: "invalid_api_key", network: "10.0.7.0/24", count: 6))
        #expect(counts.last?.reason == "other")
        #expect(counts.last?.provider == nil && counts.last?.network == nil)
        #expect(counts.reduce(0) { $0 + $1.count } == 4 * FailedSignInCounter.maximumKinds + 10)
    }

    @Test func `are found by provider and time`() async throws {
        let admin = try await AdminStage()
        for (at, provider) in [(60, "zenkey"), (120, "plain"), (180, "zenkey")] as [(Int64, String)] {
            let count = FailedSignInCount(provider: provider, reason: "invalid_grant", network: nil, count: 1)
            try await admin.stage.repository.addFailedSignIns([count], at: at, expiresAt: .max)
        }
        for (query, times) in [
            ("provider=zenkey", [60, 180]), ("provider=nobody", []), ("since=120", [120, 180]), ("until=120", [60]),
            ("since=60&until=180&provider=plain", [120]),
        ] as [(String, [JSONValue])] {
            let answer = await admin.send(.get, "/admin/sign-ins", query: query)
            #expect(answer.json["failed_sign_ins"]?.array?.map { $0["at"] ?? .null } == times, "\(query)")
        }
    }

    @Test func `have a sentence each for the user, whatever rule was broken`() {
        for rule in IDTokenError.allCases {
            #expect(!SignInFailure.sentence("invalid_id_token: \(rule.rawValue)").contains("/docs"))
        }
        #expect(SignInFailure.sentence("provider_timeout") == "The provider did not answer in time.")
        #expect(SignInFailure.sentence("something_new").contains("something_new"))
    }

    @Test func `name no single address`() throws {
        #expect(Self.network(192, 0, 2, 77).prefix == "192.0.2.0/24")
        for (address, prefix) in [
            ("2001:db8:2a:1234::1", "2001:db8:2a::/48"), ("::", "::/48"), ("2001::", "2001::/48"),
        ] {
            #expect(ClientNetwork(try #require(IPAddress(address))).prefix == prefix)
        }
    }

    @Test func `failed sign-ins are told to operators in pages`() async throws {
        let admin = try await AdminStage()
        let counts = (1...3).map {
            FailedSignInCount(provider: "zenkey", reason: "invalid_grant", network: "192.0.\($0).0/24", count: $0)
        }
        let other = FailedSignInCount(provider: nil, reason: "other", network: nil, count: 9)
        try await admin.stage.repository.addFailedSignIns(counts + [other], at: 60, expiresAt: .max)
        let first = await admin.send(.get, "/admin/failed-sign-ins", query: "limit=3")
        #expect(first.status == 200)
        #expect(first.json["next_after"] == 3)
        #expect(
            first.json["failed_sign_ins"]?.array?.first == [
                "id": 1, "at": 60, "provider": "zenkey", "reason": "invalid_grant",
                "sentence": "The code was wrong, too old or used before, or its verifier was another: begin again.",
                "network": "192.0.1.0/24", "count": 1,
            ])
        let second = await admin.send(.get, "/admin/failed-sign-ins", query: "limit=3&after=3")
        #expect(
            second.json["failed_sign_ins"] == [
                [
                    "id": 4, "at": 60, "reason": "other", "sentence": "Several ways to fail, counted together.",
                    "count": 9,
                ]
            ])
        #expect(second.json["next_after"] == nil)
    }
}

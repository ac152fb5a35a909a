import Crypto
import HTTPServer
import HTTPTesting
import JSON
import Providers
import SignIn
import Telemetry
import TestSupport
import Testing

@testable import WebAPI

@Suite struct `What is counted` {
    private static func lines(_ metrics: MetricRegistry) -> [String] {
        String(decoding: Exposition.prometheus.text(metrics.readings()), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    @Test func `has each request by its route, method and status, and sign-ins by what came of them`() async throws {
        let app = try await APIStage()
        _ = await app.signIn()
        _ = await app.signIn([("code", "another")])
        try app.stage.answerToken { $0.header[setting: "kid"] = "another-kid" }
        _ = await app.signIn([("code", "a-third")])
        let lines = Self.lines(app.metrics)
        let route = #"route="/auth/zenkey-signin",method="POST""#
        #expect(lines.contains(#"gatehouse_http_requests_total{\#(route),status="200"} 2"#))
        #expect(lines.contains(#"gatehouse_http_requests_total{\#(route),status="401"} 1"#))
        #expect(lines.contains(#"gatehouse_http_request_duration_seconds_count{route="/auth/zenkey-signin"} 3"#))
        let conventional =
            #"http_request_method="POST",http_route="/auth/zenkey-signin",http_response_status_code="200""#
        #expect(
            lines.contains(
                #"http_server_request_duration_seconds_bucket{\#(conventional),url_scheme="http",le="+Inf"} 2"#))
        let signIn = #"gatehouse_sign_ins_total{provider="zenkey",kind="code""#
        #expect(lines.contains(#"\#(signIn),outcome="registered",reason=""} 1"#))
        #expect(lines.contains(#"\#(signIn),outcome="signed_in",reason=""} 1"#))
        #expect(lines.contains(#"\#(signIn),outcome="invalid_id_token",reason="unknown_key"} 1"#))
        #expect(app.stage.provider.keyRefetches.total == 1)
        #expect(
            lines.contains(#"gatehouse_sign_in_duration_seconds_count{provider="zenkey",outcome="failed"} 1"#))
    }

    @Test func `has an identity that was linked`() async throws {
        let app = try await APIStage()
        let (token, _) = try await app.signedIn()
        try app.stage.answerToken { $0.claims[setting: "sub"] = "another" }
        app.stage.answerUserinfo(["sub": "another"])
        let linked = await app.post(
            "/users/me/identities", json: APIStage.authorized([("code", "second")]), headers: bearer(token))
        #expect(linked.status == 201, "\(linked.text)")
        let outcome = #"gatehouse_sign_ins_total{provider="zenkey",kind="code",outcome="linked",reason=""} 1"#
        #expect(Self.lines(app.metrics).contains(outcome))
    }

    /// Anybody could make series without end.
    @Test func `has no label that a stranger sends`() async throws {
        let app = try await APIStage()
        _ = await app.signIn()
        let before = Self.lines(app.metrics).count
        for number in 0..<200 {
            _ = await app.send(.get, "/stranger-\(number)", headers: [("X-Stranger", "stranger-\(number)")])
            _ = await app.signIn([
                ("client_id", .string("stranger-\(number)")), ("correlation_id", .string("stranger\(number)")),
            ])
            _ = await app.signIn([("provider", .string("stranger-\(number)")), ("iss", .string("stranger"))])
        }
        let lines = Self.lines(app.metrics)
        #expect(!lines.contains { $0.contains("stranger") })
        // Two statuses of two routes, and two ways to fail.
        #expect(lines.count < before + 120)
    }

    @Test func `is opened by the token for it, which opens nothing else`() async throws {
        let scraper = Operators.Entry(name: "metrics", token: Secret("the-scraper"), roles: [.metrics], expiresAt: nil)
        let admin = try await AdminStage(operators: [scraper])
        let answer = await admin.send(.get, "/metrics", headers: bearer("the-scraper"))
        #expect(answer.status == 200)
        #expect(answer.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
        let open = HTTPTestAnswer(
            await admin.api.respond(
                to: .sample(
                    .get, "/metrics", headers: bearer("the-scraper") + [("Accept", "application/openmetrics-text")])))
        #expect(open.header("content-type") == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        #expect(open.text.hasSuffix("# EOF\n"))
        for path in ["/admin/users", "/admin/audit", "/docs", "/openapi.json"] {
            #expect(await admin.send(.get, path, headers: bearer("the-scraper")).status == 403)
        }
        #expect(await admin.send(.get, "/metrics", headers: []).status == 401)
        #expect(await admin.send(.get, "/metrics").status == 200)
    }

    @Test func `closes this machine's listener to nobody by its token alone`() async throws {
        let scraper = Operators.Entry(name: "metrics", token: Secret("the-scraper"), roles: [.metrics], expiresAt: nil)
        let admin = try await AdminStage(token: nil, operators: [scraper])
        let here = [("Host", "127.0.0.1")]
        #expect(await admin.send(.get, "/admin/users", headers: here).status == 200)
        #expect(await admin.send(.get, "/admin/users", headers: here + bearer("the-scraper")).status == 403)
        #expect(await admin.send(.get, "/metrics", headers: here + bearer("the-scraper")).status == 200)
    }
}

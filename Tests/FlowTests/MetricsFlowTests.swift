import EventLoop
import GatehouseTesting
import HTTPTesting
import JSON
import Patience
import System
import Telemetry
import Testing

@testable import Composition
@testable import Operations

@Suite struct `Metrics over sockets` {
    private static let token = "the-token-of-this-test"

    private func scrape(_ gatehouse: RunningGatehouse, _ accept: String? = nil) async throws -> HTTPTestAnswer {
        var headers = ["Authorization": "Bearer \(Self.token)"]
        headers["Accept"] = accept
        return try await LoopbackClient(port: gatehouse.adminPort).send("GET", "/metrics", headers: headers)
    }

    /// The value of one series, without its braces where there are none.
    private func value(_ series: String, _ text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
            .flatMap { Double($0.dropFirst(series.count + 1)) }
    }

    @Test func `are moved by what they are about`() async throws {
        try await RunningGatehouse.with(adminToken: Self.token) { gatehouse in
            let ada = try await gatehouse.signIn("ada")
            _ = try await gatehouse.signIn("ada")
            let token = try #require(ada["refresh_token"]?.string)
            #expect(try await gatehouse.refresh(token).status == 200)
            _ = try await gatehouse.call("DELETE", "/users/me/sessions", bearer: try #require(ada["token"]?.string))
            _ = try await gatehouse.call("GET", "/nowhere")
            let text = try await scrape(gatehouse).text
            let signIn = #"gatehouse_sign_ins_total{provider="zenkey",kind="code""#
            #expect(value(#"\#(signIn),outcome="registered",reason=""}"#, text) == 1)
            #expect(value(#"\#(signIn),outcome="signed_in",reason=""}"#, text) == 1)
            let request = #"gatehouse_http_requests_total{route"#
            #expect(value(#"\#(request)="/auth/signin",method="POST",status="200"}"#, text) == 2)
            #expect(value(#"\#(request)="none",method="_OTHER",status="404"}"#, text) == 1)
            let call = #"gatehouse_provider_request_duration_seconds_count{provider="zenkey",step"#
            #expect(value(#"\#(call)="token",result="ok"}"#, text) == 2)
            #expect(value(#"gatehouse_provider_in_flight{provider="zenkey"}"#, text) == 0)
            #expect(value("gatehouse_sessions_refreshed_total", text) == 1)
            #expect(value(#"gatehouse_sessions_revoked_total{cause="sessions_revoked"}"#, text) == 1)
            #expect(value("gatehouse_store_up", text) == 1)
            #expect(
                try #require(
                    value(#"gatehouse_store_commit_duration_seconds_count{store="sqlite",result="ok"}"#, text)) > 2)
            #expect(try #require(value(#"gatehouse_store_group_size_sum{store="sqlite"}"#, text)) > 2)
            #expect(try #require(value(#"gatehouse_store_wal_bytes{store="sqlite"}"#, text)) > 0)
            #expect(try #require(value("process_resident_memory_bytes", text)) > 1_000_000)
            #expect(try #require(value("process_open_fds", text)) > 5)
            #expect(try #require(value("process_cpu_seconds_total", text)) > 0)
            #expect(value("gatehouse_log_lines_dropped_total", text) == nil)
            #expect(
                text.contains("gatehouse_build_info{version=\"\(Version.text)\",revision=\"\(Build.revision)\"} 1\n"))
            #expect(value(#"gatehouse_http_connections{listener="http"}"#, text) != nil)
            #expect(try #require(value(#"gatehouse_http_connections{listener="admin"}"#, text)) > 0)
            #expect(
                value(#"gatehouse_http_connections_refused_total{listener="http",reason="address"}"#, text) == 0)
            #expect(value(#"gatehouse_provider_key_refetches_total{provider="zenkey"}"#, text) == 0)
            #expect(try #require(value(#"gatehouse_signing_key_age_seconds{purpose="session"}"#, text)) >= 0)
        }
    }

    @Test func `end as OpenMetrics do where these are asked for`() async throws {
        try await RunningGatehouse.with(adminToken: Self.token) { gatehouse in
            let answer = try await scrape(gatehouse, "application/openmetrics-text; version=1.0.0")
            #expect(answer.text.hasSuffix("# EOF\n"))
            #expect(answer.header("content-type") == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        }
    }

    @Test func `tell how soon a loop takes up work, and how much of its time it works`() async throws {
        let loop = try EventLoop(label: "looked at")
        loop.start()
        defer { loop.stop() }
        let metrics = LoopMetrics([loop])
        func text() -> String { String(decoding: Exposition.prometheus.text(metrics.readings()), as: UTF8.self) }
        try await eventually("a job that the loop has taken up") {
            metrics.look()
            let ratio = value(#"gatehouse_event_loop_utilization_ratio{loop="0"}"#, text()) ?? 0
            #expect(ratio <= 1)
            return (value(#"gatehouse_event_loop_lag_seconds_count{loop="0"}"#, text()) ?? 0) > 1 && ratio > 0
        }
    }

    @Test func `name nobody, whatever is sent`() async throws {
        try await RunningGatehouse.with(adminToken: Self.token) { gatehouse in
            _ = try await gatehouse.signIn("ada")
            let text = try await scrape(gatehouse).text
            for word in ["ada@", "@", "\"ada\""] { #expect(!text.contains(word)) }
        }
    }
}

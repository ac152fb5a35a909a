import JSON
import Observability
import System
import Telemetry
import Testing

@Suite struct `Spans as OTLP` {
    private static let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    /// The spans of a request, by their names.
    private func spans(
        status: Int = 200, from context: TraceContext? = nil, _ steps: (Observers, StepScope?) -> Void = { _, _ in }
    ) throws -> [String: JSONValue] {
        let document = try document(status: status, from: context, steps)
        let resource = try #require(document["resourceSpans"]?.array?.first)
        let scope = try #require(resource["scopeSpans"]?.array?.first)
        let spans = try #require(scope["spans"]?.array)
        return Dictionary(spans.compactMap { span in span["name"]?.string.map { ($0, span) } }) { first, _ in first }
    }

    private func document(
        status: Int, from context: TraceContext?, _ steps: (Observers, StepScope?) -> Void
    ) throws -> JSONValue {
        let tracer = Tracer(.init(sampler: Sampler(.alwaysOn, ratio: 1)))
        let observers = Observers([], tracer: tracer)
        let request = observers.beginRequest("/auth/{provider}", from: context)
        steps(observers, request.scope)
        request.end(
            .done,
            .request(
                AnsweredRequest(
                    method: "POST", status: status, error: status < 400 ? nil : "provider_timeout", provider: "plain")))
        let export = TraceExportRequest(
            resource: [SpanAttribute("service.name", .text("gatehouse")), SpanAttribute("process.pid", .number(7))],
            store: "sqlite", version: "1.2.3")
        return try JSONValue(parsing: export.body(tracer.take(100), at: .now))
    }

    private func attribute(_ name: String, of span: JSONValue?) -> JSONValue? {
        let found = span?["attributes"]?.array?.first { $0["key"]?.string == name }
        return found?["value"]?["stringValue"] ?? found?["value"]?["intValue"]
    }

    @Test func `say who sends them and what made them`() throws {
        let resource = try #require(
            try document(status: 200, from: nil) { _, _ in }["resourceSpans"]?.array?.first)
        #expect(attribute("service.name", of: resource["resource"]) == "gatehouse")
        #expect(attribute("process.pid", of: resource["resource"]) == "7")
        let scope = resource["scopeSpans"]?.array?.first?["scope"]
        #expect(scope?["name"] == "gatehouse" && scope?["version"] == "1.2.3")
    }

    @Test func `tell a request by its operation, with numbers as OTLP has them`() throws {
        let context = try #require(TraceContext(traceparent: Self.traceparent, tracestate: ["a=1"]))
        let span = try #require(try spans(from: context)["POST /auth/{provider}"])
        #expect(span["traceId"] == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(span["parentSpanId"] == "00f067aa0ba902b7" && span["traceState"] == "a=1")
        #expect(span["spanId"]?.string?.count == 16)
        #expect(span["kind"] == 2 && span["status"]?["code"] == 0 && span["flags"] == 0x301)
        let (start, end) = (span["startTimeUnixNano"]?.string, span["endTimeUnixNano"]?.string)
        let (began, ended) = (try #require(start.flatMap { Int64($0) }), try #require(end.flatMap { Int64($0) }))
        #expect(began <= ended && abs(WallClock.now.seconds - began / 1_000_000_000) < 600)
        #expect(attribute("http.request.method", of: span) == "POST")
        #expect(attribute("http.route", of: span) == "/auth/{provider}")
        #expect(attribute("url.path", of: span) == "/auth/{provider}")
        #expect(attribute("http.response.status_code", of: span) == "200")
        #expect(attribute("gatehouse.provider", of: span) == "plain")
        #expect(attribute("error.type", of: span) == nil)
    }

    @Test(arguments: [(status: 401, isError: false), (status: 504, isError: true)])
    func `call an error only what is none of the asker's`(status: Int, isError: Bool) throws {
        let span = try #require(try spans(status: status)["POST /auth/{provider}"])
        #expect(span["status"]?["code"] == (isError ? 2 : 0))
        #expect(attribute("error.type", of: span) == (isError ? .string("\(status)") : nil))
        #expect(attribute("gatehouse.error", of: span) == "provider_timeout")
        #expect(span["parentSpanId"] == nil && span["flags"] == 0x101)
    }

    @Test func `tell a call with its moments, and nothing of its query`() throws {
        let span = try spans { observers, scope in
            let step = observers.begin(.providerCall(provider: "plain", kind: "token"), partOf: scope)
            var call = OutboundCall(
                method: "GET", url: "https://op.example/token?code=abc", namesSomebody: false, host: "op.example",
                port: 443)
            (call.status, call.resends) = (503, 1)
            (call.reused, call.sent) = (.now, .now)
            step.end(.failed("status_503"), .call(call))
        }["GET"]
        #expect(span?["kind"] == 3 && span?["status"]?["code"] == 2)
        #expect(attribute("url.full", of: span) == "https://op.example/token?REDACTED")
        #expect(attribute("server.address", of: span) == "op.example" && attribute("server.port", of: span) == "443")
        #expect(attribute("http.response.status_code", of: span) == "503")
        #expect(attribute("http.request.resend_count", of: span) == "1")
        #expect(attribute("error.type", of: span) == "503")
        #expect(attribute("gatehouse.provider.step", of: span) == "token")
        let events = span?["events"]?.array?.compactMap { $0["name"]?.string }
        #expect(events == ["connection.reused", "request.sent"])
    }

    @Test(arguments: [
        ("https://op.example/token", false, "https://op.example/token"),
        ("https://op.example:8443/a/b?sub=1&x", false, "https://op.example:8443/a/b?REDACTED"),
        ("https://op.example/users/ada?x=1", true, "https://op.example/REDACTED"),
        ("https://op.example:8443", true, "https://op.example:8443/REDACTED"),
    ])
    func `tell an address without the values in it`(url: String, namesSomebody: Bool, shown: String) {
        let call = OutboundCall(method: "GET", url: url, namesSomebody: namesSomebody, host: "op.example", port: 443)
        #expect(call.shownURL == shown)
    }

    @Test func `tell what the store does in the words for databases, and the rest in ours`() throws {
        let all = try spans { observers, scope in
            observers.begin(.bulkhead(provider: "plain"), partOf: scope).end(.failed("full"))
            observers.begin(.storeQueue, partOf: scope).end()
            observers.begin(.hashing, partOf: scope).end()
            let commit = observers.begin(.commit, partOfEach: [scope].compactMap(\.self))
            commit.end(.done, .commit(writes: 3))
        }
        #expect(all.count == 5)
        #expect(all["COMMIT"]?["kind"] == 3)
        #expect(attribute("db.system.name", of: all["COMMIT"]) == "sqlite")
        #expect(attribute("db.operation.name", of: all["COMMIT"]) == "COMMIT")
        #expect(attribute("db.operation.batch.size", of: all["COMMIT"]) == "3")
        #expect(all["store.queue"]?["kind"] == 1 && all["password.hash"]?["kind"] == 1)
        #expect(attribute("error.type", of: all["provider.bulkhead"]) == "full")
        #expect(all["provider.bulkhead"]?["status"]?["code"] == 2)
        let parents = Set(all.values.compactMap { $0["parentSpanId"]?.string })
        #expect(parents == [all["POST /auth/{provider}"]?["spanId"]?.string])
    }
}

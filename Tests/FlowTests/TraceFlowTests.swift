import GatehouseTesting
import HTTPTesting
import JSON
import Observability
import SimulatedCarriers
import Telemetry
import Testing

@testable import Composition
@testable import Operations

@Suite struct `The trace of a request` {
    private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let traceparent = "00-\(traceID)-00f067aa0ba902b7-01"
    private static let behindProxy = "trustedProxies: [127.0.0.1]"

    /// A span as a collector has it.
    private struct Received {
        let json: JSONValue

        var name: String { json["name"]?.string ?? "" }
        var id: String { json["spanId"]?.string ?? "" }
        var parent: String? { json["parentSpanId"]?.string }
        var isError: Bool { json["status"]?["code"] == 2 }
        var began: Int64 { json["startTimeUnixNano"]?.string.flatMap { Int64($0) } ?? 0 }
        var ended: Int64 { json["endTimeUnixNano"]?.string.flatMap { Int64($0) } ?? 0 }
        var events: [String] { json["events"]?.array?.compactMap { $0["name"]?.string } ?? [] }

        subscript(name: String) -> String? {
            let value = json["attributes"]?.array?.first { $0["key"]?.string == name }?["value"]
            return value?["stringValue"]?.string ?? value?["intValue"]?.string
        }
    }

    private func traced(
        http: String = "", zenkey: [String] = [], sampler: Sampler = Sampler(.parentOrOn, ratio: 1),
        _ body: (RunningGatehouse, Tracer) async throws -> Void
    ) async throws {
        let tracer = Tracer(.init(sampler: sampler, queueLimit: 100_000))
        try await RunningGatehouse.with(
            http: http, zenkey: zenkey, observers: Observers([], tracer: tracer)
        ) { gatehouse in
            // Metadata and keys are fetched by the first, and known to those that follow.
            #expect(try await gatehouse.signIn("ada").status == 200)
            _ = tracer.take(.max)
            try await body(gatehouse, tracer)
        }
    }

    /// What has been kept since the last look, as it is sent; the request comes last.
    private func received(_ tracer: Tracer) throws -> [Received] {
        let export = TraceExportRequest(resource: [], store: "sqlite", version: "1")
        let document = try JSONValue(parsing: export.body(tracer.take(.max), at: .now))
        let scope = try #require(document["resourceSpans"]?.array?.first?["scopeSpans"]?.array?.first)
        return try #require(scope["spans"]?.array).map { Received(json: $0) }
    }

    /// Those of one request, whose span comes last.
    private func trace(_ tracer: Tracer) throws -> (request: Received, parts: [Received]) {
        let all = try received(tracer)
        let request = try #require(all.last)
        #expect(Set(all.map { $0.json["traceId"]?.string }).count == 1)
        for part in all.dropLast() {
            #expect(part.parent == request.id, "\(part.name) is a part of the request")
            #expect(part.began >= request.began && part.ended <= request.ended, "\(part.name) lies within it")
        }
        return (request, Array(all.dropLast()))
    }

    @Test func `has a span for each step of a sign-in, a refresh and a look`() async throws {
        try await traced { gatehouse, tracer in
            let signedIn = try await gatehouse.signIn("ada")
            let signIn = try trace(tracer)
            #expect(signIn.request.name == "POST /auth/signin" && !signIn.request.isError)
            #expect(signIn.request["gatehouse.provider"] == "zenkey")
            let names = signIn.parts.map(\.name)
            #expect(names.filter { $0 == "POST" || $0 == "GET" } == ["POST", "GET"])
            #expect(names.contains("COMMIT") && names.contains("store.queue") && names.contains("provider.bulkhead"))
            let calls = signIn.parts.filter { $0["gatehouse.provider.step"] != nil }
            #expect(calls.map { $0["gatehouse.provider.step"] } == ["token", "userinfo"])
            #expect(calls.allSatisfy { $0["http.response.status_code"] == "200" && !$0.isError })
            for call in calls {
                #expect(call.events.suffix(2) == ["request.sent", "response.began"], "\(call.events)")
            }
            let token = try #require(signedIn["refresh_token"]?.string)
            #expect(try await gatehouse.refresh(token).status == 200)
            let refresh = try trace(tracer)
            #expect(refresh.request.name == "POST /auth/token")
            #expect(Set(refresh.parts.map(\.name)) == ["store.queue", "COMMIT"])
            #expect(try await gatehouse.call("GET", "/healthz").status == 200)
            let look = try trace(tracer)
            #expect(look.request.name == "GET /healthz" && look.parts.isEmpty)
        }
    }

    @Test func `tells a failed exchange and a provider that is late, and whose fault they are`() async throws {
        try await traced(zenkey: ["timeoutSeconds: 5", "signInTimeoutSeconds: 5"]) { gatehouse, tracer in
            gatehouse.simulation.misbehave(.tokenResponse(.invalidGrant), at: .token, times: 1)
            #expect(try await gatehouse.signIn("ada").status == 401)
            let refused = try trace(tracer)
            #expect(!refused.request.isError && refused.request["gatehouse.error"] == "invalid_grant")
            let exchange = try #require(refused.parts.first { $0["gatehouse.provider.step"] == "token" })
            #expect(exchange.isError && exchange["error.type"] == "400")
            gatehouse.simulation.misbehave(.slow(milliseconds: 60_000), at: .token, times: 1)
            #expect(try await gatehouse.signIn("ada").status == 504)
            let late = try trace(tracer)
            #expect(late.request.isError && late.request["error.type"] == "504")
            let call = try #require(late.parts.first { $0["gatehouse.provider.step"] == "token" })
            #expect(call.isError && call["error.type"] == "timed_out" && call["http.response.status_code"] == nil)
            #expect(call.events.last == "request.sent")
            #expect(call.ended - call.began >= 4_900_000_000)
        }
    }

    @Test func `is kept of what has failed, where nothing else is`() async throws {
        try await traced(sampler: Sampler(.parentOrRatio, ratio: 0)) { gatehouse, tracer in
            #expect(try await gatehouse.signIn("ada").status == 200)
            #expect(tracer.waiting == 0)
            gatehouse.simulation.misbehave(.tokenResponse(.invalidGrant), at: .token, times: 1)
            #expect(try await gatehouse.signIn("ada").status == 401)
            let refused = try trace(tracer)
            #expect(refused.request.json["flags"] == 0x100)
        }
    }

    @Test func `goes on with that of a trusted proxy, of nobody else, and stands in every line of the log`()
        async throws
    {
        let fields = ["traceparent": Self.traceparent, "tracestate": "vendor=1"]
        try await traced(http: Self.behindProxy) { gatehouse, tracer in
            let authorized = try await gatehouse.authorize("ada")
            #expect(try await gatehouse.post("/auth/signin", authorized.body(), fields).status == 200)
            let signIn = try trace(tracer)
            #expect(signIn.request.json["traceId"]?.string == Self.traceID)
            #expect(signIn.request.parent == "00f067aa0ba902b7")
            #expect(signIn.request.json["traceState"] == "vendor=1")
            #expect(try await gatehouse.call("GET", "/healthz", headers: fields).status == 200)
            let lines = gatehouse.log.text.split(separator: "\n").filter { $0.contains("trace_id=\(Self.traceID)") }
            #expect(lines.count { $0.contains("route=/auth/signin") } == 1)
            #expect(lines.count { $0.contains("sign-in") && $0.contains("outcome=signed_in") } == 1)
            #expect(lines.count { $0.contains("route=/healthz") } == 1)
        }
        try await traced { gatehouse, tracer in
            #expect(try await gatehouse.call("GET", "/healthz", headers: fields).status == 200)
            let look = try trace(tracer)
            let id = try #require(look.request.json["traceId"]?.string)
            #expect(id != Self.traceID && look.request.parent == nil)
            #expect(gatehouse.log.text.contains("trace_id=\(id)"))
        }
    }

    @Test(arguments: [true, false])
    func `is told to a provider where its section says so`(isPassedOn: Bool) async throws {
        try await traced(
            http: Self.behindProxy, zenkey: isPassedOn ? ["traceContext: true"] : []
        ) { gatehouse, tracer in
            let authorized = try await gatehouse.authorize("ada")
            let fields = ["traceparent": Self.traceparent, "tracestate": "vendor=1", "baggage": "user=7"]
            #expect(try await gatehouse.post("/auth/signin", authorized.body(), fields).status == 200)
            let signIn = try trace(tracer)
            for (endpoint, step) in [(SimulatedEndpoint.token, "token"), (.userinfo, "userinfo")] {
                let request = try #require(gatehouse.simulation.requests(at: endpoint).last)
                let call = try #require(signIn.parts.first { $0["gatehouse.provider.step"] == step })
                #expect(request.header("traceparent") == (isPassedOn ? "00-\(Self.traceID)-\(call.id)-01" : nil))
                #expect(request.header("tracestate") == (isPassedOn ? "vendor=1" : nil))
                #expect(request.header("baggage") == nil)
            }
        }
    }

    @Test func `has nothing in it that is secret or about a person`() async throws {
        try await traced { gatehouse, tracer in
            let authorized = try await gatehouse.authorize("ada")
            let signedIn = try await gatehouse.signIn(authorized, ["correlation_id": "0123456789ab"])
            let token = try #require(signedIn["token"]?.string)
            let refreshToken = try #require(signedIn["refresh_token"]?.string)
            _ = try await gatehouse.call("GET", "/users/me?code=secret-code", bearer: token)
            _ = try await gatehouse.refresh(refreshToken)
            _ = try await gatehouse.call("GET", "/nothing/secret-path")
            _ = try await gatehouse.signIn(authorized)
            let text = try received(tracer).map { String(decoding: $0.json.serialized, as: UTF8.self) }.joined()
            #expect(text.contains("/users/me"))
            let user = try #require(signedIn["user"]?.object)
            let secrets =
                [
                    authorized.code, authorized.verifier, token, refreshToken, "eyJ", "demo-secret", "secret-code",
                    "secret-path", "0123456789ab",
                    gatehouse.simulation.subject(of: "ada", for: RunningGatehouse.clientID, at: .aurora),
                ] + user.members.compactMap(\.value.string)
            for secret in secrets {
                #expect(!text.contains(secret), "spans tell something that begins with \(secret.prefix(5))")
            }
        }
    }
}

import GatehouseTesting
import HTTPClient
import JSON
import Observability
import Patience
import Settings
import Synchronization
import System
import Telemetry
import TestSupport
import Testing
import Wings

@testable import Composition
@testable import Operations

@Suite struct `The export of spans` {
    private static let url = "http://collector.example:4318/v1/traces"

    /// An export with what it sends to, and with what it takes spans from.
    private struct Stage {
        let tracer: Tracer
        let transport = ScriptedTransport()
        let log = RecordedLog()
        let export: SpanExporter

        /// - Parameter variables: OpenTelemetry's, beside the endpoint.
        init(_ variables: [String: String] = [:]) throws {
            let environment = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.example:4318"].merging(variables) { $1 }
            let yaml = """
                providers: [plain]
                provider: {plain: {profile: openid, issuer: 'https://op.example', clientID: a, clientSecret: secret-1,
                  redirectURIs: ['com.example.app:/callback']}}
                """
            guard case .valid(let settings, _, _) = Settings.load(yaml: yaml, environment: environment) else {
                throw CancellationError()
            }
            tracer = try #require(Tracer(settings))
            export = SpanExporter(
                tracer, to: try #require(settings.traces.export),
                TraceExportRequest(resource: [], store: "sqlite", version: "1"), transport, log.logger)
        }

        func trace(_ count: Int) {
            let observers = Observers([], tracer: tracer)
            for _ in 0..<count { observers.beginRequest("/a").end() }
        }

        var dropped: Double? {
            guard case .number(let number)? = tracer.readings().first?.samples.first?.value else { return nil }
            return number
        }

        func work() async throws { try await export.job.work() }
    }

    @Test func `sends a batch as soon as it has come together, and what is less after a while`() async throws {
        let stage = try Stage(["OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "4", "OTEL_EXPORTER_OTLP_HEADERS": "api-key=abc"])
        stage.transport.answer(Self.url, json: ["partialSuccess": [:]])
        stage.trace(9)
        try await stage.work()
        let sent = stage.transport.requests(to: Self.url)
        #expect(sent.count == 2 && stage.tracer.waiting == 1)
        #expect(sent.allSatisfy { $0.header("content-type") == "application/json" && $0.header("api-key") == "abc" })
        await stage.export.finish()
        #expect(stage.transport.requests(to: Self.url).count == 3 && stage.tracer.waiting == 0)
        let patient = try Stage(["OTEL_BSP_SCHEDULE_DELAY": "1"])
        patient.transport.answer(Self.url, json: [:])
        patient.trace(1)
        try await eventually("the delay is over") {
            try? await patient.work()
            return patient.transport.requests.count == 1
        }
        #expect(patient.dropped == 0)
    }

    @Test func `compresses what it sends, unless it is told not to`() async throws {
        for isCompressed in [true, false] {
            let stage = try Stage(isCompressed ? [:] : ["OTEL_EXPORTER_OTLP_COMPRESSION": "none"])
            stage.transport.answer(Self.url, json: [:])
            stage.trace(20)
            await stage.export.finish()
            let request = try #require(stage.transport.requests.first)
            #expect(request.header("content-encoding") == (isCompressed ? "gzip" : nil))
            #expect(request.body.starts(with: isCompressed ? [0x1F, 0x8B] : Array("{\"resourceSpans\"".utf8)))
        }
    }

    @Test(arguments: [429, 502, 503, 504])
    func `sends again what a collector has no room for now, when it says so`(status: Int) async throws {
        let stage = try Stage(["OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "1", "OTEL_BSP_EXPORT_TIMEOUT": "60000"])
        let tries = Atomic(0)
        stage.transport.answer(Self.url) { _ in
            tries.add(1, ordering: .relaxed).newValue < 2
                ? .success(OutboundResponse(status: status, headers: [(name: "Retry-After", value: "0")]))
                : .success(.json([:]))
        }
        stage.trace(1)
        try await stage.work()
        #expect(stage.transport.requests.count == 2 && stage.dropped == 0 && stage.log.text.isEmpty)
        let bodies = stage.transport.requests.map(\.body)
        #expect(bodies[0] == bodies[1])
    }

    @Test func `drops what a collector refuses, counts it, and tells it once, and when it is taken again`() async throws
    {
        let stage = try Stage(["OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "2"])
        stage.transport.answer(Self.url, .text("no such tenant", type: "text/plain", status: 401))
        stage.trace(4)
        try await stage.work()
        #expect(stage.dropped == 4 && stage.transport.requests.count == 2)
        let lines = stage.log.text.split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines.first?.contains("spans are lost") == true && lines.first?.contains("status 401") == true)
        #expect(lines.first?.contains("endpoint=collector.example:4318") == true)
        stage.transport.answer(Self.url, json: [:])
        stage.trace(2)
        try await stage.work()
        #expect(stage.dropped == 4)
        #expect(stage.log.text.split(separator: "\n").last?.contains("takes spans again") == true)
    }

    @Test func `counts what a collector rejects of a batch that it takes`() async throws {
        let stage = try Stage()
        stage.transport.answer(Self.url, json: ["partialSuccess": ["rejectedSpans": "3", "errorMessage": "too old"]])
        stage.trace(5)
        await stage.export.finish()
        #expect(stage.dropped == 3)
    }

    @Test func `loses nothing of what it was sending when it is told to stop`() async throws {
        let stage = try Stage(["OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "3"])
        stage.transport.fail(Self.url, .couldNotConnect)
        stage.trace(3)
        let work = Task { try await stage.work() }
        try await eventually("a first try") { stage.transport.requests.count == 1 }
        work.cancel()
        _ = await work.result
        #expect(stage.tracer.waiting == 3 && stage.dropped == 0)
        stage.transport.answer(Self.url, json: [:])
        await stage.export.finish()
        #expect(stage.tracer.waiting == 0 && stage.dropped == 0)
    }

    @Test func `gives up in time where nobody is there, and counts all of it`() async throws {
        let stage = try Stage(["OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "2", "OTEL_BSP_EXPORT_TIMEOUT": "1"])
        stage.transport.fail(Self.url, .couldNotConnect)
        stage.trace(4)
        try await stage.work()
        #expect(stage.dropped == 4 && stage.transport.requests.count == 2)
        stage.trace(3)
        await stage.export.finish()
        #expect(stage.dropped == 7 && stage.tracer.waiting == 0)
    }
}

import Crypto
import Settings
import Syntax
import Telemetry
import Testing

@Suite struct `OpenTelemetry's variables` {
    private static let endpoint = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.example:4318/"]

    private func loaded(_ variables: [String: String], at endpoint: [String: String] = Self.endpoint) -> LoadedSettings
    {
        load(
            "provider: {zenkey: {clientID: a, clientSecret: secret-1}}\n",
            environment: endpoint.merging(variables) { $1 })
    }

    private func export(_ variables: [String: String], at endpoint: [String: String] = Self.endpoint) -> TraceExport? {
        loaded(variables, at: endpoint).settings?.traces.export
    }

    /// What there is to say of them.
    private func notices(_ variables: [String: String], at endpoint: [String: String] = Self.endpoint) -> [String] {
        loaded(variables, at: endpoint).notices.filter { $0.key.hasPrefix("OTEL_") }.map(\.description)
    }

    @Test func `send traces nowhere unless there is somewhere`() {
        #expect(export([:], at: [:]) == nil && notices([:], at: [:]).isEmpty)
        #expect(
            notices(["OTEL_SERVICE_NAME": "a"], at: [:]) == [
                "OTEL_SERVICE_NAME has no effect: without OTEL_EXPORTER_OTLP_ENDPOINT no traces are sent"
            ])
        #expect(export(["OTEL_SDK_DISABLED": "true"]) == nil)
        #expect(export(["OTEL_TRACES_EXPORTER": "none"]) == nil)
        #expect(export(["OTEL_TRACES_SAMPLER": "always_off"]) == nil)
    }

    @Test func `have defaults as OpenTelemetry has them`() throws {
        let sent = try #require(export([:]))
        #expect(sent.endpoint.text == "http://collector.example:4318/v1/traces")
        #expect(sent.timeout == .seconds(10) && sent.delay == .seconds(5) && sent.batchTimeout == .seconds(30))
        #expect(sent.queueLimit == 2048 && sent.batchLimit == 512)
        #expect(sent.sampler == Sampler(.parentOrOn, ratio: 1))
        #expect(sent.headers.isEmpty && sent.resource.isEmpty && sent.isCompressed && sent.caFile == nil)
        #expect(notices([:]).isEmpty)
    }

    @Test func `are all read, those of traces before the common ones`() throws {
        let sent = try #require(
            export([
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://traces.example/otlp", "OTEL_TRACES_EXPORTER": "otlp",
                "OTEL_EXPORTER_OTLP_HEADERS": "x-common=1",
                "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "api-key=s%20ecret%3D, x-team = blue",
                "OTEL_EXPORTER_OTLP_TIMEOUT": "1500", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
                "OTEL_EXPORTER_OTLP_COMPRESSION": "none", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/etc/ca.pem",
                "OTEL_RESOURCE_ATTRIBUTES": "service.name=b,deployment.environment.name=pro%2Cd",
                "OTEL_SERVICE_NAME": "a", "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
                "OTEL_TRACES_SAMPLER_ARG": "0.01", "OTEL_BSP_MAX_QUEUE_SIZE": "100",
                "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "1000", "OTEL_BSP_SCHEDULE_DELAY": "200",
                "OTEL_BSP_EXPORT_TIMEOUT": "2000",
            ]))
        #expect(sent.endpoint.text == "https://traces.example/otlp")
        #expect(sent.headers.map(\.name) == ["api-key", "x-team"])
        #expect(sent.headers.map(\.value.revealedText) == ["s ecret=", "blue"])
        #expect(sent.timeout == .milliseconds(1500) && sent.batchTimeout == .seconds(2))
        #expect(!sent.isCompressed && sent.caFile == "/etc/ca.pem")
        #expect(sent.resource.map(\.name) == ["deployment.environment.name", "service.name"])
        #expect(sent.resource.map(\.value) == ["pro,d", "a"])
        #expect(sent.sampler == Sampler(.parentOrRatio, ratio: 0.01))
        #expect(sent.queueLimit == 100 && sent.batchLimit == 100 && sent.delay == .milliseconds(200))
    }

    @Test(arguments: [
        (
            ["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"],
            "OTEL_EXPORTER_OTLP_PROTOCOL is not http/json, which alone is spoken here, so that no traces are sent",
            false
        ),
        (
            ["OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"],
            "OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf; traces are sent as http/json, which collectors take at the same port",
            true
        ),
        (
            ["OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318"],
            "OTEL_EXPORTER_OTLP_ENDPOINT is no URL of a collector such as http://127.0.0.1:4318, so that no traces are sent",
            false
        ),
        (
            ["OTEL_TRACES_EXPORTER": "zipkin"],
            "OTEL_TRACES_EXPORTER is neither otlp nor none, so that no traces are sent", false
        ),
        (
            ["OTEL_TRACES_SAMPLER": "jaeger_remote"],
            "OTEL_TRACES_SAMPLER is none of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, "
                + "parentbased_traceidratio, so that parentbased_always_on is used", true
        ),
        (
            ["OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "1%"],
            "OTEL_TRACES_SAMPLER_ARG is no number from 0 to 1, so that 1 is used", true
        ),
        (
            ["OTEL_EXPORTER_OTLP_TIMEOUT": "10s"],
            "OTEL_EXPORTER_OTLP_TIMEOUT is no whole number from 1 to 86400000, so that the usual one is used", true
        ),
        (
            ["OTEL_RESOURCE_ATTRIBUTES": "a"],
            "OTEL_RESOURCE_ATTRIBUTES has an element that is not name=value, which is passed over", true
        ),
        (
            ["OTEL_EXPORTER_OTLP_HEADERS": "a=secret%0D%0Ab"],
            "OTEL_EXPORTER_OTLP_HEADERS has an element that can't be a header field, which is not sent", true
        ),
        (
            ["OTEL_EXPORTER_OTLP_COMPRESSION": "zstd"],
            "OTEL_EXPORTER_OTLP_COMPRESSION is neither gzip nor none; gzip is used", true
        ),
    ])
    func `keep no server from starting, whatever a platform sets them to`(
        variables: [String: String], notice: String, isSent: Bool
    ) {
        #expect(notices(variables) == [notice])
        #expect((export(variables) != nil) == isSent)
    }
}

import EventLoop
import Glibc
import HTTPClient
import Logging
import Observability
package import Settings
import System
package import Telemetry

extension Tracer {
    /// - Returns: nil where traces are sent nowhere.
    package convenience init?(_ settings: Settings) {
        guard let export = settings.traces.export else { return nil }
        self.init(
            Rules(
                sampler: export.sampler, slow: .milliseconds(settings.traces.slowMilliseconds),
                queueLimit: export.queueLimit))
    }
}

extension SpanExporter {
    /// - Parameter loop: on which the collector is called; one that serves no sign-ins.
    /// - Returns: nil where traces are sent nowhere.
    convenience init?(
        _ settings: Settings, _ tracer: Tracer?, on loop: EventLoop, _ trust: TrustStore, _ logger: Logger
    ) {
        guard let tracer, let export = settings.traces.export else { return nil }
        let request = TraceExportRequest(
            resource: Self.resource(export), store: StepMetrics.name(of: settings), version: Version.text)
        self.init(tracer, to: export, request, HTTPClient(loop: loop, trust: trust), logger)
    }

    /// What is told of this process, what the operator says first.
    private static func resource(_ export: TraceExport) -> [SpanAttribute] {
        let own: [(String, SpanAttribute.Value)] = [
            ("service.name", .text("gatehouse")), ("service.version", .text(Version.text)),
            ("service.instance.id", .text(instanceID)), ("host.name", .text(Host.name)),
            ("process.pid", .number(Int64(getpid()))), ("telemetry.sdk.name", .text("gatehouse")),
            ("telemetry.sdk.language", .text("swift")), ("telemetry.sdk.version", .text(Version.text)),
        ]
        let given = Set(export.resource.map(\.name))
        return export.resource.map { SpanAttribute($0.name, .text($0.value)) }
            + own.filter { !given.contains($0.0) }.map { SpanAttribute($0.0, $0.1) }
    }

    /// A UUID of version 4 (RFC 9562 §5.4), drawn anew by each process.
    private static var instanceID: String {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }
}

internal import Crypto
internal import Glibc
internal import Syntax
internal import Telemetry

/// Reads OpenTelemetry's variables, as far as they are about traces.
///
/// A platform sets them for all that it runs, so that what we can't do as they say is told and keeps no server from
/// starting.
struct OpenTelemetryVariables {
    private static let path = "/v1/traces"
    private static let longest = 86_400_000

    private let environment: [String: String]
    private(set) var notices: [SettingsNotice] = []

    init(_ environment: [String: String]) {
        self.environment = environment
    }

    /// Where traces are sent; nil where they are not.
    mutating func export() -> TraceExport? {
        guard !isDisabled(), let endpoint = endpoint() else { return nil }
        guard isTraced(), isSpoken() else { return nil }
        var export = TraceExport(endpoint: endpoint)
        export.headers = headers()
        export.isCompressed = isCompressed()
        export.caFile = ofTraces("CERTIFICATE")?.value
        export.sampler = sampler()
        if export.sampler.isOff { return nil }
        read(ofTraces("TIMEOUT")?.name, 1, Self.longest) { export.timeout = .milliseconds($0) }
        read("OTEL_BSP_EXPORT_TIMEOUT", 1, Self.longest) { export.batchTimeout = .milliseconds($0) }
        read("OTEL_BSP_SCHEDULE_DELAY", 1, Self.longest) { export.delay = .milliseconds($0) }
        read("OTEL_BSP_MAX_QUEUE_SIZE", 1, 1_000_000) { export.queueLimit = $0 }
        read("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, 100_000) { export.batchLimit = $0 }
        export.batchLimit = min(export.batchLimit, export.queueLimit)
        export.resource = pairs("OTEL_RESOURCE_ATTRIBUTES")
        if let name = environment["OTEL_SERVICE_NAME"] {
            export.resource.removeAll { $0.name == "service.name" }
            export.resource.append((name: "service.name", value: name))
        }
        return export
    }

    private func isDisabled() -> Bool { environment["OTEL_SDK_DISABLED"]?.lowercased() == "true" }

    /// A variable of the exporter: that of traces alone before that of all that is exported.
    private func ofTraces(_ name: String) -> (name: String, value: String)? {
        for name in ["OTEL_EXPORTER_OTLP_TRACES_\(name)", "OTEL_EXPORTER_OTLP_\(name)"] {
            if let value = environment[name] { return (name, value) }
        }
        return nil
    }

    private mutating func endpoint() -> EndpointURL? {
        guard let given = ofTraces("ENDPOINT") else {
            if let name = environment.keys.filter({ $0.hasPrefix("OTEL_") }).min() {
                tell(name, "has no effect: without OTEL_EXPORTER_OTLP_ENDPOINT no traces are sent")
            }
            return nil
        }
        let isWhole = given.name.contains("_TRACES_")
        var text = given.value
        while !isWhole, text.hasSuffix("/") { text.removeLast() }
        do throws(EndpointURLError) {
            return try EndpointURL(configured: isWhole ? text : text + Self.path)
        } catch {
            tell(given.name, "is no URL of a collector such as http://127.0.0.1:4318, so that no traces are sent")
            return nil
        }
    }

    private mutating func isTraced() -> Bool {
        switch environment["OTEL_TRACES_EXPORTER"] {
        case nil, "otlp": return true
        case "none": return false
        default:
            tell("OTEL_TRACES_EXPORTER", "is neither otlp nor none, so that no traces are sent")
            return false
        }
    }

    private mutating func isSpoken() -> Bool {
        guard let given = ofTraces("PROTOCOL") else { return true }
        switch given.value {
        case "http/json": return true
        case "http/protobuf":
            tell(given.name, "is http/protobuf; traces are sent as http/json, which collectors take at the same port")
            return true
        default:
            tell(given.name, "is not http/json, which alone is spoken here, so that no traces are sent")
            return false
        }
    }

    private mutating func isCompressed() -> Bool {
        guard let given = ofTraces("COMPRESSION"), given.value != "gzip" else { return true }
        if given.value == "none" { return false }
        tell(given.name, "is neither gzip nor none; gzip is used")
        return true
    }

    private mutating func headers() -> [(name: String, value: Secret)] {
        guard let name = ofTraces("HEADERS")?.name else { return [] }
        return pairs(name).compactMap { header in
            guard header.name.utf8.span.isToken, header.value.utf8.span.isFieldContent else {
                tell(name, "has an element that can't be a header field, which is not sent")
                return nil
            }
            return (name: header.name, value: Secret(header.value))
        }
    }

    private mutating func sampler() -> Sampler {
        guard let name = environment["OTEL_TRACES_SAMPLER"] else { return .standard }
        guard let kind = Sampler.Kind(rawValue: name) else {
            let known = Sampler.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            tell("OTEL_TRACES_SAMPLER", "is none of \(known), so that \(Sampler.standard.kind.rawValue) is used")
            return .standard
        }
        guard let text = environment["OTEL_TRACES_SAMPLER_ARG"] else { return Sampler(kind, ratio: 1) }
        guard let ratio = Double(text), (0...1).contains(ratio) else {
            tell("OTEL_TRACES_SAMPLER_ARG", "is no number from 0 to 1, so that 1 is used")
            return Sampler(kind, ratio: 1)
        }
        return Sampler(kind, ratio: ratio)
    }

    private mutating func read(_ name: String?, _ least: Int, _ most: Int, _ use: (Int) -> Void) {
        guard let name, let text = environment[name] else { return }
        guard let number = Int(text), (least...most).contains(number) else {
            return tell(name, "is no whole number from \(least) to \(most), so that the usual one is used")
        }
        use(number)
    }

    /// The elements `name=value` of a list, percent-encoded (W3C Baggage §3.2).
    private mutating func pairs(_ name: String) -> [(name: String, value: String)] {
        guard let text = environment[name] else { return [] }
        var pairs: [(name: String, value: String)] = []
        for element in text.split(separator: ",") where !element.allSatisfy({ $0 == " " }) {
            let parts = element.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, let key = Self.decoded(parts[0]), !key.isEmpty, let value = Self.decoded(parts[1]) {
                pairs.append((key, value))
            } else {
                tell(name, "has an element that is not name=value, which is passed over")
            }
        }
        return pairs
    }

    private static func decoded(_ text: Substring) -> String? {
        let trimmed = Array(text.utf8.drop { $0 == .space }.reversed().drop { $0 == .space }.reversed())
        var scratch: [UInt8] = []
        return PercentEncoding.decode(trimmed.span, 0..<trimmed.count, plusIsSpace: false, scratch: &scratch)
    }

    private mutating func tell(_ name: String, _ sentence: String) { notices.append(SettingsNotice(name, sentence)) }
}

/// Metrics as text, for those who scrape them.
public enum Exposition: Sendable {
    /// Prometheus' own, version 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.
    case openMetrics

    /// By what the scraper takes: OpenMetrics where it names that, since all of them take the other.
    public init(accept: String?) {
        self = accept?.contains("application/openmetrics-text") == true ? .openMetrics : .prometheus
    }

    public var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// All of them, a family at a time. Those without a value are left out.
    public func text(_ readings: [MetricReading]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(1 << 14)
        for reading in readings where !reading.samples.isEmpty { append(reading, to: &text) }
        if case .openMetrics = self { text += "# EOF\n".utf8 }
        return text
    }

    private func append(_ reading: MetricReading, to text: inout [UInt8]) {
        let family = reading.family
        // In OpenMetrics a family is named without what the names of its samples end with.
        let name = family.name
        let titled: String
        let kind: String
        switch (self, family.kind) {
        case (.prometheus, .counter): (titled, kind) = (name + "_total", "counter")
        case (.prometheus, .info): (titled, kind) = (name + "_info", "gauge")
        case (_, let other): (titled, kind) = (name, other.rawValue)
        }
        text += "# HELP \(titled) \(Self.escaped(family.help, quotes: false))\n".utf8
        text += "# TYPE \(titled) \(kind)\n".utf8
        if case .openMetrics = self, let unit = family.unit { text += "# UNIT \(titled) \(unit)\n".utf8 }
        // Histograms of a family mostly have the same bounds, which are put into words once.
        var bounds = BoundTexts()
        for sample in reading.samples {
            switch (sample.value, family.kind) {
            case (.number(let number), .counter): Self.append(name + "_total", sample.labels, number, to: &text)
            case (.number(let number), .info): Self.append(name + "_info", sample.labels, number, to: &text)
            case (.number(let number), _): Self.append(name, sample.labels, number, to: &text)
            case (.histogram(let counts), _):
                bounds.use(counts.bounds)
                append(name, sample.labels, counts, bounds.texts, to: &text)
            }
        }
    }

    /// The bounds of a histogram as labels, the infinite one last.
    private struct BoundTexts {
        private var bounds: [Double] = []
        private(set) var texts: [[UInt8]] = []

        mutating func use(_ other: [Double]) {
            guard other != bounds || texts.isEmpty else { return }
            bounds = other
            texts = other.map { Array("le=\"\(Exposition.bound($0))\"} ".utf8) } + [Array("le=\"+Inf\"} ".utf8)]
        }
    }

    private func append(
        _ name: String, _ labels: [MetricSample.Label], _ counts: HistogramCounts, _ bounds: [[UInt8]],
        to text: inout [UInt8]
    ) {
        let labels = Self.bytes(labels)
        let start = Array((name + "_bucket{").utf8) + labels + (labels.isEmpty ? [] : [UInt8(ascii: ",")])
        var below = 0
        for (place, (bound, count)) in zip(bounds, counts.counts).enumerated() {
            below += count
            text += start
            text += bound
            text += String(below).utf8
            if case .openMetrics = self, !counts.exemplars.isEmpty, let exemplar = counts.exemplars[place] {
                Self.append(exemplar, to: &text)
            }
            text.append(UInt8(ascii: "\n"))
        }
        let inBraces = labels.isEmpty ? [] : [UInt8(ascii: "{")] + labels + [UInt8(ascii: "}")]
        text += "\(name)_count".utf8
        text += inBraces
        text += " \(below)\n\(name)_sum".utf8
        text += inBraces
        text += " \(Self.number(counts.sum))\n".utf8
    }

    /// OpenMetrics 1.0, exemplars. Prometheus' own form has none.
    private static func append(_ exemplar: Exemplar, to text: inout [UInt8]) {
        let fraction = "00\(exemplar.milliseconds % 1000)".suffix(3)
        let moment = "\(exemplar.milliseconds / 1000).\(fraction)"
        text += " # {trace_id=\"\(exemplar.traceID.text)\"} \(number(exemplar.value)) \(moment)".utf8
    }

    private static func append(
        _ name: String, _ labels: [MetricSample.Label], _ value: Double, to text: inout [UInt8]
    ) {
        text += name.utf8
        if !labels.isEmpty {
            text.append(UInt8(ascii: "{"))
            text += bytes(labels)
            text.append(UInt8(ascii: "}"))
        }
        text += " \(number(value))\n".utf8
    }

    /// Labels as they stand between braces.
    private static func bytes(_ labels: [MetricSample.Label]) -> [UInt8] {
        var text: [UInt8] = []
        for (index, label) in labels.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += label.name.utf8
            text += "=\"".utf8
            text += escaped(label.value, quotes: true).utf8
            text.append(UInt8(ascii: "\""))
        }
        return text
    }

    /// A bound as both forms take it: with a point (OpenMetrics §3.2.4, canonical numbers).
    private static func bound(_ bound: Double) -> String { "\(bound)" }

    /// A whole number without a fraction, which a double has exactly up to 2^53.
    private static func number(_ number: Double) -> String {
        if let whole = Int64(exactly: number) { return "\(whole)" }
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number > 0 ? "+Inf" : "-Inf" }
        return "\(number)"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || $0 == 0x22 }) else { return text }
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.append(character)
            }
        }
        return escaped
    }
}

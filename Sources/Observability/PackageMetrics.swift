public import CoreMetrics
internal import Synchronization
public import Telemetry

/// What packages that are linked count by swift-metrics, told beside our own.
///
/// They choose names and dimensions as they like: a name is told as Prometheus takes it, and there are so many series
/// at most that a package which counts what strangers send fills no memory.
public final class PackageMetrics: MetricsFactory, MetricSource {
    /// Of all packages together; what comes beyond is counted nowhere.
    public static let maximumSeries = 1000
    private static let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    private static let numbers = [1.0, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000]
    /// Of families that are ours.
    private static let taken = ["gatehouse_", "process_", "http_server_", "db_client_"]

    private struct Series: Hashable {
        let name: String
        let labels: [String]
    }

    private struct State {
        var families: [String: MetricFamily] = [:]
        var instruments: [Series: PackageInstrument] = [:]
    }

    private let state = Mutex(State())

    public init() {}

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        instrument(label, dimensions, .counter, unit: nil, .count)
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        aggregate
            ? instrument(label, dimensions, .histogram, unit: nil, .histogram(LoopHistogram(numbers: Self.numbers)))
            : instrument(label, dimensions, .gauge, unit: nil, .value)
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        instrument(label, dimensions, .gauge, unit: nil, .value)
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        instrument(
            label, dimensions, .histogram, unit: "seconds", .histogram(LoopHistogram(seconds: Self.seconds)))
    }

    // What has been counted stays told: a counter that goes away and comes back at nothing would look like a restart.
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    private func instrument(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricFamily.Kind, unit: String?,
        _ form: @autoclosure () -> PackageInstrument.Form
    ) -> PackageInstrument {
        var name = Self.name(label)
        if Self.taken.contains(where: name.hasPrefix) { name = "package_" + name }
        if let unit, !name.hasSuffix("_" + unit) { name += "_" + unit }
        let labels = dimensions.map { (name: Self.name($0.0), value: $0.1) }
        let series = Series(name: name, labels: labels.flatMap { [$0.name, $0.value] })
        return state.withLock { state in
            if let there = state.instruments[series] { return there }
            let family = state.families[name] ?? MetricFamily(kind, name, unit: unit, "As a package counts it.")
            let instrument = PackageInstrument(labels, form())
            // Another kind under one name, or one series too many, is counted and not told.
            guard family.kind == kind, state.instruments.count < Self.maximumSeries else { return instrument }
            state.families[name] = family
            state.instruments[series] = instrument
            return instrument
        }
    }

    /// Letters, digits and underscores, beginning with a letter.
    private static func name(_ text: String) -> String {
        let plain = text.unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? Character(scalar) : "_"
        }
        guard let first = plain.first, first.isLetter else { return "package_" + String(plain) }
        return String(plain)
    }

    public func readings() -> [MetricReading] {
        let (families, instruments) = state.withLock { ($0.families, $0.instruments) }
        return families.sorted { $0.key < $1.key }.map { name, family in
            let samples = instruments.filter { $0.key.name == name }.sorted { left, right in
                left.key.labels.lexicographicallyPrecedes(right.key.labels)
            }
            return MetricReading(family, samples.map(\.value.sample))
        }
    }
}

/// One series of a package's.
private final class PackageInstrument: CounterHandler, RecorderHandler, MeterHandler, TimerHandler {
    enum Form {
        case count, value
        case histogram(LoopHistogram)
    }

    private let labels: [MetricSample.Label]
    private let form: Form
    private let number = Mutex<Double>(0)

    init(_ labels: [MetricSample.Label], _ form: Form) {
        (self.labels, self.form) = (labels, form)
    }

    var sample: MetricSample {
        switch form {
        case .count, .value: MetricSample(labels, number.withLock(\.self))
        case .histogram(let histogram): MetricSample(labels, .histogram(histogram.reading))
        }
    }

    func increment(by amount: Int64) { increment(by: Double(amount)) }
    func increment(by amount: Double) { number.withLock { $0 += amount } }
    func decrement(by amount: Double) { number.withLock { $0 -= amount } }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { number.withLock { $0 = value } }
    func reset() { set(0.0) }
    func recordNanoseconds(_ duration: Int64) { record(duration) }

    func record(_ value: Int64) {
        if case .histogram(let histogram) = form { histogram.addShared(max(0, value)) } else { set(value) }
    }

    func record(_ value: Double) {
        record(Int64(value.isFinite ? min(max(value, 0), 1e15) : 0))
    }
}

/// What is counted or measured under one name, as Prometheus and OpenMetrics have it. A name is one of ours, and so is
/// each label's value: nothing that a stranger sends makes a series.
public struct MetricFamily: Hashable, Sendable {
    public enum Kind: String, Sendable {
        case counter, gauge, histogram
        /// A gauge of 1 whose labels tell something.
        case info
    }

    /// With the unit, and without the `_total` of counters.
    public let name: String
    public let kind: Kind
    /// One sentence.
    public let help: String
    /// As the name ends with it, such as `seconds`; nil for what is a number of things.
    public let unit: String?

    public init(_ kind: Kind, _ name: String, unit: String? = nil, _ help: String) {
        (self.name, self.kind, self.help, self.unit) = (name, kind, help, unit)
    }
}

/// One value of a family.
public struct MetricSample: Sendable {
    public enum Value: Sendable {
        case number(Double)
        case histogram(HistogramCounts)
    }

    public typealias Label = (name: String, value: String)

    /// In the order in which they are written.
    public let labels: [Label]
    public var value: Value

    public init(_ labels: [Label], _ value: Value) {
        (self.labels, self.value) = (labels, value)
    }

    public init(_ labels: [Label], _ number: Double) {
        self.init(labels, .number(number))
    }

    /// Of a family that has one value alone.
    public init(_ number: Double) {
        self.init([], .number(number))
    }
}

/// One of what was measured, with the trace in which it can be looked at.
public struct Exemplar: Equatable, Sendable {
    let traceID: TraceID
    let value: Double
    /// Since 1970.
    let milliseconds: Int64
}

/// How many of what was measured lay below each bound, as of one moment.
public struct HistogramCounts: Equatable, Sendable {
    /// The upper bounds, each within, without the infinite one.
    public let bounds: [Double]
    /// Of each bound by itself, and last of what lies beyond all.
    public var counts: [Int]
    public var sum: Double
    /// The latest of each bound, in the order of the counts; empty where there is none.
    var exemplars: [Exemplar?]

    public init(bounds: [Double], counts: [Int], sum: Double) {
        self.init(bounds: bounds, counts: counts, sum: sum, exemplars: [])
    }

    init(bounds: [Double], counts: [Int], sum: Double, exemplars: [Exemplar?]) {
        (self.bounds, self.counts, self.sum, self.exemplars) = (bounds, counts, sum, exemplars)
    }

    /// Whether nothing was counted.
    public var isEmpty: Bool { counts.allSatisfy { $0 == 0 } }

    /// The same with fewer bounds, each of which must be one of these.
    public func coarser(_ bounds: [Double]) -> HistogramCounts {
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        var latest = [Exemplar?](repeating: nil, count: exemplars.isEmpty ? 0 : counts.count)
        for (index, count) in self.counts.enumerated() {
            let bound = index < self.bounds.count ? self.bounds[index] : .infinity
            let place = bounds.firstIndex { $0 >= bound } ?? bounds.count
            counts[place] += count
            if !exemplars.isEmpty { latest[place] = Self.later(latest[place], exemplars[index]) }
        }
        return HistogramCounts(bounds: bounds, counts: counts, sum: sum, exemplars: latest)
    }

    /// Both together, of the same bounds.
    public static func + (left: HistogramCounts, right: HistogramCounts) -> HistogramCounts {
        let exemplars =
            if left.exemplars.isEmpty || right.exemplars.isEmpty {
                left.exemplars + right.exemplars
            } else {
                zip(left.exemplars, right.exemplars).map(later)
            }
        return HistogramCounts(
            bounds: left.bounds, counts: zip(left.counts, right.counts).map { $0 + $1 }, sum: left.sum + right.sum,
            exemplars: exemplars)
    }

    private static func later(_ left: Exemplar?, _ right: Exemplar?) -> Exemplar? {
        guard let left, let right else { return left ?? right }
        return left.milliseconds > right.milliseconds ? left : right
    }
}

/// A family with its values as of one moment.
public struct MetricReading: Sendable {
    public let family: MetricFamily
    public let samples: [MetricSample]

    public init(_ family: MetricFamily, _ samples: [MetricSample]) {
        (self.family, self.samples) = (family, samples)
    }
}

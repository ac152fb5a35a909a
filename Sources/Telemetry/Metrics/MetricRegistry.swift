internal import Synchronization

/// Where metrics are read when somebody scrapes.
public protocol MetricSource: Sendable {
    /// The values as of now. Families of one name may come from several sources; values of the same labels are added.
    func readings() -> [MetricReading]
}

/// All metrics of a process, in the order in which their families came first.
public final class MetricRegistry: Sendable {
    private let sources = Mutex<[any MetricSource]>([])

    public init() {}

    public func add(_ source: any MetricSource) {
        sources.withLock { $0.append(source) }
    }

    /// The values of all sources, each loop's added to those of the others.
    public func readings() -> [MetricReading] {
        var order: [MetricFamily] = []
        var samples: [MetricFamily: [MetricSample]] = [:]
        var places: [MetricFamily: [[String]: Int]] = [:]
        for reading in sources.withLock(\.self).flatMap({ $0.readings() }) {
            let family = reading.family
            if samples[family] == nil {
                order.append(family)
                samples[family] = []
            }
            for sample in reading.samples {
                let key = sample.labels.map(\.value)
                if let place = places[family]?[key] {
                    samples[family]?[place].add(sample.value)
                } else {
                    places[family, default: [:]][key] = samples[family]?.count ?? 0
                    samples[family, default: []].append(sample)
                }
            }
        }
        return order.map { MetricReading($0, samples[$0] ?? []) }
    }
}

extension MetricSample {
    fileprivate mutating func add(_ other: Value) {
        switch (value, other) {
        case (.number(let left), .number(let right)): value = .number(left + right)
        case (.histogram(let left), .histogram(let right)): value = .histogram(left + right)
        case (.number, .histogram), (.histogram, .number): break
        }
    }
}

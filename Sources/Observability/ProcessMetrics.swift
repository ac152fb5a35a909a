public import System
public import Telemetry

/// What the system tells of this process, by the names that Prometheus' own libraries have for it.
public struct ProcessMetrics: MetricSource {
    private let startedAt: Double
    private let version: String
    private let revision: String

    /// - Parameters:
    ///   - startedAt: when the process began.
    ///   - version: this build's.
    ///   - revision: what it was built from.
    public init(startedAt: WallClock, version: String, revision: String) {
        self.startedAt = Double(startedAt.milliseconds) / 1000
        (self.version, self.revision) = (version, revision)
    }

    private static let build = MetricFamily(.info, "gatehouse_build", "The version that runs.")
    private static let processor = MetricFamily(
        .counter, "process_cpu_seconds", unit: "seconds", "Processor time, of user and system together.")
    private static let resident = MetricFamily(
        .gauge, "process_resident_memory_bytes", unit: "bytes", "Memory that is in use.")
    private static let virtual = MetricFamily(
        .gauge, "process_virtual_memory_bytes", unit: "bytes", "Memory that addresses are taken for.")
    private static let descriptors = MetricFamily(.gauge, "process_open_fds", "Descriptors that are open.")
    private static let mostDescriptors = MetricFamily(.gauge, "process_max_fds", "Descriptors that may be open.")
    private static let start = MetricFamily(
        .gauge, "process_start_time_seconds", unit: "seconds", "When the process began, since 1970.")

    public func readings() -> [MetricReading] {
        let usage = ProcessUsage.now
        func reading(_ family: MetricFamily, _ number: Double?) -> MetricReading {
            MetricReading(family, number.map { [MetricSample($0)] } ?? [])
        }
        return [
            MetricReading(Self.build, [MetricSample([("version", version), ("revision", revision)], 1)]),
            reading(Self.processor, usage.processorSeconds),
            reading(Self.resident, usage.residentBytes.map(Double.init)),
            reading(Self.virtual, usage.virtualBytes.map(Double.init)),
            reading(Self.descriptors, usage.openDescriptors.map(Double.init)),
            reading(Self.mostDescriptors, DescriptorLimit.inEffect.map(Double.init)),
            reading(Self.start, startedAt),
        ]
    }
}

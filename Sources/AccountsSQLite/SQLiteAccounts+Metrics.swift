internal import System
public import Telemetry

extension SQLiteAccounts: MetricSource {
    private static let labels: [MetricSample.Label] = [("store", "sqlite")]
    private static let groupSizes = MetricFamily(
        .histogram, "gatehouse_store_group_size", "How many writes one commit was of.")
    private static let logBytes = MetricFamily(
        .gauge, "gatehouse_store_wal_bytes", unit: "bytes", "Size of the store's write-ahead log.")
    private static let lockedOut = MetricFamily(
        .counter, "gatehouse_store_busy", "How often another process had the lock for longer than a statement waits.")

    /// What is measured of the file and of who writes to it.
    public func readings() -> [MetricReading] {
        let log = (try? FileStatus(of: FileNames.resolved(settings.path) + "-wal"))?.size ?? 0
        return [
            MetricReading(
                Self.groupSizes, [MetricSample(Self.labels, .histogram(writer.groupSizes.reading))]),
            MetricReading(Self.logBytes, [MetricSample(Self.labels, Double(log))]),
            MetricReading(Self.lockedOut, [MetricSample(Self.labels, Double(writer.lockedOut.total))]),
        ]
    }
}

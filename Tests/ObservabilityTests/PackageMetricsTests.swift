import CoreMetrics
import Telemetry
import Testing

@testable import Observability

@Suite struct `Metrics of packages` {
    private func text(_ metrics: PackageMetrics) -> [String] {
        String(decoding: Exposition.prometheus.text(metrics.readings()), as: UTF8.self).split(separator: "\n")
            .map(String.init)
    }

    @Test func `are told as they are counted by swift-metrics`() {
        let metrics = PackageMetrics()
        let counter = metrics.makeCounter(label: "pool.checkouts", dimensions: [("pool.name", "main")])
        counter.increment(by: 2)
        metrics.makeCounter(label: "pool.checkouts", dimensions: [("pool.name", "main")]).increment(by: 3)
        metrics.makeMeter(label: "pool.size", dimensions: []).set(7.5)
        metrics.makeTimer(label: "pool.wait", dimensions: []).recordNanoseconds(3_000_000)
        metrics.makeRecorder(label: "batch", dimensions: [], aggregate: true).record(Int64(40))
        metrics.destroyCounter(counter)
        let lines = text(metrics)
        #expect(lines.contains(#"pool_checkouts_total{pool_name="main"} 5"#))
        #expect(lines.contains("pool_size 7.5"))
        #expect(lines.contains(#"pool_wait_seconds_bucket{le="0.005"} 1"#))
        #expect(lines.contains(#"pool_wait_seconds_bucket{le="0.0025"} 0"#))
        #expect(lines.contains("pool_wait_seconds_sum 0.003"))
        #expect(lines.contains(#"batch_bucket{le="50.0"} 1"#))
    }

    @Test func `have no name of ours, and none that is no name`() {
        let metrics = PackageMetrics()
        metrics.makeCounter(label: "gatehouse_sign_ins", dimensions: []).increment(by: 1)
        metrics.makeCounter(label: "7 of nine", dimensions: [("a\"b", "c\nd")]).increment(by: 1)
        let lines = text(metrics)
        #expect(lines.contains("package_gatehouse_sign_ins_total 1"))
        #expect(lines.contains(#"package_7_of_nine_total{a_b="c\nd"} 1"#))
    }

    @Test func `are no more than so many series, and one kind under one name`() {
        let metrics = PackageMetrics()
        for number in 0..<2 * PackageMetrics.maximumSeries {
            metrics.makeCounter(label: "requests", dimensions: [("path", "\(number)")]).increment(by: 1)
        }
        metrics.makeMeter(label: "requests", dimensions: []).set(1.0)
        #expect(metrics.readings().map(\.samples.count) == [PackageMetrics.maximumSeries])
    }
}

import Testing

@testable import Telemetry

@Suite struct `Metrics as text` {
    private static let readings = [
        MetricReading(
            MetricFamily(.counter, "gatehouse_things", "Things \\ with\na line."),
            [
                MetricSample([("name", "a \"b\" \\ \n")], 3), MetricSample([("name", "c")], 0.5),
            ]),
        MetricReading(
            MetricFamily(.histogram, "gatehouse_time_seconds", unit: "seconds", "How long."),
            [
                MetricSample(
                    [("route", "/a")],
                    .histogram(HistogramCounts(bounds: [0.5, 1], counts: [2, 0, 1], sum: 3.25)))
            ]),
        MetricReading(
            MetricFamily(.info, "gatehouse_build", "What runs."), [MetricSample([(name: "version", value: "1")], 1)]),
        MetricReading(MetricFamily(.gauge, "gatehouse_up", "Whether it is."), [MetricSample(1)]),
        MetricReading(MetricFamily(.gauge, "gatehouse_unknown", "Nobody knows."), []),
    ]

    @Test func `are Prometheus' own where nothing else is asked for`() {
        let exposition = Exposition(accept: "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
        #expect(exposition.contentType == "text/plain; version=0.0.4; charset=utf-8")
        #expect(
            String(decoding: exposition.text(Self.readings), as: UTF8.self) == #"""
                # HELP gatehouse_things_total Things \\ with\na line.
                # TYPE gatehouse_things_total counter
                gatehouse_things_total{name="a \"b\" \\ \n"} 3
                gatehouse_things_total{name="c"} 0.5
                # HELP gatehouse_time_seconds How long.
                # TYPE gatehouse_time_seconds histogram
                gatehouse_time_seconds_bucket{route="/a",le="0.5"} 2
                gatehouse_time_seconds_bucket{route="/a",le="1.0"} 2
                gatehouse_time_seconds_bucket{route="/a",le="+Inf"} 3
                gatehouse_time_seconds_count{route="/a"} 3
                gatehouse_time_seconds_sum{route="/a"} 3.25
                # HELP gatehouse_build_info What runs.
                # TYPE gatehouse_build_info gauge
                gatehouse_build_info{version="1"} 1
                # HELP gatehouse_up Whether it is.
                # TYPE gatehouse_up gauge
                gatehouse_up 1

                """#)
    }

    @Test func `name the trace in which a measured value can be looked at, to scrapers that take OpenMetrics`() throws {
        let observers = Observers([], tracer: Tracer(.init(sampler: Sampler(.alwaysOn, ratio: 1))))
        let histogram = LoopHistogram(seconds: [0.5, 1, 5])
        let request = observers.beginRequest("/a")
        let trace = try #require(request.scope?.trace)
        histogram.add(2_000_000_000, in: trace)
        request.end()
        histogram.add(750_000_000, in: trace)
        histogram.add(250_000_000)
        let reading = MetricReading(
            MetricFamily(.histogram, "gatehouse_time_seconds", unit: "seconds", "How long."),
            [
                MetricSample(
                    [], .histogram((histogram.reading + LoopHistogram(seconds: [0.5, 1, 5]).reading).coarser([1, 5])))
            ])
        let text = String(decoding: Exposition.openMetrics.text([reading]), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.contains("le=\"1.0\"") })
        let parts = line.split(separator: " ")
        #expect(parts.count == 6 && parts[1] == "2" && parts[2] == "#")
        #expect(parts[3] == "{trace_id=\"\(trace.id.text)\"}" && parts[4] == "0.75")
        #expect(Double(parts[5]).map { $0 > 1_700_000_000 } == true)
        // The other was measured before it was known that the trace is kept.
        #expect(text.split(separator: "\n").count { $0.contains("trace_id") } == 1)
        #expect(!String(decoding: Exposition.prometheus.text([reading]), as: UTF8.self).contains("trace_id"))
    }

    @Test func `are OpenMetrics where the scraper names that`() {
        let exposition = Exposition(
            accept: "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3")
        #expect(exposition.contentType == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        let text = String(decoding: exposition.text(Self.readings), as: UTF8.self)
        #expect(text.contains("# TYPE gatehouse_things counter\ngatehouse_things_total{"))
        #expect(text.contains("# TYPE gatehouse_time_seconds histogram\n# UNIT gatehouse_time_seconds seconds\n"))
        #expect(text.contains("# TYPE gatehouse_build info\ngatehouse_build_info{version=\"1\"} 1\n"))
        #expect(text.hasSuffix("gatehouse_up 1\n# EOF\n"))
    }

    @Test func `have what each loop has counted added up, and histograms with fewer bounds where these are asked for`()
    {
        struct Source: MetricSource {
            let count: LoopCount
            let histogram: LoopHistogram

            func readings() -> [MetricReading] {
                [
                    MetricReading(
                        MetricFamily(.counter, "a", "A."), [MetricSample([("l", "x")], Double(count.total))]),
                    MetricReading(
                        MetricFamily(.histogram, "b", "B."), [MetricSample([], .histogram(histogram.reading))]),
                ]
            }
        }
        /// One loop has not measured anything yet.
        struct Silent: MetricSource {
            func readings() -> [MetricReading] { [MetricReading(MetricFamily(.counter, "a", "A."), [])] }
        }
        let registry = MetricRegistry()
        registry.add(Silent())
        for number in 1...2 {
            let (count, histogram) = (LoopCount(), LoopHistogram(seconds: [0.001, 0.01, 1]))
            count.add(number)
            for nanoseconds in [1_000_000, 2_000_000, 500_000_000, 5_000_000_000] as [Int64] {
                histogram.add(nanoseconds)
            }
            registry.add(Source(count: count, histogram: histogram))
        }
        let readings = registry.readings()
        #expect(readings.map(\.family.name) == ["a", "b"])
        guard case .number(3) = readings[0].samples[0].value,
            case .histogram(let counts) = readings[1].samples[0].value
        else {
            Issue.record("\(readings)")
            return
        }
        #expect(readings[0].samples.count == 1 && readings[1].samples.count == 1)
        #expect(counts.counts == [2, 2, 2, 2] && counts.sum == 2 * 5.503)
        #expect(counts.coarser([0.01]).counts == [4, 4])
    }
}

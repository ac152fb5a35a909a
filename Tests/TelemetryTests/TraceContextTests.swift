import Telemetry
import Testing

@Suite struct `A trace that a sender names` {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    @Test func `is read with its sender's span, and whether that was kept`() throws {
        let kept = try #require(TraceContext(traceparent: "00-\(Self.trace)-\(Self.parent)-01"))
        #expect(kept.traceID == Self.trace)
        #expect(kept.parentID == Self.parent)
        #expect(kept.isSampled)
        #expect(TraceContext(traceparent: "00-\(Self.trace)-\(Self.parent)-00")?.isSampled == false)
        #expect(TraceContext(traceparent: "00-\(Self.trace)-\(Self.parent)-03")?.isSampled == true)
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-1", "00-\(trace)-\(parent)-01-",
        "ff-\(trace)-\(parent)-01",
        "00-\(trace.uppercased())-\(parent)-01", "00-\(trace.dropLast())g-\(parent)-01",
        "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
        "00_\(trace)_\(parent)_01", "01-\(trace)-\(parent)-01x", "00-\(trace)-\(parent)-0é",
        " 00-\(trace)-\(parent)-01",
    ])
    func `is none where the value is not well formed`(value: String) {
        #expect(TraceContext(traceparent: value) == nil)
    }

    @Test(arguments: ["01-\(trace)-\(parent)-01", "cc-\(trace)-\(parent)-01-what-comes-later"])
    func `is read from a later version as far as today's has it`(value: String) {
        #expect(TraceContext(traceparent: value)?.traceID == Self.trace)
    }
}

import Telemetry
import Testing

@Suite struct `A trace that a sender names` {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    @Test func `is read with its sender's span, and whether that was kept`() throws {
        let kept = try #require(TraceContext(traceparent: "00-\(Self.trace)-\(Self.parent)-01"))
        #expect(kept.traceID.text == Self.trace)
        #expect(kept.parentID.text == Self.parent)
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

    @Test func `has what tracing systems on the way have noted, unless it is too long or can stand in no field`() {
        func state(_ values: [String]) -> String? {
            TraceContext(traceparent: "00-\(Self.trace)-\(Self.parent)-01", tracestate: values)?.state
        }
        #expect(state(["a=1", "b=2,c=3"]) == "a=1,b=2,c=3")
        #expect(state([]) == nil && state(["", ""]) == nil)
        #expect(state([String(repeating: "a", count: 512)]) != nil)
        #expect(state([String(repeating: "a", count: 513)]) == nil)
        #expect(state(["a=1\r\nx: y"]) == nil && state(["é=1"]) == nil)
    }

    @Test(arguments: ["01-\(trace)-\(parent)-01", "cc-\(trace)-\(parent)-01-what-comes-later"])
    func `is read from a later version as far as today's has it`(value: String) {
        #expect(TraceContext(traceparent: value)?.traceID.text == Self.trace)
    }
}

internal import JSON
public import System
public import Telemetry

/// The body of a request that exports spans: OTLP's `ExportTraceServiceRequest` as JSON (opentelemetry-proto 1.11).
public struct TraceExportRequest: Sendable {
    /// A moment on both clocks, by which those of spans become times of day.
    public struct Moment: Sendable {
        let monotonic: MonotonicTime
        let wall: WallClock

        public init(_ monotonic: MonotonicTime, _ wall: WallClock) {
            (self.monotonic, self.wall) = (monotonic, wall)
        }

        public static var now: Moment { Moment(.now, .now) }

        /// Nanoseconds since 1970, as 64 bits are written in JSON.
        fileprivate func unixNanoseconds(_ time: MonotonicTime) -> String {
            let age = monotonic.nanoseconds - time.nanoseconds
            return "\(wall.seconds * 1_000_000_000 + wall.nanoseconds - age)"
        }
    }

    private static let bytesPerSpan = 900
    private static let isSampled: Int64 = 1
    /// That it is known whether the parent is of another process, and that it is.
    private static let (knowsRemote, isRemote): (Int64, Int64) = (0x100, 0x200)
    private static let (unset, error): (Int64, Int64) = (0, 2)

    private let resource: [SpanAttribute]
    private let store: String
    private let version: String

    /// - Parameters:
    ///   - resource: who sends the spans.
    ///   - store: what the store is, `sqlite` or `postgresql`.
    ///   - version: of this program.
    public init(resource: [SpanAttribute], store: String, version: String) {
        (self.resource, self.store, self.version) = (resource, store, version)
    }

    public func body(_ spans: [KeptSpan], at moment: Moment) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: spans.count * Self.bytesPerSpan + Self.bytesPerSpan)
        writer.object { body in
            body.name("resourceSpans")
            body.array { list in
                list.object { ofResource in
                    ofResource.name("resource")
                    ofResource.object { Self.write(resource, to: &$0) }
                    ofResource.name("scopeSpans")
                    ofResource.array { list in
                        list.object { ofScope in
                            ofScope.name("scope")
                            ofScope.object { scope in
                                scope.member("name", "gatehouse")
                                scope.member("version", version)
                            }
                            ofScope.name("spans")
                            ofScope.array { list in for span in spans { write(span, moment, to: &list) } }
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    private func write(_ kept: KeptSpan, _ moment: Moment, to writer: inout JSONWriter) {
        let span = ConventionalSpan(kept.span, store: store)
        writer.object { body in
            body.member("traceId", kept.trace.id.text)
            body.member("spanId", kept.id.text)
            if let parent = kept.parent { body.member("parentSpanId", parent.text) }
            if let state = kept.trace.state { body.member("traceState", state) }
            let isOfOthers = kept.span.parent == nil && kept.parent != nil
            body.member(
                "flags",
                Self.knowsRemote | (kept.trace.isSampled ? Self.isSampled : 0) | (isOfOthers ? Self.isRemote : 0))
            body.member("name", span.name)
            body.member("kind", span.kind.rawValue)
            body.member("startTimeUnixNano", moment.unixNanoseconds(kept.span.began))
            body.member("endTimeUnixNano", moment.unixNanoseconds(kept.span.ended))
            Self.write(span.attributes, to: &body)
            if case .call(let call)? = kept.span.detail { Self.write(call.phases, moment, to: &body) }
            body.name("status")
            body.object { $0.member("code", span.isError ? Self.error : Self.unset) }
        }
    }

    private static func write(_ phases: [CallPhase], _ moment: Moment, to writer: inout JSONWriter) {
        writer.name("events")
        writer.array { list in
            for phase in phases {
                list.object { event in
                    event.member("timeUnixNano", moment.unixNanoseconds(phase.at))
                    event.member("name", phase.name.rawValue)
                }
            }
        }
    }

    private static func write(_ attributes: [SpanAttribute], to writer: inout JSONWriter) {
        writer.name("attributes")
        writer.array { list in
            for attribute in attributes {
                list.object { body in
                    body.member("key", attribute.name)
                    body.name("value")
                    body.object { value in
                        switch attribute.value {
                        case .text(let text): value.member("stringValue", text)
                        case .number(let number): value.member("intValue", "\(number)")
                        }
                    }
                }
            }
        }
    }
}

/// A fact about a span or about who sends it.
public struct SpanAttribute: Sendable, Equatable {
    public enum Value: Sendable, Equatable {
        case text(String)
        case number(Int64)
    }

    public let name: String
    public let value: Value

    public init(_ name: String, _ value: Value) {
        (self.name, self.value) = (name, value)
    }

    init(_ name: String, _ text: String) { self.init(name, .text(text)) }

    init(_ name: String, _ number: Int) { self.init(name, .number(Int64(number))) }
}

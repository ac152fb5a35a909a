/// Chooses, as a trace begins, whether it is kept whatever becomes of it; by OpenTelemetry's names
/// (`OTEL_TRACES_SAMPLER`).
public struct Sampler: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case alwaysOn = "always_on"
        case alwaysOff = "always_off"
        case ratio = "traceidratio"
        case parentOrOn = "parentbased_always_on"
        case parentOrOff = "parentbased_always_off"
        case parentOrRatio = "parentbased_traceidratio"
    }

    /// All are chosen that no caller has chosen otherwise for.
    public static let standard = Sampler(.parentOrOn, ratio: 1)

    public let kind: Kind
    /// The part of all traces that is chosen, 0 to 1, where it is a ratio that chooses.
    public let ratio: Double
    /// Names below it are chosen.
    private let bound: UInt64

    public init(_ kind: Kind, ratio: Double) {
        self.kind = kind
        self.ratio = min(1, max(0, ratio))
        bound = UInt64(self.ratio * 0x1p63)
    }

    /// Whether nothing is traced at all, what fails and what is slow included.
    public var isOff: Bool { kind == .alwaysOff }

    /// - Parameters:
    ///   - id: of the trace. By it, all services that go by the same ratio choose the same.
    ///   - parent: what a caller has chosen; nil where there is none.
    func chooses(_ id: TraceID, parent: Bool?) -> Bool {
        switch kind {
        case .alwaysOn: true
        case .alwaysOff: false
        case .ratio: isWithinRatio(id)
        case .parentOrOn: parent ?? true
        case .parentOrOff: parent ?? false
        case .parentOrRatio: parent ?? isWithinRatio(id)
        }
    }

    private func isWithinRatio(_ id: TraceID) -> Bool { id.low & (1 << 63 - 1) < bound }
}

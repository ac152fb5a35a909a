import Synchronization
public import System
public import Telemetry
import Testing

/// Writes down the steps as they begin and end, and sees to it that each ends once.
public final class StepRecorder: Observer {
    public let hearsOfRequests = true
    private let heard = Mutex<[String]>([])
    private let open = Mutex<Set<StepID>>([])

    public init() {}

    public var lines: [String] { heard.withLock(\.self) }
    /// How many have begun and not ended.
    public var openCount: Int { open.withLock(\.count) }

    public func began(_ step: Step, _ id: StepID, partOf parent: StepID?) {
        let isNew = open.withLock { $0.insert(id).inserted }
        if !isNew { Issue.record("\(step) began twice") }
        heard.withLock { $0.append("> \(Self.name(step))") }
    }

    public func ended(
        _ step: Step, _ id: StepID, _ outcome: StepOutcome, from began: MonotonicTime, to end: MonotonicTime
    ) {
        let wasOpen = open.withLock { $0.remove(id) != nil }
        if !wasOpen { Issue.record("\(step) ended and had not begun, or ended twice") }
        heard.withLock { $0.append("< \(Self.name(step)) \(Self.name(outcome))") }
    }

    private static func name(_ step: Step) -> String {
        switch step {
        case .request(let route): "request \(route)"
        case .bulkhead(let provider): "bulkhead \(provider)"
        case .providerCall(let provider, let kind): "call \(provider) \(kind)"
        case .storeQueue: "queue"
        case .commit: "commit"
        case .hashing: "hashing"
        case .delivery(let provider, let kind): "delivery \(provider) \(kind)"
        }
    }

    private static func name(_ outcome: StepOutcome) -> String {
        switch outcome {
        case .done: "done"
        case .failed(let name): "failed: \(name)"
        case .abandoned: "abandoned"
        }
    }

    /// What is heard while `body` runs.
    public func during(_ body: () async throws -> Void) async throws -> [String] {
        let before = lines.count
        try await body()
        return Array(lines[before...])
    }
}

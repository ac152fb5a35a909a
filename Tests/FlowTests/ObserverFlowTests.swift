import Synchronization
import Telemetry
import Testing

@testable import gatehouse

/// Writes down the steps of requests, calls, bulkheads and deliveries as they begin and end.
private final class StepRecorder: Observer {
    private let heard = Mutex<[String]>([])
    private let open = Mutex<Set<StepID>>([])

    var lines: [String] { heard.withLock(\.self) }
    /// How many have begun and not ended.
    var openCount: Int { open.withLock(\.count) }

    func began(_ step: Step, _ id: StepID, partOf parent: StepID?) {
        _ = open.withLock { $0.insert(id) }
        heard.withLock { $0.append("> \(Self.name(step))") }
    }

    func ended(_ step: Step, _ id: StepID, _ outcome: StepOutcome, took: Duration) {
        let wasOpen = open.withLock { $0.remove(id) != nil }
        if !wasOpen { Issue.record("\(step) ended and had not begun, or ended twice") }
        heard.withLock { $0.append("< \(Self.name(step)) \(outcome)") }
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

    /// What is heard while `body` runs.
    func during(_ body: () async throws -> Void) async throws -> [String] {
        let before = lines.count
        try await body()
        return Array(lines[before...])
    }
}

@Suite struct `An observer` {
    @Test func `hears every step of a request begin and end, in order and once`() async throws {
        let recorder = StepRecorder()
        try await RunningGatehouse.with(observers: Observers([recorder])) { gatehouse in
            // Metadata and keys are fetched by the first.
            _ = try await gatehouse.signIn("ada")
            let code = try await gatehouse.authorize("ada")
            let signIn = try await recorder.during { _ = try await gatehouse.signIn(code) }
            #expect(
                signIn == [
                    "> request /auth/signin", "> bulkhead zenkey", "> call zenkey token", "< call zenkey token done",
                    "> call zenkey userinfo", "< call zenkey userinfo done", "< bulkhead zenkey done",
                    "< request /auth/signin done",
                ])
            let again = try await recorder.during { _ = try await gatehouse.signIn(code) }
            #expect(again.last == "< request /auth/signin failed(\"invalid_grant\")")
            let read = try await recorder.during {
                _ = try await gatehouse.call("GET", "/users/me", bearer: "x")
            }
            #expect(read == ["> request /users/me", "< request /users/me failed(\"invalid_token\")"])
            let health = try await recorder.during { _ = try await gatehouse.call("GET", "/healthz") }
            #expect(health == ["> request /healthz", "< request /healthz done"])
        }
        #expect(recorder.openCount == 0)
    }
}

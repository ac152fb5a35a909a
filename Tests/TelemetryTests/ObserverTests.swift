import Synchronization
import System
import Testing

@testable import Telemetry

/// Writes down what it hears.
private final class Recorder: Observer {
    let heard = Mutex<[String]>([])
    let hearsOfRequests: Bool

    init(hearsOfRequests: Bool = true) {
        self.hearsOfRequests = hearsOfRequests
    }

    func began(_ step: Step, _ id: StepID, partOf parent: StepID?) {
        heard.withLock { $0.append("began \(step)" + (parent == nil ? "" : " as a part")) }
    }

    func ended(_ step: Step, _ id: StepID, _ outcome: StepOutcome, from began: MonotonicTime, to end: MonotonicTime) {
        heard.withLock { $0.append("ended \(step) \(outcome) \(end >= began)") }
    }
}

@Suite struct `A step` {
    private struct Failure: Error {}

    @Test func `is told to all observers as it begins and as it ends, in order`() {
        let (first, second) = (Recorder(), Recorder())
        let observers = Observers([first, second])
        let outer = observers.begin(.commit)
        observers.begin(.storeQueue, partOf: outer.scope).end(.failed("full"))
        outer.end()
        for recorder in [first, second] {
            #expect(
                recorder.heard.withLock(\.self) == [
                    "began commit", "began storeQueue as a part", "ended storeQueue failed(full) true",
                    "ended commit done true",
                ])
        }
    }

    @Test func `that a request is costs those nothing who do not hear of requests`() {
        let (all, some) = (Recorder(), Recorder(hearsOfRequests: false))
        let observers = Observers([all, some])
        observers.beginRequest("/a").end()
        observers.begin(.hashing).end()
        #expect(all.heard.withLock(\.self).count == 4 && some.heard.withLock(\.self).count == 2)
        #expect(Observers([some]).beginRequest("/a").scope == nil)
    }

    @Test func `that nobody ends is abandoned, once`() throws {
        let recorder = Recorder()
        func work() throws {
            let step = Observers([recorder]).begin(.hashing)
            if step.scope != nil { throw Failure() }
            step.end()
        }
        #expect(throws: Failure.self) { try work() }
        #expect(recorder.heard.withLock(\.self) == ["began hashing", "ended hashing abandoned true"])
    }

    @Test func `of a task that is cancelled ends`() async {
        let recorder = Recorder()
        let task = Task {
            let step = Observers([recorder]).begin(.commit)
            try await Task.sleep(for: .seconds(3600))
            step.end()
        }
        task.cancel()
        _ = await task.result
        #expect(recorder.heard.withLock(\.self).last == "ended commit abandoned true")
    }

    @Test func `that is shared ends once, by any of its holders`() {
        let recorder = Recorder()
        let step = Observers([recorder]).beginShared(.storeQueue)
        step?.end(.failed("full"))
        step?.end()
        #expect(recorder.heard.withLock(\.self) == ["began storeQueue", "ended storeQueue failed(full) true"])
        #expect(Observers.none.beginShared(.storeQueue) == nil)
    }

    @Test func `is not even made where nobody looks`() {
        var made = 0
        func step() -> Step {
            made += 1
            return .commit
        }
        let open = Observers.none.begin(step())
        #expect(open.scope == nil)
        open.end()
        #expect(made == 0)
    }
}

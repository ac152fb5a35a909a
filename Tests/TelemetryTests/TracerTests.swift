import System
import Testing

@testable import Telemetry

/// Numbers that are no surprise.
private struct Countdown: RandomNumberGenerator {
    private var number: UInt64 = 1 << 60

    mutating func next() -> UInt64 {
        number -= 1
        return number
    }
}

@Suite struct `A tracer` {
    private static let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"

    private func traced(_ sampler: Sampler, slow: Duration = .seconds(3600), limit: Int = 2048) -> (Tracer, Observers) {
        var generator = Countdown()
        let tracer = Tracer(.init(sampler: sampler, slow: slow, queueLimit: limit), using: &generator)
        return (tracer, Observers([], tracer: tracer))
    }

    private func answer(
        _ observers: Observers, status: Int = 200, from context: TraceContext? = nil,
        _ steps: (StepScope?) -> Void = { _ in }
    ) {
        let request = observers.beginRequest("/a", from: context)
        steps(request.scope)
        request.end(.done, .request(AnsweredRequest(method: "GET", status: status)))
    }

    @Test func `keeps a request with all of its steps, the request last and as their parent`() throws {
        let (tracer, observers) = traced(Sampler(.alwaysOn, ratio: 1))
        answer(observers) { scope in
            observers.begin(.providerCall(provider: "a", kind: "token"), partOf: scope).end()
            observers.begin(.commit, partOf: scope).end(.done)
        }
        let kept = tracer.take(10)
        #expect(kept.map(\.span.step) == [.providerCall(provider: "a", kind: "token"), .commit, .request(route: "/a")])
        let root = try #require(kept.last)
        #expect(root.parent == nil)
        #expect(kept.dropLast().allSatisfy { $0.parent == root.id })
        #expect(Set(kept.map(\.id)).count == 3 && Set(kept.map(\.trace.id)).count == 1)
        #expect(kept.allSatisfy { $0.span.ended >= $0.span.began && $0.span.began >= root.span.began })
        #expect(tracer.waiting == 0)
    }

    @Test func `goes on with the caller's trace, and passes it on to those it calls`() throws {
        let (tracer, observers) = traced(Sampler(.parentOrRatio, ratio: 0))
        let context = try #require(TraceContext(traceparent: Self.traceparent + "-01", tracestate: ["a=1"]))
        var told: String?
        answer(observers, from: context) { scope in
            let call = observers.begin(.providerCall(provider: "a", kind: "token"), partOf: scope)
            told = call.scope?.traceparent
            #expect(call.scope?.trace?.state == "a=1")
            call.end()
        }
        let kept = tracer.take(10)
        #expect(kept.count == 2)
        #expect(kept.last?.parent?.text == "00f067aa0ba902b7")
        #expect(kept.allSatisfy { $0.trace.id.text == "4bf92f3577b34da6a3ce929d0e0e4736" })
        #expect(told == "00-4bf92f3577b34da6a3ce929d0e0e4736-\(kept[0].id.text)-01")
    }

    @Test
    func
        `keeps what was not chosen where something failed, where the answer is an error of ours, and where it was slow`()
        throws
    {
        let (tracer, observers) = traced(Sampler(.ratio, ratio: 0))
        answer(observers)
        #expect(tracer.waiting == 0)
        answer(observers) { observers.begin(.commit, partOf: $0).end(.failed("full")) }
        #expect(tracer.take(10).count == 2)
        answer(observers, status: 503)
        #expect(tracer.take(10).count == 1)
        // Whose token is refused, or who asks for what there is not, is the one at fault.
        answer(observers, status: 401)
        #expect(tracer.waiting == 0)
        let (slow, ofSlow) = traced(Sampler(.ratio, ratio: 0), slow: .zero)
        answer(ofSlow)
        #expect(slow.take(10).count == 1)
        let context = try #require(TraceContext(traceparent: Self.traceparent + "-00"))
        answer(observers, status: 500, from: context)
        #expect(tracer.take(1).first?.trace.isSampled == false)
    }

    @Test func `drops what nobody takes, counts it, and keeps the request of what is too much`() throws {
        let (tracer, observers) = traced(Sampler(.alwaysOn, ratio: 1), limit: 3)
        func steps(_ scope: StepScope?) { for _ in 0..<4 { observers.begin(.hashing, partOf: scope).end() } }
        answer(observers, steps)
        answer(observers, steps)
        #expect(tracer.waiting == 3)
        #expect(tracer.take(10).last?.span.step == .request(route: "/a"))
        #expect(dropped(tracer) == 7)
        answer(observers)
        #expect(tracer.waiting == 1)
    }

    @Test func `keeps no more steps of one request than a trace may have`() {
        let (tracer, observers) = traced(Sampler(.alwaysOn, ratio: 1), limit: 10_000)
        answer(observers) { scope in
            for _ in 0..<1000 { observers.begin(.hashing, partOf: scope).end() }
        }
        #expect(tracer.waiting == Trace.maximumSpans + 1)
        #expect(dropped(tracer) == Double(1000 - Trace.maximumSpans))
    }

    @Test func `takes back what could not be delivered, before all that has come since`() {
        let (tracer, observers) = traced(Sampler(.alwaysOn, ratio: 1))
        answer(observers)
        let first = tracer.take(10)
        answer(observers)
        tracer.giveBack(first)
        #expect(tracer.waiting == 2)
        #expect(tracer.take(1).map(\.id) == first.map(\.id))
    }

    @Test func `counts a commit to each request that it is of`() {
        let (tracer, observers) = traced(Sampler(.alwaysOn, ratio: 1))
        let first = observers.beginRequest("/a")
        let second = observers.beginRequest("/b")
        let scopes = [first.scope, second.scope].compactMap(\.self)
        let commit = observers.begin(.commit, partOfEach: scopes)
        commit.end(.done, .commit(writes: 2))
        first.end()
        second.end()
        let kept = tracer.take(10)
        #expect(kept.map(\.span.step) == [.commit, .request(route: "/a"), .commit, .request(route: "/b")])
        #expect(kept[0].parent == kept[1].id && kept[2].parent == kept[3].id)
        #expect(Set(kept.map(\.id)).count == 4)
    }

    @Test func `finds the request that a task works for, where nobody hands it on`() {
        let (tracer, observers) = traced(Sampler(.alwaysOn, ratio: 1))
        let request = observers.beginRequest("/a")
        StepScope.$current.withValue(request.scope) {
            observers.begin(.commit).end()
            observers.beginShared(.storeQueue)?.end()
            // It outlives the request, and is a part of its trace.
            let delivery = observers.beginAlone(.delivery(provider: "a", kind: "push"))
            delivery.end()
        }
        request.end()
        let kept = tracer.take(10)
        #expect(Set(kept.map(\.trace.id)).count == 1)
        #expect(kept.map(\.span.step).last == .request(route: "/a") && kept.count == 4)
        #expect(kept.dropLast().allSatisfy { $0.parent == kept.last?.id })
    }

    @Test func `hears nothing more of a request that has its answer`() {
        let (tracer, observers) = traced(Sampler(.alwaysOn, ratio: 1))
        let request = observers.beginRequest("/a")
        let late = observers.begin(.commit, partOf: request.scope)
        request.end()
        late.end()
        #expect(tracer.take(10).count == 1)
    }

    @Test(arguments: Sampler.Kind.allCases)
    func `chooses as OpenTelemetry's samplers do`(kind: Sampler.Kind) throws {
        let sampler = Sampler(kind, ratio: 0.25)
        let low = try #require(TraceID(digits: Array("00000000000000001fffffffffffffff".utf8)))
        let high = try #require(TraceID(digits: Array("00000000000000002000000000000000".utf8)))
        let expected: [Bool] =
            switch kind {
            case .alwaysOn: [true, true, true, true]
            case .alwaysOff: [false, false, false, false]
            case .ratio: [true, false, false, true]
            case .parentOrOn: [true, true, true, false]
            case .parentOrOff: [false, false, true, false]
            case .parentOrRatio: [true, false, true, false]
            }
        #expect(
            [
                sampler.chooses(low, parent: nil), sampler.chooses(high, parent: nil),
                sampler.chooses(high, parent: true), sampler.chooses(low, parent: false),
            ] == expected)
        #expect(sampler.isOff == (kind == .alwaysOff))
    }

    @Test func `chooses about as many as the ratio says`() {
        let (tracer, observers) = traced(Sampler(.ratio, ratio: 0.25), limit: 100_000)
        for _ in 0..<10_000 { answer(observers) }
        #expect((2300...2700).contains(tracer.waiting))
    }

    private func dropped(_ tracer: Tracer) -> Double? {
        guard case .number(let number)? = tracer.readings().first?.samples.first?.value else { return nil }
        return number
    }
}

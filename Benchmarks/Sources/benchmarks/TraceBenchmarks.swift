import System
import Telemetry

/// What a trace costs that nobody keeps, as 99 of 100 are.
enum TraceBenchmarks {
    private static let route: StepName = "/auth/signin"
    private static let provider: StepName = "plain"
    private static let token: StepName = "token"
    private static let userinfo: StepName = "userinfo"

    static var all: [Benchmark] {
        let tracer = Tracer(.init(sampler: Sampler(.ratio, ratio: 0), slow: .seconds(3600)))
        let observers = Observers([], tracer: tracer)
        return [
            Benchmark("trace-sign-in", rounds: 500) {
                let request = observers.beginRequest(route)
                let scope = request.scope
                let stay = observers.begin(.bulkhead(provider: provider), partOf: scope, unended: .done)
                call(token, observers, scope)
                call(userinfo, observers, scope)
                let turn = observers.beginShared(.storeQueue, partOf: scope)
                turn?.end()
                let commit = observers.begin(.commit, partOfEach: [turn?.parent].compactMap(\.self))
                commit.end(.done, .commit(writes: 1))
                stay.end()
                request.end(.done, .request(AnsweredRequest(method: "POST", status: 200, provider: "plain")))
                require(tracer.waiting == 0, "nothing is kept")
            }
        ]
    }

    private static func call(_ kind: StepName, _ observers: Observers, _ scope: StepScope?) {
        let step = observers.begin(.providerCall(provider: provider, kind: kind), partOf: scope)
        var call = OutboundCall(
            method: "POST", url: "https://op.example/token", namesSomebody: false, host: "op.example", port: 443)
        (call.status, call.reused, call.sent, call.answering) = (200, .now, .now, .now)
        step.end(.done, .call(call))
    }
}

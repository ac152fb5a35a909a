internal import Synchronization

/// The misbehaviours that are switched on, for all callers.
final class MisbehaviourSwitches: Sendable {
    private struct Rule: Sendable {
        let misbehaviour: Misbehaviour
        let endpoints: [SimulatedEndpoint]
        let issuer: SimulatedIssuer?
        /// How often it is still to happen; nil for ever.
        var timesLeft: Int?
    }

    private let rules = Mutex<[Rule]>([])

    /// Switches one on.
    ///
    /// - Parameters:
    ///   - endpoint: nil for those it is made for.
    ///   - issuer: nil for every one.
    ///   - times: nil until ``clear()``.
    func set(_ misbehaviour: Misbehaviour, at endpoint: SimulatedEndpoint?, of issuer: SimulatedIssuer?, times: Int?) {
        let endpoints = endpoint.map { [$0] } ?? misbehaviour.ownEndpoints ?? SimulatedEndpoint.calledByBackends
        let rule = Rule(misbehaviour: misbehaviour, endpoints: endpoints, issuer: issuer, timesLeft: times)
        rules.withLock { $0.append(rule) }
    }

    /// Switches all off.
    func clear() {
        rules.withLock { $0.removeAll() }
    }

    /// What to do wrong in one request, which counts as one time.
    func take(at endpoint: SimulatedEndpoint, of issuer: SimulatedIssuer) -> [Misbehaviour] {
        rules.withLock { rules in
            guard !rules.isEmpty else { return [] }
            var taken: [Misbehaviour] = []
            for index in rules.indices where rules[index].endpoints.contains(endpoint) {
                guard rules[index].issuer == nil || rules[index].issuer == issuer else { continue }
                if let left = rules[index].timesLeft {
                    guard left > 0 else { continue }
                    rules[index].timesLeft = left - 1
                }
                taken.append(rules[index].misbehaviour)
            }
            rules.removeAll { $0.timesLeft == 0 }
            return taken
        }
    }
}

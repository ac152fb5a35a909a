internal import Providers
internal import SignIn
internal import Synchronization
internal import Telemetry

/// The sign-ins of one loop, by provider and by what came of them.
///
/// Who is signed in is counted without a lock. A failure takes one, which nobody else ever wants but who scrapes.
final class SignInCounts: MetricSource, Sendable {
    private static let signIns = MetricFamily(
        .counter, "gatehouse_sign_ins", "Sign-ins, by what came of them.")
    private static let durations = MetricFamily(
        .histogram, "gatehouse_sign_in_duration_seconds", unit: "seconds",
        "From when a sign-in was read until its answer was made.")
    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// Where there is no provider, or it is not known yet what a sign-in is begun by.
    private static let none = "none"
    private static let kinds = SignInKind.allCases.map(\.rawValue) + [none]
    private static let done = ["signed_in", "registered", "migrated", "linked"]

    private struct Failure: Hashable {
        let kind: String
        let code: String
        let reason: String
    }

    private final class OfProvider: Sendable {
        let done = SignInCounts.kinds.map { _ in SignInCounts.done.map { _ in LoopCount() } }
        let failures = Mutex<[Failure: Int]>([:])
        let successful = LoopHistogram(seconds: SignInCounts.bounds)
        let failed = LoopHistogram(seconds: SignInCounts.bounds)
    }

    private let providers: [String: OfProvider]

    /// - Parameter providers: the names of all that are configured.
    init(_ providers: [String]) {
        self.providers = Dictionary((providers + [Self.none]).map { ($0, OfProvider()) }) { first, _ in first }
    }

    /// By the loop whose counts these are.
    ///
    /// - Parameter nanoseconds: how long it took.
    func count(_ context: RequestContext, _ error: ServiceError?, nanoseconds: Int64) {
        guard let counts = providers[context.provider ?? Self.none] ?? providers[Self.none] else { return }
        guard let error else {
            counts.done[Self.place(of: context.kind)][Self.place(of: context.signIn)].add()
            return counts.successful.add(nanoseconds, in: context.call.scope?.trace)
        }
        let answer = ErrorAnswer(error)
        let failure = Failure(
            kind: context.kind?.rawValue ?? Self.none, code: answer.code, reason: answer.reason ?? "")
        counts.failures.withLock { $0[failure, default: 0] += 1 }
        counts.failed.add(nanoseconds, in: context.call.scope?.trace)
    }

    private static func place(of kind: SignInKind?) -> Int {
        switch kind {
        case .code: 0
        case .native: 1
        case .browser: 2
        case .pushed: 3
        case nil: 4
        }
    }

    private static func place(of progress: RequestContext.SignInProgress?) -> Int {
        switch progress {
        case .signedIn, .begun, nil: 0
        case .newUser: 1
        case .migrated: 2
        case .linked: 3
        }
    }

    func readings() -> [MetricReading] {
        var signIns: [MetricSample] = []
        var durations: [MetricSample] = []
        for (name, counts) in providers.sorted(by: { $0.key < $1.key }) {
            for (kind, ofKind) in zip(Self.kinds, counts.done) {
                for (outcome, count) in zip(Self.done, ofKind) where count.total > 0 {
                    signIns.append(Self.sample(name, kind, outcome, "", count.total))
                }
            }
            let failures = counts.failures.withLock(\.self).sorted { left, right in
                (left.key.kind, left.key.code, left.key.reason) < (right.key.kind, right.key.code, right.key.reason)
            }
            for (failure, count) in failures {
                signIns.append(Self.sample(name, failure.kind, failure.code, failure.reason, count))
            }
            for (outcome, histogram) in [("ok", counts.successful), ("failed", counts.failed)] {
                let reading = histogram.reading
                guard reading.counts.contains(where: { $0 > 0 }) else { continue }
                durations.append(MetricSample([("provider", name), ("outcome", outcome)], .histogram(reading)))
            }
        }
        return [MetricReading(Self.signIns, signIns), MetricReading(Self.durations, durations)]
    }

    private static func sample(
        _ provider: String, _ kind: String, _ outcome: String, _ reason: String, _ count: Int
    ) -> MetricSample {
        MetricSample(
            [("provider", provider), ("kind", kind), ("outcome", outcome), ("reason", reason)], Double(count))
    }
}

internal import Accounts
internal import SignIn
internal import Synchronization
internal import Telemetry

/// What one loop has refused because it was too much, and how often sessions were renewed there.
final class RefusalCounts: MetricSource, Sendable {
    private static let limited = MetricFamily(
        .counter, "gatehouse_rate_limited", "Requests that were refused, since one client did something too often.")
    private static let overloads = MetricFamily(
        .counter, "gatehouse_overload_rejections", "Requests that were refused, since there was no room for them.")
    private static let refreshed = MetricFamily(
        .counter, "gatehouse_sessions_refreshed", "Sessions that were renewed by their refresh token.")

    private struct Counts {
        var limited: [String: Int] = [:]
        var overloads: [String: Int] = [:]
    }

    /// Nobody else ever wants the lock but who scrapes.
    private let counts = Mutex(Counts())
    private let refreshed = LoopCount()

    /// By the loop whose counts these are.
    ///
    /// - Parameter isRefresh: whether a session was to be renewed.
    func count(_ error: ServiceError?, isRefresh: Bool) {
        switch error {
        case nil: if isRefresh { refreshed.add() }
        case .rateLimited(let limit, _)?: counts.withLock { $0.limited[limit.name, default: 0] += 1 }
        case .polledTooOften?: counts.withLock { $0.limited["polls", default: 0] += 1 }
        case .pushedTooOften?: counts.withLock { $0.limited["pushes_of_user", default: 0] += 1 }
        case .overloaded?: counts.withLock { $0.overloads["provider", default: 0] += 1 }
        case .storageUnavailable(.overloaded)?: counts.withLock { $0.overloads["store", default: 0] += 1 }
        default: break
        }
    }

    func readings() -> [MetricReading] {
        let counts = counts.withLock(\.self)
        func samples(_ counts: [String: Int]) -> [MetricSample] {
            counts.sorted { $0.key < $1.key }.map { MetricSample([("limit", $0.key)], Double($0.value)) }
        }
        return [
            MetricReading(Self.limited, samples(counts.limited)),
            MetricReading(Self.overloads, samples(counts.overloads)),
            MetricReading(Self.refreshed, [MetricSample(Double(refreshed.total))]),
        ]
    }
}

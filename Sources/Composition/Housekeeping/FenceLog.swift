import Accounts
import Logging
import Synchronization

/// Tells that nothing is served from a database that lacks what was acknowledged, each minute, and when that is over.
final class FenceLog: Sendable {
    private static let interval = Duration.seconds(60)

    private let toldAt = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameter fault: nil where there is none.
    func tell(_ fault: RepositoryError?, _ logger: Logger) {
        let now = ContinuousClock.now
        let (isNews, wasTold) = toldAt.withLock { toldAt in
            let before = toldAt
            if fault == nil { toldAt = nil }
            let isDue = before.map { now - $0 >= Self.interval } ?? true
            if fault != nil, isDue { toldAt = now }
            return (isDue, before != nil)
        }
        if case .unavailable(let reason) = fault, isNews {
            logger.error(
                "nothing is served: the database is not the one that has everything", metadata: ["reason": "\(reason)"])
        } else if fault == nil, wasTold {
            logger.notice("the database has everything again")
        }
    }
}

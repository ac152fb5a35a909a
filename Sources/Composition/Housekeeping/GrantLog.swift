import Accounts
import Logging
import Providers
import SignIn
import Synchronization
import Telemetry

/// What the log says of attempts to tell providers what has ended here.
enum OutboxLog {
    static func tell(_ report: OutboxDelivery.Report, _ logger: Logger) {
        let message = report.message
        var metadata: Logger.Metadata = [
            "kind": .string(message.content.kind), "provider": .string(message.provider),
            "number": .stringConvertible(message.number), "attempts": .stringConvertible(message.attempts),
        ]
        if let facts = report.call.facts {
            metadata["step"] = .string(facts.step.name.text)
            if let host = facts.host { metadata["error_host"] = .string(host) }
            if let words = facts.words { metadata["provider_error"] = .stringConvertible(words) }
        }
        if case .status(let status)? = report.call.facts?.failure {
            metadata["status"] = .stringConvertible(status)
            if report.call.facts?.step == .directory, status == 401 || status == 403 {
                logger.error(
                    "the provider's directory refuses our token: userAPI is configured wrongly", metadata: metadata)
            }
        }
        switch report.settlement {
        case .done: logger.info("the provider was told", metadata: metadata)
        case .again(let time):
            metadata["again_at"] = .stringConvertible(time)
            logger.notice("the provider could not be told yet", metadata: metadata)
        case .givenUp:
            logger.error("the provider was not told, and will not be: given up", metadata: metadata)
        }
    }
}

/// Tells in the log how refreshes of providers' tokens fare, and what waits in the outbox: where there is something to
/// tell.
final class GrantLog: Sendable {
    private let last = Mutex<GrantCounts?>(nil)
    private let metrics: StoreMetrics

    init(_ metrics: StoreMetrics) {
        self.metrics = metrics
    }

    func tell(
        _ repository: any ProviderGrantRepository & OutboxRepository, now: Int64, _ logger: Logger
    ) async throws(RepositoryError) {
        let counts = try await repository.grantCounts()
        let outbox = try await repository.outboxStatus()
        let oldestSeconds = outbox.oldestAt.map { max(0, now - $0) } ?? 0
        metrics.note(pending: outbox.pending, oldestSeconds: oldestSeconds, counts)
        let before = last.withLock { last in
            defer { last = counts }
            return last ?? counts
        }
        guard counts != before || outbox.pending > 0 else { return }
        logger.info(
            "providers' tokens",
            metadata: [
                "refreshes": .stringConvertible(counts.refreshes - before.refreshes),
                "failed_refreshes": .stringConvertible(counts.failures - before.failures),
                "ended": .stringConvertible(counts.ended - before.ended),
                "outbox_pending": .stringConvertible(outbox.pending),
                "outbox_oldest_seconds": .stringConvertible(oldestSeconds),
            ])
    }
}

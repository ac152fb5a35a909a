import Accounts
import Logging
import SignIn
internal import System
import WebAPI

/// Writes down what was counted of failed sign-ins: one line of the log with the totals, and the counts in the store.
/// It does so once a minute and at the end, so that nobody can make it write more often by failing more often.
struct FailedSignInLog: Sendable {
    /// How long the counts are kept: long enough to see a week's pattern, and no longer than networks should be
    /// remembered.
    static let retentionSeconds: Int64 = 7 * 86_400

    let counter: FailedSignInCounter
    let repository: any FailedSignInRepository
    let clock: Clock
    let logger: Logger

    /// - Throws: `RepositoryError`; then the log has the totals, and the store nothing.
    func write() async throws(RepositoryError) {
        let counts = counter.take()
        guard !counts.isEmpty else { return }
        logger.notice("failed sign-ins", metadata: Self.totals(counts))
        let now = clock.seconds
        try await repository.addFailedSignIns(counts, at: now, expiresAt: now + Self.retentionSeconds)
    }

    static func totals(_ counts: [FailedSignInCount]) -> Logger.Metadata {
        var reasons: [(reason: String, count: Int)] = []
        for count in counts {
            if let index = reasons.firstIndex(where: { $0.reason == count.reason }) {
                reasons[index].count += count.count
            } else {
                reasons.append((count.reason, count.count))
            }
        }
        return [
            "count": .stringConvertible(counts.reduce(0) { $0 + $1.count }),
            "networks": .stringConvertible(Set(counts.compactMap(\.network)).count),
            "reasons": "\(reasons.map { "\($0.reason) \($0.count)" }.joined(separator: ", "))",
        ]
    }
}

package import Accounts
internal import Providers
import SignIn
import Synchronization
package import System
package import Telemetry

/// Asks providers again, some time after a sign-in, whether they still know what they have granted: sessions end whose
/// grant is over there (`invalid_grant`, RFC 6749 §5.2).
///
/// One look's answers are weighed before anything ends: a provider that refuses many at once has rather lost its
/// memory than its users.
package final class ProviderChecks: Sendable {
    /// What came of a provider's checks within one look.
    package struct Report: Equatable, Sendable {
        package let provider: String
        /// How many it has answered.
        package internal(set) var answered = 0
        package internal(set) var refused = 0
        /// How many live sessions have ended.
        package internal(set) var ended = 0
        /// It has refused too many: nothing has ended, and it is left alone for a while.
        package internal(set) var isStopped = false
    }

    /// How many grants one look takes, and how many are asked about at once.
    static let limit = 300
    private static let atOnce = 4
    /// What was not answered is asked again after so long, and so long is a provider left alone that refuses too many.
    static let pauseSeconds: Int64 = 3600
    /// The part of a look's checks beyond which refusals are not believed: one in twenty. One alone always is.
    private static let believable = 20

    private let repository: any ProviderGrantRepository
    private let vault: TokenVault
    private let intervalSeconds: Int64
    private let clock: Clock
    private let observers: Observers
    private let stoppedUntil = Mutex<[String: Int64]>([:])

    /// - Parameter intervalSeconds: how long after a provider's last word it is asked again.
    package init(
        repository: any ProviderGrantRepository, vault: TokenVault, intervalSeconds: Int64, clock: Clock,
        observers: Observers
    ) {
        (self.repository, self.vault, self.intervalSeconds, self.clock) = (repository, vault, intervalSeconds, clock)
        self.observers = observers
    }

    /// One look, to be taken once a minute.
    ///
    /// - Returns: what came of it for each provider that was asked, by name.
    package func run() async throws(RepositoryError) -> [Report] {
        let now = clock.seconds
        let due = now - intervalSeconds
        let grants = try await repository.takeGrantsToCheck(
            askedBefore: due, again: due + Self.pauseSeconds, limit: Self.limit, now: now
        ).filter { grant in stoppedUntil.withLock { $0[grant.provider, default: 0] <= now } }
        var reports: [Report] = []
        for (provider, grants) in Dictionary(grouping: grants, by: \.provider).sorted(by: { $0.key < $1.key }) {
            reports.append(try await check(grants, of: provider))
        }
        return reports
    }

    private func check(_ grants: [ProviderGrant], of provider: String) async throws(RepositoryError) -> Report {
        var report = Report(provider: provider)
        var refused: [ProviderGrant] = []
        for start in stride(from: 0, to: grants.count, by: Self.atOnce) where !Task.isCancelled {
            let answers = await withTaskGroup(of: (ProviderGrant, TokenVault.Check).self) { group in
                for grant in grants[start..<min(start + Self.atOnce, grants.count)] {
                    group.addTask { (grant, await self.ask(grant)) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            report.answered += answers.count { $0.1 != .unknown }
            refused += answers.filter { $0.1 == .refused }.map(\.0)
        }
        report.refused = refused.count
        guard refused.count <= max(1, report.answered / Self.believable) else {
            report.isStopped = true
            stoppedUntil.withLock { $0[provider] = clock.seconds + Self.pauseSeconds }
            try await repository.noteStoppedChecks(of: provider, now: clock.seconds)
            return report
        }
        for grant in refused {
            let line = NotBefore(drawnAt: clock.milliseconds, reauthenticate: false)
            report.ended +=
                try await repository.endSessions(withRefused: grant, line: line, now: clock.seconds) ?? 0
        }
        return report
    }

    private func ask(_ grant: ProviderGrant) async -> TokenVault.Check {
        await vault.check(grant, in: CallContext(observers, partOf: nil))
    }
}

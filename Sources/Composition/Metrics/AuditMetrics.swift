import Accounts
import Telemetry

/// What the audit trail gets, as metrics: which sessions were ended and why, and refresh tokens that were used twice.
final class AuditMetrics: AuditObserver, MetricSource {
    private static let revoked = MetricFamily(
        .counter, "gatehouse_sessions_revoked", "What has ended sessions, by the event of the audit trail.")
    private static let reused = MetricFamily(
        .counter, "gatehouse_refresh_reuse_detected",
        "Refresh tokens that were used again after their successor: somebody else had them.")
    private static let causes: [AuditEvent.Kind] = [
        .sessionRevoked, .sessionsRevoked, .refreshTokenReused, .appCodeReused, .consentWithdrawn, .identityUnlinked,
        .identityRepointed, .identityMigrated, .userLocked, .userErased, .usersMerged, .providerLogout,
        .providerConsentRevoked, .providerAccountDeleted, .providerAccountHijacked, .providerAccountDisabled,
        .providerSessionsRevoked, .providerTokensRevoked, .providerDeauthorized, .providerGrantEnded,
        .providerCheckRefused, .storeRestored, .storeRecovered,
    ]

    private let counts = Dictionary(uniqueKeysWithValues: AuditMetrics.causes.map { ($0, LoopCount()) })

    func noted(_ events: [NewAuditEvent]) {
        for event in events { counts[event.kind]?.addShared() }
    }

    func readings() -> [MetricReading] {
        let revoked = Self.causes.compactMap { kind in
            counts[kind].map { MetricSample([("cause", kind.rawValue)], Double($0.total)) }
        }
        return [
            MetricReading(Self.revoked, revoked),
            MetricReading(Self.reused, [MetricSample(Double(counts[.refreshTokenReused]?.total ?? 0))]),
        ]
    }
}

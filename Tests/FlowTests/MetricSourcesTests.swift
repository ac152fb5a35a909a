import Accounts
import Telemetry
import Testing

@testable import Composition
@testable import Operations

@Suite struct `What the process measures` {
    private func text(_ source: any MetricSource) -> [String] {
        String(decoding: Exposition.prometheus.text(source.readings()), as: UTF8.self).split(separator: "\n")
            .map(String.init)
    }

    @Test func `has the store's way, its connections, and what waits in it for providers`() async throws {
        let metrics = StoreMetrics(store: "postgresql")
        #expect(!text(metrics).contains { $0.hasPrefix("gatehouse_outbox_pending") })
        try await metrics.look { () throws(RepositoryError) in }
        metrics.note((serving: 7, connecting: 1))
        metrics.note(pending: 3, oldestSeconds: 40, GrantCounts(refreshes: 5, failures: 2, ended: 1))
        let lines = text(metrics)
        for line in [
            #"gatehouse_store_round_trip_seconds_count{store="postgresql"} 1"#,
            #"gatehouse_store_connections{store="postgresql",state="serving"} 7"#,
            #"gatehouse_store_connections{store="postgresql",state="connecting"} 1"#,
            "gatehouse_outbox_pending 3", "gatehouse_outbox_oldest_seconds 40",
            #"gatehouse_vault_refreshes_total{result="ok"} 5"#,
            #"gatehouse_vault_refreshes_total{result="failed"} 2"#,
        ] {
            #expect(lines.contains(line), "\(line): \(lines)")
        }
    }

    @Test func `has what ends sessions, and refresh tokens that were used again`() {
        let metrics = AuditMetrics()
        let origin = AuditOrigin(actor: .user, request: "request-1")
        metrics.noted(
            [AuditEvent.Kind.refreshTokenReused, .userLocked, .userLocked, .userCreated].map { kind in
                NewAuditEvent(at: 1, kind: kind, user: nil, oldIdentity: nil, newIdentity: nil, origin: origin)
            })
        let lines = text(metrics)
        #expect(lines.contains("gatehouse_refresh_reuse_detected_total 1"))
        #expect(lines.contains(#"gatehouse_sessions_revoked_total{cause="user_locked"} 2"#))
        #expect(!lines.contains { $0.contains("user_created") })
    }
}

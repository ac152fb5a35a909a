import Logging
import Providers
import System
import Telemetry
import WebAPI

/// Tells, by a line each, that sign-ins at a provider or writes of the store fail, and that they are well again.
struct HealthLog: Sendable {
    let providers: [Provider]
    let readiness: ServiceReadiness
    let clock: Clock
    let logger: Logger

    func look() {
        let (now, wall) = (MonotonicTime.now, clock.seconds)
        for provider in providers {
            let health = provider.outcomes.health(now: now, wall: wall)
            guard provider.outcomes.isNews(health) else { continue }
            tell(
                health, bad: "sign-ins at a provider fail", well: "sign-ins at a provider succeed again",
                ["provider": "\(provider.configuration.name)"])
        }
        let health = readiness.storeHealth(now: now)
        if readiness.isNews(health) {
            tell(health, bad: "writes of the store fail", well: "writes of the store are done again", [:])
        }
    }

    private func tell(_ health: Health, bad: String, well: String, _ about: Logger.Metadata) {
        var metadata = about
        metadata["failed"] = .stringConvertible(health.counts.failed)
        metadata["of"] = .stringConvertible(health.counts.count)
        guard health.state != .ok else { return logger.notice("\(well)", metadata: metadata) }
        metadata["state"] = "\(health.state.rawValue)"
        if let reason = health.lastReason { metadata["last_reason"] = "\(reason)" }
        logger.warning("\(bad)", metadata: metadata)
    }
}

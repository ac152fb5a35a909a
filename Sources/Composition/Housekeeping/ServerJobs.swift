import Accounts
import HTTPClient
import Logging
import Providers
import Settings
import SignIn
import System
import WebAPI
import Wings

/// All that a server does now and then: what the store and the keys need, what is told, and what wings bring.
struct ServerJobs {
    let settings: Settings
    let store: OpenStore
    let parts: APIParts
    let open: [OpenWing]
    let failedSignIns: FailedSignInLog
    let readiness: ServiceReadiness
    let loops: LoopMetrics
    let storeMetrics: StoreMetrics
    let common: CommonClock
    /// It takes a loop's HTTP client as sign-ins do.
    let transport: HTTPClient

    var all: [HousekeepingJob] {
        let (repository, clock, logger) = (store.repository, parts.clock, parts.logger)
        return HousekeepingJobs.all(
            repository: repository, keys: parts.keys, accessTokenSeconds: Int64(settings.session.accessTokenSeconds),
            clock: clock, logger: logger)
            + ofFile + ofStore + ofWings
            + [
                HousekeepingJobs.write(failedSignIns),
                HousekeepingJobs.tellOfClock(common, logger), HousekeepingJobs.look(at: loops),
                HousekeepingJobs.tell(
                    HealthLog(providers: parts.providers.all, readiness: readiness, clock: clock, logger: logger)),
            ]
    }

    private var ofStore: [HousekeepingJob] {
        let (repository, clock, logger) = (store.repository, parts.clock, parts.logger)
        return [
            HousekeepingJobs.settleAudit(repository, clock),
            HousekeepingJobs.forgetUnfinished(repository, settings.providers, clock),
            HousekeepingJobs.tellOfNarrowing(repository, parts.providers, parts.apps, clock, logger),
            HousekeepingJobs.tellOfFormerIssuers(repository, FormerIssuers(settings.providers), logger),
            HousekeepingJobs.followClock(repository, common, storeMetrics),
            HousekeepingJobs.beat(repository, parts.keys, clock, logger),
            HousekeepingJobs.tellOfGrants(repository, storeMetrics, clock, logger),
        ] + (settings.audit.retentionDays.map { [HousekeepingJobs.forgetEvents(repository, after: $0, clock)] } ?? [])
    }

    private var ofFile: [HousekeepingJob] {
        guard let file = store.file else { return [] }
        return [
            HousekeepingJobs.tidyLog(file, parts.clock), HousekeepingJobs.serveBackups(file),
            HousekeepingJobs.giveBackSpace(file),
        ]
    }

    private var ofWings: [HousekeepingJob] {
        let ofJobs = JobParts(
            repository: store.repository, providers: parts.providers, transport: transport, clock: parts.clock,
            observers: parts.observers, logger: parts.logger)
        let outbox = OutboxDelivery(
            repository: store.repository, providers: parts.providers, transport: transport, clock: parts.clock,
            giveUpSeconds: Int64(settings.outbox.giveUpHours) * 3600, observers: parts.observers,
            carriers: open.flatMap { $0.carriers(ofJobs) })
        return [HousekeepingJobs.deliver(outbox, parts.logger)] + open.flatMap { $0.jobs(ofJobs) }
    }
}

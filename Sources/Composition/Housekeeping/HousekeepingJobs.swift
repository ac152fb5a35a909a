import Accounts
import AccountsPostgres
import AccountsSQLite
import Apps
import Logging
import Providers
import Settings
import SignIn
internal import System
import Wings

/// What a server does now and then for what is not a wing's.
enum HousekeepingJobs {
    /// Between two looks for keys that another process has stored or retired: a retired key must be gone within five
    /// seconds. Such a look reads the names of a few keys.
    private static let keyInterval = Duration.seconds(2)
    /// Between two looks at the store's log, each of which is one system call.
    private static let logInterval = Duration.seconds(1)
    private static let interval = Duration.seconds(60)
    /// Between two looks at the store's clock, each of which is one statement that reads nothing, and at how it goes.
    private static let clockInterval = Duration.seconds(5)
    private static let rowsPerStep = 500
    private static let usersPerStep = 50
    private static let valuesPerStep = 200
    /// Between two steps of sealing anew, which may be many thousands.
    private static let pause = Duration.milliseconds(20)

    /// Everything a server does now and then, in small steps, so that no sign-in waits for it.
    static func all(
        repository: any AccountRepository, keys: SessionKeys, accessTokenSeconds: Int64, clock: Clock, logger: Logger
    ) -> [HousekeepingJob] {
        [
            takeOverKeys(repository, keys, clock, logger),
            retireOutlivedKeys(repository, accessTokenSeconds, clock, logger), sweep(repository, clock),
            sweepAfterADay(repository, clock),
            reseal(repository, logger), indexContacts(repository, logger),
        ]
    }

    /// Serves certificates that were renewed.
    static func look(at certificates: [ListenerCertificates], _ logger: Logger) -> [HousekeepingJob] {
        guard !certificates.isEmpty else { return [] }
        return [
            HousekeepingJob(interval: keyInterval, complaint: "the certificates could not be looked at") {
                for listener in certificates { listener.look(logger) }
            }
        ]
    }

    /// Takes over what became of the keys in the store: others were added, one was retired, the time of one has come.
    private static func takeOverKeys(
        _ repository: any SecretKeyRepository & SigningKeyRepository, _ keys: SessionKeys, _ clock: Clock,
        _ logger: Logger
    ) -> HousekeepingJob {
        HousekeepingJob(interval: keyInterval, complaint: "keys could not be read again") {
            _ = try await repository.reloadSecretKeys()
            if try await keys.reload(from: repository, now: clock.seconds) {
                logger.notice("session signing keys have changed", metadata: ["keys": .stringConvertible(keys.count)])
            }
        }
    }

    /// Lets session keys go that were replaced, once nothing they have signed is valid any more.
    private static func retireOutlivedKeys(
        _ repository: any SigningKeyRepository, _ accessTokenSeconds: Int64, _ clock: Clock, _ logger: Logger
    ) -> HousekeepingJob {
        HousekeepingJob(interval: interval, complaint: "old signing keys could not be retired", needsSteadyClock: true)
        {
            let count = try await SessionKeys.retireOutlived(
                in: repository, accessTokenSeconds: accessTokenSeconds, now: clock.seconds)
            if count > 0 {
                logger.notice("old signing keys are retired", metadata: ["keys": .stringConvertible(count)])
            }
        }
    }

    /// Removes the many rows that are of no use once they have expired, and what an erased user has left in the
    /// database's log.
    private static func sweep(_ repository: any MaintenanceRepository, _ clock: Clock) -> HousekeepingJob {
        HousekeepingJob(interval: interval, complaint: "expired rows could not be removed") {
            while !Task.isCancelled,
                try await repository.sweepExpired(now: clock.seconds, lingering: nil, limit: rowsPerStep) > 0
            {}
        }
    }

    /// For how long sessions and what else would be missed stay beyond their time, in seconds.
    private static let lingeringSeconds: Int64 = 86_400

    /// Removes everything that has expired a day ago. By a clock that was wrong for some seconds nobody would have a
    /// session any more.
    private static func sweepAfterADay(_ repository: any MaintenanceRepository, _ clock: Clock) -> HousekeepingJob {
        HousekeepingJob(interval: interval, complaint: "expired rows could not be removed", needsSteadyClock: true) {
            while !Task.isCancelled,
                try await repository.sweepExpired(
                    now: clock.seconds, lingering: lingeringSeconds, limit: rowsPerStep) > 0
            {}
        }
    }

    /// Tells once, soon after the start, how many live sessions the configuration has no room for any more.
    static func tellOfNarrowing(
        _ repository: any OperatorRepository, _ providers: ProviderRegistry, _ apps: AppRegistry, _ clock: Clock,
        _ logger: Logger
    ) -> HousekeepingJob {
        HousekeepingJob(interval: .seconds(Int64.max / 2), complaint: "live sessions could not be counted") {
            let counts = try await repository.sessionCounts(now: clock.seconds)
            for narrowed in SessionNarrowing.of(counts, providers: providers, apps: apps) {
                var metadata: Logger.Metadata = [
                    "provider": "\(narrowed.provider)", "sessions": .stringConvertible(narrowed.count),
                ]
                if let app = narrowed.app { metadata["client"] = "\(app)" }
                logger.warning("sessions end at their next refresh: \(narrowed.reason.rawValue)", metadata: metadata)
            }
        }
    }

    /// Goes by the store's clock in what instances compare with each other.
    static func followClock(
        _ repository: any MaintenanceRepository, _ common: CommonClock, _ metrics: StoreMetrics
    ) -> HousekeepingJob {
        HousekeepingJob(interval: clockInterval, complaint: "the store's clock could not be looked at") {
            if let database = repository as? PostgresAccounts { metrics.note(await database.connectionCounts()) }
            try await metrics.look { () throws(RepositoryError) in try await repository.look(at: common) }
        }
    }

    /// Between two counts of a second of a store that others could put back in time.
    private static let beatInterval = Duration.seconds(1)

    /// Looks, once a second, whether the database still has all that was acknowledged, and says so where it has not.
    static func beat(
        _ repository: any MaintenanceRepository & SigningKeyRepository, _ keys: SessionKeys, _ clock: Clock,
        _ logger: Logger
    ) -> HousekeepingJob {
        let word = FenceLog()
        return HousekeepingJob(
            interval: beatInterval, complaint: "it could not be noted how far the store has come"
        ) {
            do throws(RepositoryError) {
                let isNewEpoch = try await repository.beat()
                word.tell(nil, logger)
                guard isNewEpoch else { return }
            } catch .unavailable(.behind(let regression)) {
                return word.tell(.unavailable(.behind(regression)), logger)
            } catch {
                throw error
            }
            // What was signed by the keys of before is refused from now on.
            try await keys.reload(from: repository, now: clock.seconds)
            repository.enterEpoch()
            logger.notice("the store goes on in a new epoch")
        }
    }

    /// Tells, once a minute, that this machine's clock and the store's are apart.
    static func tellOfClock(_ common: CommonClock, _ logger: Logger) -> HousekeepingJob {
        HousekeepingJob(interval: interval, complaint: "the store's clock could not be compared") {
            let seconds = common.lead(of: .now) / 1000
            guard abs(seconds) > RefreshDecision.clockToleranceSeconds else { return }
            logger.warning(
                "this machine's clock is not the database server's; set both, for what expires is compared by them",
                metadata: ["ahead_s": .stringConvertible(seconds)])
        }
    }

    /// Tells once, soon after the start, how many users are still stored under a former name of their issuer.
    static func tellOfFormerIssuers(
        _ repository: any OperatorRepository, _ issuers: FormerIssuers, _ logger: Logger
    ) -> HousekeepingJob {
        HousekeepingJob(interval: .seconds(Int64.max / 2), complaint: "users of former issuers could not be counted") {
            guard issuers != .none else { return }
            let doubles = try await repository.doubleIdentities(after: nil, limit: doublesTold)
            for count in try await repository.identityCounts() {
                guard let current = issuers.all.first(where: { $0.former == count.issuer })?.current else { continue }
                logger.notice(
                    "users are stored under a former name of their issuer; each is moved by the next sign-in",
                    metadata: [
                        "provider": "\(count.provider)", "former": "\(count.issuer)", "current": "\(current)",
                        "users": .stringConvertible(count.count),
                    ])
            }
            guard !doubles.isEmpty else { return }
            logger.warning(
                "users have an account under either name of their issuer, and sign in to that under the current one",
                metadata: [
                    "users": "\(doubles.count == doublesTold ? "at least " : "")\(doubles.count)",
                    "list": "gatehouse users doubles",
                ])
        }
    }

    /// So many are counted at the start; the command lists them all.
    private static let doublesTold = 1000

    /// Between two looks for what goes on: a minute's repeats are told within so many seconds of its end.
    private static let repeatInterval = Duration.seconds(5)

    /// Tells in the audit trail how often the same thing has happened again.
    static func settleAudit(_ repository: any MaintenanceRepository, _ clock: Clock) -> HousekeepingJob {
        HousekeepingJob(interval: repeatInterval, complaint: "repeats could not be put into the audit trail") {
            // What goes on has its next minute begin with this step, so that no step finds it again.
            while !Task.isCancelled,
                try await repository.settleAudit(now: clock.seconds, limit: rowsPerStep) == rowsPerStep
            {}
        }
    }

    /// Removes events of the audit trail that are older than so many days, with pauses, so that nobody waits for it.
    static func forgetEvents(
        _ repository: any MaintenanceRepository, after days: Int, _ clock: Clock
    ) -> HousekeepingJob {
        HousekeepingJob(
            interval: interval, complaint: "old events could not be removed from the audit trail",
            needsSteadyClock: true
        ) {
            while !Task.isCancelled,
                try await repository.removeAuditEvents(
                    before: clock.seconds - Int64(days) * 86_400, limit: rowsPerStep) == rowsPerStep
            {
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Erases who has signed up at a provider's directory and never in.
    static func forgetUnfinished(
        _ repository: any DirectoryRepository, _ providers: [ProviderConfiguration], _ clock: Clock
    ) -> HousekeepingJob {
        let kept = providers.compactMap { provider in
            provider.userAPI.map { (name: provider.name, seconds: $0.limits.unfinishedSeconds) }
        }
        return HousekeepingJob(
            interval: interval, complaint: "unfinished sign-ups could not be erased", needsSteadyClock: true
        ) {
            for (name, seconds) in kept {
                while !Task.isCancelled,
                    try await repository.removeUnfinished(
                        of: name, before: clock.seconds - seconds, limit: usersPerStep, now: clock.seconds) > 0
                {}
            }
        }
    }

    /// Copies back what tools have written to the store, and empties the store's log of whom they have erased.
    static func tidyLog(_ repository: SQLiteAccounts, _ clock: Clock) -> HousekeepingJob {
        HousekeepingJob(interval: logInterval, complaint: "the store's log could not be looked after") {
            try await repository.tidyLog(now: clock.seconds)
        }
    }

    /// Gives back what the store's file does not need any more, in small steps.
    static func giveBackSpace(_ repository: SQLiteAccounts) -> HousekeepingJob {
        HousekeepingJob(interval: interval, complaint: "the store could not give back what it does not need") {
            while !Task.isCancelled, try await repository.giveBackSpace() { try? await Task.sleep(for: pause) }
        }
    }

    /// Makes the backups that `gatehouse store backup` asks for.
    static func serveBackups(_ repository: SQLiteAccounts) -> HousekeepingJob {
        HousekeepingJob(interval: logInterval, complaint: "a backup that a tool asked for could not be made") {
            try await repository.serveBackup()
        }
    }

    /// Tells providers what has ended here.
    static func deliver(_ outbox: OutboxDelivery, _ logger: Logger) -> HousekeepingJob {
        HousekeepingJob(interval: logInterval, complaint: "what providers are to be told could not be looked after") {
            try await outbox.deliver { OutboxLog.tell($0, logger) }
        }
    }

    /// Tells when sign-ins at a provider, or writes of the store, have gone bad, and when they are well again.
    static func tell(_ health: HealthLog) -> HousekeepingJob {
        HousekeepingJob(interval: clockInterval, complaint: "how sign-ins go could not be looked at") { health.look() }
    }

    /// Looks how soon the loops take up work.
    static func look(at loops: LoopMetrics) -> HousekeepingJob {
        HousekeepingJob(interval: logInterval, complaint: "the event loops could not be looked at") { loops.look() }
    }

    /// Tells once a minute what has become of refreshes, and what waits in the outbox.
    static func tellOfGrants(
        _ repository: any ProviderGrantRepository & OutboxRepository, _ metrics: StoreMetrics, _ clock: Clock,
        _ logger: Logger
    ) -> HousekeepingJob {
        let log = GrantLog(metrics)
        return HousekeepingJob(interval: interval, complaint: "refreshes could not be counted") {
            try await log.tell(repository, now: clock.seconds, logger)
        }
    }

    /// Writes down how many sign-ins have failed.
    static func write(_ failedSignIns: FailedSignInLog) -> HousekeepingJob {
        HousekeepingJob(interval: interval, complaint: "failed sign-ins could not be stored; the log has their number")
        {
            try await failedSignIns.write()
        }
    }

    /// Makes users findable by address and number who are not yet, and puts all of them under a new key.
    private static func indexContacts(_ repository: any MaintenanceRepository, _ logger: Logger) -> HousekeepingJob {
        HousekeepingJob(interval: interval, complaint: "the index of addresses and numbers could not be made") {
            var looked = 0
            while !Task.isCancelled {
                let step = try await repository.indexContacts(limit: valuesPerStep)
                if step == 0 { break }
                looked += step
                try? await Task.sleep(for: pause)
            }
            if looked > 0 {
                logger.notice("indexed addresses and numbers", metadata: ["users": .stringConvertible(looked)])
            }
        }
    }

    /// Finishes what a rotation of the data key has left to do.
    private static func reseal(_ repository: any DataKeyRepository, _ logger: Logger) -> HousekeepingJob {
        HousekeepingJob(interval: interval, complaint: "could not seal anew") {
            var looked = 0
            while !Task.isCancelled {
                let step = try await repository.reseal(limit: valuesPerStep)
                if step == 0 { break }
                looked += step
                try? await Task.sleep(for: pause)
            }
            if looked > 0 {
                logger.notice("sealed anew under the newest data key", metadata: ["values": .stringConvertible(looked)])
            }
        }
    }
}

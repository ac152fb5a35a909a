import Accounts
import Logging
import SignIn
import Synchronization

/// What must be done now and then: keys that another process has stored are taken over, rows that have expired go, and what
/// lies under older data keys is sealed anew; in small steps, so that no sign-in waits for them. What an erased user leaves
/// in the database's log goes with the expired rows.
final class Housekeeping: Sendable {
    private static let interval = Duration.seconds(60)
    private static let rowsPerStep = 500
    private static let valuesPerStep = 200
    /// Between two steps of sealing anew, which may be many thousands.
    private static let pause = Duration.milliseconds(20)

    private let repository: any AccountRepository
    private let keys: SessionKeys
    private let clock: Clock
    private let logger: Logger
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let stopped = Atomic(false)

    init(repository: any AccountRepository, keys: SessionKeys, clock: Clock, logger: Logger) {
        self.repository = repository
        self.keys = keys
        self.clock = clock
        self.logger = logger
    }

    /// Works until ``stop()``.
    func run() async {
        let work = Task { await self.work() }
        task.withLock { $0 = work }
        if stopped.load(ordering: .sequentiallyConsistent) { work.cancel() }
        await work.value
    }

    func stop() {
        stopped.store(true, ordering: .sequentiallyConsistent)
        task.withLock { $0 }?.cancel()
    }

    private func work() async {
        while !Task.isCancelled {
            await reloadKeys()
            await sweep()
            await reseal()
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func reloadKeys() async {
        do throws(SessionKeys.Failure) {
            if try await keys.reload(from: repository, now: clock.seconds) {
                logger.notice("session signing keys have changed", metadata: ["keys": "\(keys.count)"])
            }
        } catch {
            logger.warning("session signing keys could not be read again", metadata: ["reason": "\(error)"])
        }
    }

    /// Finishes what a rotation of the data key has left to do.
    private func reseal() async {
        var looked = 0
        do throws(RepositoryError) {
            while !Task.isCancelled {
                let step = try await repository.reseal(limit: Self.valuesPerStep)
                if step == 0 { break }
                looked += step
                try? await Task.sleep(for: Self.pause)
            }
            if looked > 0 { logger.notice("sealed anew under the newest data key", metadata: ["values": "\(looked)"]) }
        } catch {
            logger.warning("could not seal anew", metadata: ["reason": "\(error)", "values": "\(looked)"])
        }
    }

    private func sweep() async {
        do throws(RepositoryError) {
            while !Task.isCancelled,
                try await repository.sweepExpired(now: clock.seconds, limit: Self.rowsPerStep) > 0
            {}
        } catch {
            logger.warning("expired rows could not be removed", metadata: ["reason": "\(error)"])
        }
    }
}

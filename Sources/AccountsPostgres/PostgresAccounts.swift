public import Accounts
import EventLoop
import Postgres
import Synchronization
import System

/// Users in a PostgreSQL database, for any number of instances, all alike.
///
/// Every call goes to the connections of the loop that it comes from, and none keeps anything that another instance would need.
/// Each operation's SQL stands in the file of the operation.
public final class PostgresAccounts: Sendable {
    let settings: PostgresSettings
    let sealer: StoreSealer
    private let pools: [PostgresPool]
    private let next = Atomic<Int>(0)
    /// The secret keys as they were last read.
    let secretKeys = SecretKeyCache()
    let userIDs = NumberBlock(sequence: "user_ids")
    let identityIDs = NumberBlock(sequence: "identity_ids")

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - settings: where it is, and its limits.
    ///   - now: seconds since 1970.
    ///   - unlockKeyRing: opens the stored data keys with the master key.
    /// - Throws: `.noStore`, `.newerSchema`, `.wrongMasterKey`, `.unavailable`.
    public static func open(
        _ settings: PostgresSettings, now: Int64, unlockKeyRing: @escaping KeyRingUnlocker
    ) async throws(RepositoryError) -> PostgresAccounts {
        let store = PostgresAccounts(settings, StoreSealer(unlockKeyRing))
        do throws(RepositoryError) {
            if settings.migrates { _ = try await Schema.migrate(store) }
            _ = try await Schema.check(Work(store))
            try await store.begin(now: now)
            return store
        } catch {
            await store.close()
            throw error
        }
    }

    private init(_ settings: PostgresSettings, _ sealer: StoreSealer) {
        self.settings = settings
        self.sealer = sealer
        pools = settings.loops.map {
            PostgresPool(loop: $0, string: settings.address, durability: .durable, limits: settings.limits)
        }
    }

    /// Opens the keys, and makes those that are missing. Of instances that begin at once one makes them.
    private func begin(now: Int64) async throws(RepositoryError) {
        let ring = try await transact { work throws(RepositoryError) in
            try await KeyRingRows(work: work).unlock(self.sealer)
        }
        sealer.use(ring.sealer, of: ring.entries)
        let keys = try await transact { work throws(RepositoryError) in
            let rows = SecretKeyRows(work: work)
            try await rows.makeMissing(now: now)
            return try await rows.all()
        }
        secretKeys.use(keys)
    }

    /// The connections of the loop that this is called on, or of any.
    var pool: PostgresPool {
        if let own = pools.first(where: { $0.loop.isCurrent }) { return own }
        let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return pools[Int(turn.magnitude % pools.count.magnitude)]
    }

    /// Refuses what comes after with `.unavailable(.closed)`, and lets the store go.
    public func close() async {
        for pool in pools { await pool.close() }
        sealer.forget()
    }
}

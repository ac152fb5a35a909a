internal import Accounts
internal import Crypto
import SignIn
import Synchronization

/// The refreshes that are under way in this process: one at a time for a grant, for all callers on all loops.
///
/// A refresh belongs to nobody who waits for it: who goes away stops nothing, and the others get what it brings.
package final class GrantRefreshes: Sendable {
    enum Outcome: Sendable {
        /// They are on disk.
        case renewed(ProviderTokens)
        /// The grant is not the one any more that was found; another look tells what it is now.
        case superseded
        /// Somebody else refreshes it; after a moment another look tells what came of that.
        case elsewhere
        /// The provider has said that it is over, or the user has ended it here.
        case refused
        case failed(ServiceError)
    }

    /// What a refresh has brought and the store could not take. The provider may know the former token no more.
    struct Unstored: Sendable {
        let lease: GrantLease
        let tokens: ProviderTokens
    }

    private struct Refresh {
        let task: Task<Outcome, Never>
        var callers = 0
    }

    private struct State {
        var underWay: [IdentityID: Refresh] = [:]
        var unstored: [IdentityID: Unstored] = [:]
    }

    private static let holderBytes = 16

    /// The name of this process in leases.
    let holder = Random.bytes(holderBytes)
    /// Whether grants are checked now and then (``ProviderChecks``), which then decides what a refusal ends.
    let areChecked: Bool
    private let state = Mutex(State())

    package init(areChecked: Bool = false) {
        self.areChecked = areChecked
    }

    /// Refreshes a grant, or joins the refresh of it that is under way.
    func outcome(
        for identity: IdentityID, refresh: @escaping @Sendable (Unstored?) async -> Outcome
    ) async -> Outcome {
        let task = state.withLock { state in
            let unstored = state.unstored[identity]
            var joined = state.underWay[identity] ?? Refresh(task: Task { await run(refresh, unstored, identity) })
            joined.callers += 1
            state.underWay[identity] = joined
            return joined.task
        }
        return await task.value
    }

    private func run(
        _ refresh: @Sendable (Unstored?) async -> Outcome, _ unstored: Unstored?, _ identity: IdentityID
    ) async -> Outcome {
        let outcome = await refresh(unstored)
        state.withLock { $0.underWay[identity] = nil }
        return outcome
    }

    /// How many have asked for the refresh that is under way.
    func callers(of identity: IdentityID) -> Int { state.withLock { $0.underWay[identity]?.callers ?? 0 } }

    /// Keeps what must not be lost until the store takes it.
    func keep(_ unstored: Unstored) {
        state.withLock { $0.unstored[unstored.lease.grant.identity] = unstored }
    }

    func forget(_ unstored: Unstored) {
        state.withLock { $0.unstored[unstored.lease.grant.identity] = nil }
    }

    /// Those that wait for the store, and are not being stored at this moment.
    var waitingForStore: [IdentityID] {
        state.withLock { state in state.unstored.keys.filter { state.underWay[$0] == nil } }
    }

    /// Waits for what is under way: its answers must reach the disk before the store is closed.
    package func finish() async {
        for task in state.withLock({ $0.underWay.values.map(\.task) }) { _ = await task.value }
    }
}

public import Accounts
internal import EventLoop
public import System
public import Telemetry

/// Whether sign-ins can be served: the store takes writes, and our signing keys open.
///
/// A look is remembered for a second and shared by all who ask meanwhile, so that polling costs nothing. Beside it the
/// outcomes of the last real writes count: a small write may go through where a sign-in finds no room, and while
/// sign-ins go through there is nothing to try.
public actor ServiceReadiness {
    enum State: Equatable, Sendable {
        case ready(signingKeys: Int)
        case failing(RepositoryError)
        case withoutSigningKeys
        /// The server was told to stop.
        case draining
    }

    private static let lifetime = Duration.seconds(1)
    /// How long the caller waits for a look: behind many sign-ins it takes longer, and then the last one counts.
    private static let patience = Duration.milliseconds(40)
    private static let pause = Duration.milliseconds(5)
    /// A look that takes longer has met a store that says nothing.
    private static let longestLook = Duration.seconds(2)
    /// How long the store is not trusted after more writes have failed than were done. Without requests nothing fails.
    private static let mistrust = Duration.seconds(3)
    /// Between two looks while writes are done: what else may be wrong shows no sooner.
    private static let lookInterval = Duration.seconds(5)
    /// Fewer failures may be one connection's.
    private static let fewestFailures = 3

    private let repository: any MaintenanceRepository & SigningKeyRepository
    private let clock: Clock
    private let firstPatience: Duration
    private let elapsed: @Sendable (_ since: MonotonicTime) -> Duration
    private let storeWatch = HealthWatch(fewest: ServiceReadiness.fewestFailures)
    private var last: (state: State, at: MonotonicTime)?
    private var lookBegan: MonotonicTime?
    private var lookedAt: MonotonicTime?
    private var isDraining = false
    private var sampled = StoreOutcomes.Counts()
    private var mistrustedUntil: MonotonicTime?

    /// - Parameters:
    ///   - firstPatience: how long the caller waits for the first look, before which nothing is known.
    ///   - elapsed: how long a look took that began then.
    public init(
        repository: any MaintenanceRepository & SigningKeyRepository, clock: Clock,
        firstPatience: Duration = .seconds(2),
        elapsed: @escaping @Sendable (_ since: MonotonicTime) -> Duration = { .now - $0 }
    ) {
        (self.repository, self.clock, self.firstPatience, self.elapsed) = (repository, clock, firstPatience, elapsed)
        sampled = repository.outcomes.counts
    }

    /// How the store's writes have gone of late.
    public nonisolated func storeHealth(now: MonotonicTime) -> Health {
        let outcomes = repository.outcomes
        let counts = outcomes.counts
        return storeWatch.look(
            OutcomeWindow.Totals(done: counts.done, failed: counts.failed),
            lastReason: outcomes.lastCause.map { "\($0)" }, now: now, wall: clock.seconds)
    }

    /// Whether that is to be told.
    public nonisolated func isNews(_ health: Health) -> Bool { storeWatch.isNews(health) }

    /// From now on nothing is ready: a load balancer finds another place for its requests.
    public func drain() { isDraining = true }

    /// It answers soon, whatever the store does.
    func state(now: MonotonicTime) async -> State {
        if isDraining { return .draining }
        if let last, now - last.at < Self.lifetime { return last.state }
        if let proven = provenByWrites(now) { return proven }
        let before = last?.at
        beginLook(now)
        let end = MonotonicTime.now + (last == nil ? firstPatience : Self.patience)
        repeat {
            try? await Task.sleep(for: Self.pause)
            if let last, last.at != before { return isDraining ? .draining : last.state }
        } while MonotonicTime.now < end
        let isSilent = lookBegan.map { .now - $0 > Self.longestLook } ?? false
        return isSilent ? .failing(.unavailable(.uncertain)) : last?.state ?? .failing(.unavailable(.uncertain))
    }

    /// What was so stays so while writes are done; behind many of them a look would take long.
    private func provenByWrites(_ now: MonotonicTime) -> State? {
        guard let last, case .ready = last.state, mistrustedUntil == nil else { return nil }
        let counts = repository.outcomes.counts
        let since = counts - sampled
        guard since.done > since.failed else { return nil }
        sampled = counts
        self.last = (last.state, now)
        if lookedAt.map({ now - $0 >= Self.lookInterval }) ?? true { beginLook(now) }
        return last.state
    }

    private func beginLook(_ now: MonotonicTime) {
        guard lookBegan == nil else { return }
        let began = MonotonicTime.now
        lookBegan = began
        Task { [repository, clock] in
            let state = await Self.look(into: repository, now: clock.seconds)
            take(state, now + elapsed(began))
        }
    }

    private func take(_ state: State, _ now: MonotonicTime) {
        lookBegan = nil
        lookedAt = now
        let counts = repository.outcomes.counts
        let since = counts - sampled
        sampled = counts
        if case .failing(.unavailable(let reason)) = state, [.uncertain, .locked, .overloaded].contains(reason),
            since.done > since.failed, let last
        {
            // It was the crowd that it stood in.
            self.last = (last.state, now)
            return
        }
        if since.failed >= Self.fewestFailures, since.failed >= since.done {
            mistrustedUntil = now + Self.mistrust
        } else if let until = mistrustedUntil, until <= now {
            mistrustedUntil = nil
        }
        var state = state
        if case .ready = state, mistrustedUntil != nil {
            state = .failing(.unavailable(repository.outcomes.lastCause ?? .uncertain))
        }
        last = (state, now)
    }

    private static func look(into repository: any MaintenanceRepository & SigningKeyRepository, now: Int64) async
        -> State
    {
        do throws(RepositoryError) {
            try await repository.probe(now: now)
            let entries = try await repository.signingKeyEntries()
            let keys = entries.count { $0.purpose == .session && $0.retiredAt == nil }
            return keys > 0 ? .ready(signingKeys: keys) : .withoutSigningKeys
        } catch {
            return .failing(error)
        }
    }
}

public import Accounts
internal import EventLoop
public import System

/// Whether sign-ins can be served: the store takes writes, and our signing keys open.
///
/// A look is remembered for a second and shared by all who ask meanwhile, so that polling costs nothing.
public actor ServiceReadiness {
    enum State: Equatable, Sendable {
        case ready(signingKeys: Int)
        case failing(RepositoryError)
        case withoutSigningKeys
        /// The server was told to stop.
        case draining
    }

    private static let lifetime = Duration.seconds(1)

    private let repository: any MaintenanceRepository & SigningKeyRepository
    private let clock: Clock
    private var last: (state: State, at: MonotonicTime)?
    private var look: Task<State, Never>?
    private var isDraining = false

    public init(repository: any MaintenanceRepository & SigningKeyRepository, clock: Clock) {
        self.repository = repository
        self.clock = clock
    }

    /// From now on nothing is ready: whoever sends requests here finds another place for them.
    public func drain() { isDraining = true }

    func state(now: MonotonicTime) async -> State {
        if isDraining { return .draining }
        if let last, now - last.at < Self.lifetime { return last.state }
        if let look { return await look.value }
        let look = Task { [repository, clock] in await Self.look(into: repository, now: clock.seconds) }
        self.look = look
        let state = await look.value
        self.look = nil
        last = (state, .now)
        return state
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

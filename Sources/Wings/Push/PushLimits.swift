internal import Accounts
import SignIn
internal import Synchronization

/// How often users may be asked on their phones, and how often apps may ask what has come of it. Shared by all loops.
///
/// In memory and of this process: a restart forgets it, and with it how often somebody was asked before. That is at
/// most once more as often as is allowed.
package final class PushLimits: Sendable {
    /// What an operator allows.
    package struct Configuration: Sendable {
        /// How long an app's request lives, in seconds; at most 48 hours.
        package var lifetimeSeconds: Int64
        /// How often one hint may be pushed to in a window, by all apps together.
        package var pushesPerHint: Int
        /// In seconds.
        package var windowSeconds: Int64
        /// How many requests are kept.
        package var maximumPending: Int64

        package init(lifetimeSeconds: Int64, pushesPerHint: Int, windowSeconds: Int64, maximumPending: Int64) {
            (self.lifetimeSeconds, self.pushesPerHint) = (lifetimeSeconds, pushesPerHint)
            (self.windowSeconds, self.maximumPending) = (windowSeconds, maximumPending)
        }
    }

    /// Of one hint at one provider.
    private struct Hint {
        var pushedAt: [Int64] = []
        /// Until when somebody is asked, by whose request it is.
        var pending: [TokenHash: Int64] = [:]

        func isSpent(now: Int64, _ window: Int64) -> Bool {
            pushedAt.allSatisfy { $0 + window <= now } && pending.values.allSatisfy { $0 <= now }
        }
    }

    private struct Poll {
        var lastAt: Int64
        let expiresAt: Int64
    }

    private struct State {
        var hints: [TokenHash: Hint] = [:]
        var hintsSweptAt: Int64 = 0
        var polls: [TokenHash: Poll] = [:]
        /// How long the requests of each issuer have been seen to live, in seconds.
        var lifetimes: [String: Int64] = [:]
    }

    /// Hints, and requests that are asked for, that are remembered at once.
    private static let maximumRemembered = 100_000
    private static let maximumIssuers = 256
    /// In seconds: what a carrier says by mistake must not keep users from answering.
    private static let shortestLifetime: Int64 = 60
    /// How often at most what is over is looked for while there is no room, in seconds.
    private static let sweepPause: Int64 = 1

    package let configuration: Configuration
    private let state = Mutex(State())

    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// Takes one push of a hint's, for a request that is its owner's only one.
    ///
    /// - Parameters:
    ///   - owner: whose request it is, with the hint.
    ///   - instead: whether it takes the place of the owner's request that is pending.
    ///   - expiresAt: when that ends, in seconds since 1970.
    /// - Throws: `ServiceError.pushedTooOften`; `.overloaded` when no more hints can be remembered: then nobody is
    ///   asked, rather than somebody too often.
    func take(
        _ hint: TokenHash, of owner: TokenHash, instead: Bool, until expiresAt: Int64, now: Int64
    ) throws(ServiceError) {
        let window = configuration.windowSeconds
        let refusal: ServiceError? = state.withLock { state in
            if state.hints[hint] == nil, state.hints.count >= Self.maximumRemembered {
                // A clock that was put back must not stop this for good.
                guard !(state.hintsSweptAt..<state.hintsSweptAt + Self.sweepPause).contains(now) else {
                    return .overloaded
                }
                state.hintsSweptAt = now
                state.hints = state.hints.filter { !$0.value.isSpent(now: now, window) }
                if state.hints.count >= Self.maximumRemembered { return .overloaded }
            }
            var known = state.hints[hint] ?? Hint()
            if !instead, let until = known.pending[owner], until > now {
                return .pushedTooOften(retryAfterSeconds: until - now)
            }
            known.pushedAt = known.pushedAt.filter { $0 + window > now && $0 <= now }
            if known.pushedAt.count >= configuration.pushesPerHint, let first = known.pushedAt.first {
                return .pushedTooOften(retryAfterSeconds: max(1, first + window - now))
            }
            known.pushedAt.append(now)
            known.pending = known.pending.filter { $0.value > now }
            known.pending[owner] = expiresAt
            state.hints[hint] = known
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Notes that an owner's request has ended. What was pushed counts on.
    func release(_ hint: TokenHash, of owner: TokenHash) {
        state.withLock { _ = $0.hints[hint]?.pending.removeValue(forKey: owner) }
    }

    /// Whether a request is known here to be somebody's: who asks for others may be guessing.
    func isKnown(_ handle: TokenHash, now: Int64) -> Bool {
        state.withLock { state in state.polls[handle].map { $0.expiresAt > now } ?? false }
    }

    /// Notes that a request is somebody's.
    func remember(_ handle: TokenHash, until expiresAt: Int64, now: Int64) {
        state.withLock { state in
            if state.polls[handle] == nil, state.polls.count >= Self.maximumRemembered {
                state.polls = state.polls.filter { $0.value.expiresAt > now }
                // The rows are fewer, so what goes here is found in the store again.
                if state.polls.count >= Self.maximumRemembered { state.polls.removeAll() }
            }
            state.polls[handle] = Poll(lastAt: state.polls[handle]?.lastAt ?? .min, expiresAt: expiresAt)
        }
    }

    /// Takes one look at a request: at most once a second.
    ///
    /// - Throws: `ServiceError.polledTooOften`.
    func poll(_ handle: TokenHash, now: Int64) throws(ServiceError) {
        let isTooOften = state.withLock { state in
            guard let poll = state.polls[handle] else { return false }
            state.polls[handle]?.lastAt = now
            return poll.lastAt == now
        }
        if isTooOften { throw .polledTooOften }
    }

    /// How long a request to an issuer lives: as configured, or for less where the issuer has been seen to give less.
    /// It is the same for every user, so that nobody learns from it whom the carrier knows.
    func lifetime(at issuer: String) -> Int64 {
        state.withLock { min(configuration.lifetimeSeconds, $0.lifetimes[issuer] ?? .max) }
    }

    /// Notes how long an issuer lets a request live, in seconds.
    func learn(_ seconds: Int64, at issuer: String) {
        state.withLock { state in
            if state.lifetimes.count >= Self.maximumIssuers, state.lifetimes[issuer] == nil { state.lifetimes = [:] }
            state.lifetimes[issuer] = max(seconds, Self.shortestLifetime)
        }
    }
}

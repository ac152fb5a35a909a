internal import Accounts
internal import Providers
internal import SignIn
internal import Synchronization

/// What providers have sent that this process has acted on, logout tokens or events, for as long as it could come again
/// (OpenID Connect Back-Channel Logout 1.0 §2.6 step 8, RFC 8935 §2).
///
/// What comes again ends nothing that is not over; what this prevents is a write to the store each time that one is
/// sent again. So memory will do, and each instance has its own. Only what was verified gets here, so only providers
/// can fill it, and when they do the oldest go first: 4 MiB, a hundred thousand tokens and more.
package final class SeenTokens: Sendable {
    /// The greatest `clockSkewSeconds` that can be configured.
    private static let greatestSkew: Int64 = 3600

    private struct State {
        var underWay: Set<TokenHash> = []
        /// How many requests have each that may come twice at once.
        var shared: [TokenHash: Int] = [:]
        var seen: RecentHashes
    }

    /// From a token that is as far ahead as may be, to when it is too old.
    let memorySeconds: Int64
    private let state: Mutex<State>

    /// For logout tokens.
    package convenience init() {
        self.init(maximumAgeSeconds: LogoutTokenVerifier.maximumAgeSeconds)
    }

    /// - Parameters:
    ///   - maximumAgeSeconds: how old they may be when they come.
    ///   - maximumSlots: of one generation.
    package init(maximumAgeSeconds: Int64, maximumSlots: Int = 1 << 16) {
        memorySeconds = maximumAgeSeconds + 2 * Self.greatestSkew
        state = Mutex(
            State(seen: RecentHashes(bounds: .init(lifetime: memorySeconds, maximumSlots: maximumSlots))))
    }

    /// Whether one has come before, and what it says was done.
    func has(_ token: TokenHash, now: Int64) -> Bool {
        state.withLock { Self.has(token, $0, now: now) }
    }

    /// Claims a token for one request; ``release(_:hasEnded:now:)`` must follow.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: false when it has come before, or another request has it.
    func claim(_ token: TokenHash, now: Int64) -> Bool {
        state.withLock { Self.has(token, $0, now: now) ? false : $0.underWay.insert(token).inserted }
    }

    /// - Parameter hasEnded: whether what it names is over. Where the store could not end it, the provider may try
    ///   again.
    func release(_ token: TokenHash, hasEnded: Bool, now: Int64) {
        state.withLock { state in
            state.underWay.remove(token)
            if hasEnded { Self.remember(token, &state, now: now) }
        }
    }

    /// Begins with one that means something by where it comes alone; ``leave(_:)`` must follow.
    ///
    /// - Parameter others: the names that it has elsewhere.
    /// - Returns: false when it has come elsewhere, or is being taken there.
    func enter(_ token: TokenHash, butFor others: [TokenHash], now: Int64) -> Bool {
        state.withLock { state in
            for other in others where state.shared[other] != nil || Self.has(other, state, now: now) { return false }
            state.shared[token, default: 0] += 1
            return true
        }
    }

    func leave(_ token: TokenHash) {
        state.withLock { state in
            let count = state.shared[token, default: 1] - 1
            state.shared[token] = count == 0 ? nil : count
        }
    }

    /// Remembers one that was done.
    func remember(_ token: TokenHash, now: Int64) {
        state.withLock { Self.remember(token, &$0, now: now) }
    }

    private static func has(_ token: TokenHash, _ state: borrowing State, now: Int64) -> Bool {
        // The mark is of other bits of the hash, so that two tokens are not taken for one another.
        state.seen.mark(of: token, now: now).map { $0 == state.seen.mark(for: token) } ?? false
    }

    private static func remember(_ token: TokenHash, _ state: inout State, now: Int64) {
        state.seen.remember(token, state.seen.mark(for: token), now: now)
    }
}

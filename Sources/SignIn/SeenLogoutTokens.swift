internal import Accounts
internal import OpenIDConnect
internal import Synchronization

/// The logout tokens that this process has acted on, for as long as they could come again (OpenID Connect Back-Channel Logout
/// 1.0 §2.6 step 8).
///
/// A token that comes again ends nothing that is not over; what this keeps from whoever holds one is a write to the store for
/// each time. So memory will do, and each instance has its own. Only verified tokens get here, so only providers can fill it,
/// and when they do the oldest go first: 4 MiB, a hundred thousand tokens and more.
public final class SeenLogoutTokens: Sendable {
    /// The greatest `clockSkewSeconds` that can be configured.
    private static let greatestSkew: Int64 = 3600
    /// From a token that is as far ahead as may be, to when it is too old.
    static let memorySeconds = LogoutTokenVerifier.maximumAgeSeconds + 2 * greatestSkew

    private struct State {
        var underWay: Set<TokenHash> = []
        var seen: RecentHashes
    }

    private let state: Mutex<State>

    public convenience init() {
        self.init(maximumSlots: 1 << 16)
    }

    /// - Parameter maximumSlots: of one generation.
    init(maximumSlots: Int) {
        state = Mutex(
            State(seen: RecentHashes(bounds: .init(lifetime: Self.memorySeconds, maximumSlots: maximumSlots))))
    }

    /// Claims a token for one request; ``release(_:hasEnded:now:)`` must follow.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: false when it has come before, or another request has it.
    func claim(_ token: TokenHash, now: Int64) -> Bool {
        state.withLock { state in
            // The mark is of other bits of the hash, so that two tokens are not taken for one another.
            if let mark = state.seen.mark(of: token, now: now), mark == state.seen.mark(for: token) { return false }
            return state.underWay.insert(token).inserted
        }
    }

    /// - Parameter hasEnded: whether what it names is over. Where the store could not end it, the provider may try again.
    func release(_ token: TokenHash, hasEnded: Bool, now: Int64) {
        state.withLock { state in
            state.underWay.remove(token)
            if hasEnded { state.seen.remember(token, state.seen.mark(for: token), now: now) }
        }
    }
}

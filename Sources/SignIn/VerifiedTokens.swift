internal import Crypto
internal import Synchronization

/// Access tokens of ours whose signature and claims were found good: the next use of one takes no public-key operation.
///
/// Only what can't change any more is remembered. Whether a token's time is over, and whether its session lives, is
/// asked at each use. A change of keys forgets everything, so a token of a retired key is refused as ever.
///
/// There are two generations. The younger one takes what is new or used; when it is full, it becomes the older one,
/// whose tokens go. So what is in use stays, and no use takes longer than another.
final class VerifiedTokens: Sendable {
    private struct State {
        var keys: SessionKeySet
        var younger: [TokenHash: VerifiedToken] = [:]
        var older: [TokenHash: VerifiedToken] = [:]
    }

    private let maximumCount: Int
    private let state: Mutex<State>

    /// - Parameter maximumCount: how many are remembered at most; none for fewer than two.
    init(maximumCount: Int, keys: SessionKeySet) {
        self.maximumCount = maximumCount
        state = Mutex(State(keys: keys))
    }

    /// What was found of a token, or else what `verify` finds.
    ///
    /// - Parameters:
    ///   - keys: those that count now.
    ///   - verify: nil for a token that is not good, of which nothing is remembered.
    func token(
        _ text: String, by keys: SessionKeySet, verify: (String) -> VerifiedToken?
    ) -> VerifiedToken? {
        guard maximumCount > 1, text.utf8.count <= TokenIssuer.maximumTokenBytes else { return verify(text) }
        let hash = TokenHash(of: text)
        if let known = known(hash, by: keys) { return known }
        guard let found = verify(text) else { return nil }
        state.withLock { state in
            // Other keys may count by now, of which this says nothing.
            if state.keys === keys { insert(found, hash, &state) }
        }
        return found
    }

    private func known(_ hash: TokenHash, by keys: SessionKeySet) -> VerifiedToken? {
        state.withLock { state in
            guard state.keys === keys else {
                state = State(keys: keys)
                return nil
            }
            if let known = state.younger[hash] { return known }
            guard let known = state.older.removeValue(forKey: hash) else { return nil }
            insert(known, hash, &state)
            return known
        }
    }

    private func insert(_ token: VerifiedToken, _ hash: TokenHash, _ state: inout State) {
        if state.younger.count >= maximumCount / 2 {
            state.older = state.younger
            state.younger = [:]
        }
        state.younger[hash] = token
    }
}

/// What a good access token says.
struct VerifiedToken: Sendable {
    let issuer: String
    let bearer: TokenIssuer.Bearer
    /// Seconds since 1970.
    let expiresAt: Int64
}

/// The SHA-256 of a token: who reads the memory finds nothing to show anybody.
private struct TokenHash: Hashable {
    private static let wordBytes = 8
    private let words: [4 of UInt64]

    init(of token: String) {
        words = Digest.sha256.withHash(of: token.utf8.span) { hash in
            [4 of UInt64] { word in
                (0..<Self.wordBytes).reduce(0) { $0 << 8 | UInt64(hash[word * Self.wordBytes + $1]) }
            }
        }
    }

    static func == (one: Self, other: Self) -> Bool {
        one.words.indices.allSatisfy { one.words[$0] == other.words[$0] }
    }

    // Which tokens are good nobody chooses, and each word of a hash is as good as all.
    func hash(into hasher: inout Hasher) { hasher.combine(words[0]) }
}

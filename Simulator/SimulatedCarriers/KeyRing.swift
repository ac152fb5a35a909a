internal import Crypto
internal import JOSE
internal import JSON
internal import Synchronization

/// A private key with what its tokens and its JWK say of it.
struct SigningKey: Sendable {
    let id: String
    let algorithm: SignatureAlgorithm
    let key: PrivateKey

    var jwk: JSONObject { key.publicKey.jwk(keyID: id, algorithm: algorithm) }
}

/// An issuer's keys: one for each algorithm, or several, all of which a rotation replaces.
final class KeyRing: Sendable {
    private struct State {
        var generation = 0
        var current: [SigningKey]
        /// The first algorithm's key before the last rotation, or one that was never published.
        var retired: SigningKey
    }

    private let owner: String
    private let algorithms: [SignatureAlgorithm]
    private let state: Mutex<State>

    /// - Parameter algorithms: at least one. An algorithm that stands there twice has two keys.
    init(owner: String, algorithms: [SignatureAlgorithm]) throws(CryptoError) {
        self.owner = owner
        self.algorithms = algorithms
        let current = try Self.keys(of: owner, algorithms, generation: 0)
        let retired = try Self.key(of: "\(owner) before", current.first?.algorithm ?? .rs256, generation: 0)
        state = Mutex(State(current: current, retired: retired))
    }

    /// The published keys.
    var published: [SigningKey] { state.withLock { $0.current } }

    /// A key that is no longer published.
    var retired: SigningKey { state.withLock { $0.retired } }

    /// The key for an algorithm; the first algorithm's for nil or one that the issuer has no key for.
    func key(for algorithm: SignatureAlgorithm?) -> SigningKey {
        state.withLock { state in
            state.current.first { $0.algorithm == algorithm } ?? state.current.first ?? state.retired
        }
    }

    /// The first algorithm's second key; its first one where it has no other.
    var second: SigningKey {
        state.withLock { state in
            let first = state.current.first ?? state.retired
            return state.current.dropFirst().first { $0.algorithm == first.algorithm } ?? first
        }
    }

    /// Replaces all keys. What the old ones signed can no longer be verified.
    func rotate() throws(CryptoError) {
        let generation = state.withLock { $0.generation } + 1
        let keys = try Self.keys(of: owner, algorithms, generation: generation)
        state.withLock { state in
            state.generation = max(generation, state.generation)
            state.retired = state.current.first ?? state.retired
            state.current = keys
        }
    }

    /// Replaces all keys by others of the same names, as a provider does that names its keys by what they are for.
    func exchange() throws(CryptoError) {
        let generation = state.withLock { $0.generation } + 1
        let keys = try Self.keys(of: owner, algorithms, generation: generation)
        state.withLock { state in
            state.generation = max(generation, state.generation)
            state.current = zip(state.current, keys).map { former, key in
                SigningKey(id: former.id, algorithm: key.algorithm, key: key.key)
            }
        }
    }

    private static func keys(
        of owner: String, _ algorithms: [SignatureAlgorithm], generation: Int
    ) throws(CryptoError) -> [SigningKey] {
        var keys: [SigningKey] = []
        for algorithm in algorithms {
            let name = keys.contains { $0.algorithm == algorithm } ? "\(owner) too" : owner
            keys.append(try key(of: name, algorithm, generation: generation))
        }
        return keys
    }

    static func key(
        of owner: String, _ algorithm: SignatureAlgorithm, generation: Int
    ) throws(CryptoError) -> SigningKey {
        let key = try KeyPool.key(of: owner, for: algorithm, generation: generation)
        return SigningKey(id: key.publicKey.thumbprint, algorithm: algorithm, key: key)
    }
}

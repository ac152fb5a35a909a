import Crypto
import JOSE
import JSON
import Synchronization

/// A private key, and what tokens and key sets call it.
struct SigningKey: Sendable {
    let id: String
    let algorithm: SignatureAlgorithm
    let key: PrivateKey

    /// - Parameter isNamed: whether it has a `kid`.
    func jwk(isNamed: Bool = true) -> JSONObject {
        key.publicKey.jwk(keyID: isNamed ? id : nil, algorithm: algorithm)
    }
}

/// The keys of all scripted providers: an RSA key takes a tenth of a second to make.
enum ProviderKeys {
    private struct Slot: Hashable {
        let algorithm: SignatureAlgorithm
        let generation: Int
    }

    /// One that no provider publishes by itself.
    static let unpublished = -1

    private static let made = Mutex<[Slot: SigningKey]>([:])

    /// - Parameter generation: how many there were before.
    static func key(_ algorithm: SignatureAlgorithm, generation: Int) throws -> SigningKey {
        let slot = Slot(algorithm: algorithm, generation: generation)
        return try made.withLock { made in
            if let key = made[slot] { return key }
            let kind: PrivateKey.Kind = algorithm == .es256 ? .ellipticCurve(.p256) : .rsa(bits: 2048)
            let key = SigningKey(
                id: "\(algorithm.rawValue)-\(generation)", algorithm: algorithm, key: try .generate(kind))
            made[slot] = key
            return key
        }
    }
}

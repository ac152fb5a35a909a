internal import Crypto
internal import Synchronization

/// The private keys of all simulations in this process.
///
/// An RSA key takes a tenth of a second to make. A test process runs many simulations, so the same issuer has the same
/// key in each of them; two issuers never share one.
enum KeyPool {
    private struct Slot: Hashable {
        let owner: String
        let algorithm: SignatureAlgorithm
        let generation: Int
    }

    private static let keys = Mutex<[Slot: PrivateKey]>([:])

    /// - Parameters:
    ///   - owner: whose key it is.
    ///   - generation: how many keys for that algorithm the owner had before.
    static func key(
        of owner: String, for algorithm: SignatureAlgorithm, generation: Int
    ) throws(CryptoError) -> PrivateKey {
        let slot = Slot(owner: owner, algorithm: algorithm, generation: generation)
        return try keys.withLock { keys throws(CryptoError) in
            if let key = keys[slot] { return key }
            let key = try PrivateKey.generate(kind(algorithm))
            keys[slot] = key
            return key
        }
    }

    private static func kind(_ algorithm: SignatureAlgorithm) -> PrivateKey.Kind {
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa(bits: 2048)
        case .es256: .ellipticCurve(.p256)
        case .es384: .ellipticCurve(.p384)
        case .es512: .ellipticCurve(.p521)
        case .edDSA: .ed25519
        }
    }
}

internal import Crypto
public import JOSE
import Synchronization

/// The keys of ours that assertions are signed with where a provider has none of its own: at most one of each algorithm
/// signs.
public final class ClientKeys: Sendable {
    public static let tokenType = "JWT"

    private let signers: Mutex<[SignatureAlgorithm: JWTSigner]>

    public init() { signers = Mutex([:]) }

    /// Signs with other keys from the next assertion on.
    public func use(_ signers: [JWTSigner]) {
        let signers = Dictionary(signers.map { ($0.algorithm, $0) }) { first, _ in first }
        self.signers.withLock { $0 = signers }
    }

    func signer(_ algorithm: SignatureAlgorithm) -> JWTSigner? { signers.withLock { $0[algorithm] } }
}

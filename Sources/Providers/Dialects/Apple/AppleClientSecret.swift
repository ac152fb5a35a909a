public import Crypto
internal import JOSE
internal import JSON
import Synchronization

/// The client secret that Apple asks for: a token of ours, signed with a key that it has given out, which is posted as
/// any secret is. It is made as rarely as it may be and as often as is safe: while one is good, a thief of it can act
/// as us.
public final class AppleClientSecret: Sendable {
    /// Apple takes half a year; an hour is enough for requests that are sent at once.
    private static let lifetimeSeconds: Int64 = 3600
    /// Another one is made when less than this is left, in seconds, so that none ends on its way or by another clock.
    private static let leastRemainingSeconds: Int64 = 300
    private static let audience = "https://appleid.apple.com"

    private struct Made {
        let proof: ClientProof
        let expiresAt: Int64
    }

    let clientID: String
    let teamID: String
    private let signer: JWTSigner
    private let made = Mutex<Made?>(nil)

    /// - Parameters:
    ///   - teamID: the `iss`, ten characters, from the developer account.
    ///   - keyID: the `kid` that Apple has given the key.
    ///   - key: of curve P-256, from the `.p8` file.
    /// - Throws: `CryptoError.algorithmMismatch` for a key of another kind.
    public init(clientID: String, teamID: String, keyID: String, key: PrivateKey) throws(CryptoError) {
        (self.clientID, self.teamID) = (clientID, teamID)
        signer = try JWTSigner(key: key, algorithm: .es256, type: nil, keyID: keyID)
    }

    func proof(now: Int64) throws(ProviderCallError) -> ClientProof {
        let known = made.withLock(\.self)
        // A clock that was put back must not keep one for longer than it is good.
        if let known,
            (known.expiresAt - Self.lifetimeSeconds..<known.expiresAt - Self.leastRemainingSeconds).contains(now)
        {
            return known.proof
        }
        let expiresAt = now + Self.lifetimeSeconds
        var claims = JSONWriter(reservingCapacity: 192)
        claims.object { claims in
            claims.member("iss", teamID)
            claims.member("iat", now)
            claims.member("exp", expiresAt)
            claims.member("aud", Self.audience)
            claims.member("sub", clientID)
        }
        guard let secret = try? signer.sign(claims.bytes) else { throw .noClientKey }
        let proof = ClientProof.posted(clientID: clientID, secret: Secret(secret))
        made.withLock { $0 = Made(proof: proof, expiresAt: expiresAt) }
        return proof
    }
}

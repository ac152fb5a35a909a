public import Accounts
public import Crypto
internal import JOSE
internal import JSON

/// The keys our session tokens are signed with: the newest signs, all of them verify.
///
/// They live in the store, sealed, so that every instance signs and publishes the same ones.
public struct SessionKeys: Sendable {
    public static let tokenType = "at+jwt"

    let signer: JWTSigner
    let verifying: JWKSet
    /// The JWK set document for `/.well-known/jwks.json`.
    public let document: [UInt8]

    /// Why there are no keys to sign with.
    public enum Failure: Error, Sendable {
        case repository(RepositoryError)
        case crypto(CryptoError)
        /// A stored key can't be read.
        case unreadableKey
    }

    /// Reads the keys from the repository and makes the first one on the first start.
    ///
    /// - Parameter now: seconds since 1970.
    public static func load(from repository: any AccountRepository, now: Int64) async throws(Failure) -> SessionKeys {
        var stored = try await Self.stored(in: repository)
        if stored.isEmpty {
            let key: SigningKey
            do throws(CryptoError) {
                let privateKey = try PrivateKey.generate(.ellipticCurve(.p256))
                key = SigningKey(
                    kid: privateKey.publicKey.thumbprint, privateKey: try privateKey.pemRepresentation().revealedBytes,
                    createdAt: now)
            } catch {
                throw .crypto(error)
            }
            do throws(RepositoryError) { try await repository.addSigningKey(key) } catch { throw .repository(error) }
            // Another instance may have been first: what is stored counts.
            stored = try await Self.stored(in: repository)
        }
        return try SessionKeys(stored)
    }

    private static func stored(in repository: any AccountRepository) async throws(Failure) -> [SigningKey] {
        do throws(RepositoryError) { return try await repository.signingKeys() } catch { throw .repository(error) }
    }

    /// - Parameter keys: the newest first, at least one.
    init(_ keys: [SigningKey]) throws(Failure) {
        var signers: [JWTSigner] = []
        for key in keys {
            guard let privateKey = try? PrivateKey(pem: Secret(key.privateKey)),
                let signer = try? JWTSigner(key: privateKey, algorithm: .es256, type: Self.tokenType)
            else { throw .unreadableKey }
            signers.append(signer)
        }
        guard let newest = signers.first else { throw .unreadableKey }
        signer = newest
        let set: JSONValue = ["keys": .array(signers.map { .object($0.jwkJSON) })]
        document = set.serialized
        do {
            verifying = try JWKSet(set, maximumKeyCount: signers.count)
        } catch {
            throw .unreadableKey
        }
    }
}

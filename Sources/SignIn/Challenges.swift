internal import Accounts
internal import Crypto
internal import JOSE
import Syntax
internal import System

/// Nonces that this service issues for an app's authorization request (OpenID Connect Core §3.1.2.1): proof that the
/// sign-in was asked for a moment ago, and once.
///
/// A challenge is `gh.` and the base64url of key number (4 bytes), expiry (8), the milliseconds of the second in which
/// it was issued (2), random bytes (14) and the HMAC-SHA-256 of all that (32). Nothing is stored to issue one, and
/// every instance knows it for one of ours.
public struct Challenges: Sendable {
    /// One that was answered.
    struct Answered: Sendable {
        let use: OneTimeUse
        /// When it was issued, in milliseconds since 1970.
        let issuedAt: Int64
    }

    /// How long a challenge is good for, in seconds: long enough for a user who looks for the phone.
    public static let lifetimeSeconds: Int64 = 300
    /// How long after its replacement the key of challenges must be kept, in seconds: for as long as a challenge lives,
    /// and until every instance has heard of the new one.
    public static let keyMemorySeconds = lifetimeSeconds + 60

    /// What every challenge begins with, so that an app's own nonce is told from one without asking the store.
    private static let mark = "gh."
    private static let numberBytes = 4
    private static let expiryBytes = 8
    private static let millisecondBytes = 2
    private static let randomBytes = 14
    private static let contentBytes = numberBytes + expiryBytes + millisecondBytes + randomBytes

    private let repository: any ChallengeRepository & SecretKeyRepository
    private let clock: Clock

    init(repository: any ChallengeRepository & SecretKeyRepository, clock: Clock) {
        (self.repository, self.clock) = (repository, clock)
    }

    /// A new challenge, as the text of a nonce.
    public func issue() async throws(ServiceError) -> String {
        guard let key = try await keys().first else { throw .storageUnavailable(.corrupt) }
        let now = clock.milliseconds
        let content =
            Self.bytes(key.number, count: Self.numberBytes)
            + Self.bytes(now / 1000 + Self.lifetimeSeconds, count: Self.expiryBytes)
            + Self.bytes(now % 1000, count: Self.millisecondBytes) + Random.bytes(Self.randomBytes)
        return Self.mark + Base64URL.encode(content + Self.tag(of: content, under: key))
    }

    /// The challenge that a nonce is, to be used up by the transaction that makes use of it.
    ///
    /// - Parameter isRequired: whether a nonce that is none of ours is refused. Where it is not, one of ours still
    ///   counts once and for its time only.
    /// - Returns: nil for a nonce of the app's own.
    /// - Throws: `ServiceError.invalidChallenge`.
    func challenge(in nonce: String, isRequired: Bool) async throws(ServiceError) -> Answered? {
        guard let (expiry, milliseconds) = try await times(of: nonce) else {
            if isRequired { throw .invalidChallenge }
            return nil
        }
        let challenge = OneTimeUse(hash: TokenHash(sha256: nonce), expiresAt: expiry)
        let now = clock.seconds
        guard now < expiry else { throw .invalidChallenge }
        let isUsed = try await stored { () throws(RepositoryError) in
            try await repository.isChallengeUsed(challenge.hash, now: now)
        }
        if isUsed { throw .invalidChallenge }
        return Answered(use: challenge, issuedAt: (expiry - Self.lifetimeSeconds) * 1000 + milliseconds)
    }

    /// When a challenge of ours expires, in seconds since 1970, and the milliseconds of the second of its issue; nil
    /// for a nonce of the app's own.
    ///
    /// - Throws: `ServiceError.invalidChallenge` for one that has the form of ours and is proven by no key. Its key may
    ///   be gone, as after a change of the master key, and then nobody could tell that it is used a second time.
    private func times(of nonce: String) async throws(ServiceError) -> (expiry: Int64, milliseconds: Int64)? {
        guard nonce.hasPrefix(Self.mark), let bytes = Base64URL.decode(String(nonce.dropFirst(Self.mark.count))),
            bytes.count == Self.contentBytes + Digest.sha256.byteCount
        else { return nil }
        let content = Array(bytes[..<Self.contentBytes])
        guard let key = try await key(Self.number(content[..<Self.numberBytes])),
            constantTimeEqual(Self.tag(of: content, under: key), Array(bytes[Self.contentBytes...]))
        else { throw .invalidChallenge }
        let times = content[Self.numberBytes...]
        let milliseconds = Self.number(times.dropFirst(Self.expiryBytes).prefix(Self.millisecondBytes))
        // One of an earlier version has random bytes there: it counts as of the second's beginning.
        return (Self.number(times.prefix(Self.expiryBytes)), milliseconds < 1000 ? milliseconds : 0)
    }

    /// The key of that number; nil when it is none, or none any more.
    func key(_ number: Int64) async throws(ServiceError) -> SecretKey? {
        let known = try await keys()
        if let key = known.first(where: { $0.number == number }) { return key }
        // Another instance may have made it under a newer key. Numbers only grow, so what is older is gone for good.
        guard let newest = known.first, number > newest.number else { return nil }
        let isRenewed = try await stored { () throws(RepositoryError) in
            try await repository.reloadSecretKeys()
        }
        return isRenewed ? try await keys().first { $0.number == number } : nil
    }

    /// The newest comes first.
    func keys() async throws(ServiceError) -> [SecretKey] {
        try await stored { () throws(RepositoryError) in
            try await repository.secretKeys(for: .challenge)
        }
    }

    private static func tag(of content: [UInt8], under key: SecretKey) -> [UInt8] {
        HMAC.sha256(content, key: key.bytes)
    }

    /// The low bytes of a number, the highest first.
    private static func bytes(_ number: Int64, count: Int) -> [UInt8] {
        (1...count).map { UInt8(truncatingIfNeeded: number >> Int64(8 * (count - $0))) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
}

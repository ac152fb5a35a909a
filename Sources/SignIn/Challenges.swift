public import Accounts
internal import JOSE

/// Nonces that this service issues for an app's authorization request (OpenID Connect Core §3.1.2.1): proof that the
/// sign-in was asked for a moment ago, and once.
public struct Challenges: Sendable {
    /// How long a challenge is good for, in seconds: long enough for a user who looks for the phone.
    public static let lifetimeSeconds: Int64 = 300

    /// What every challenge begins with, so that an app's own nonce is told from one without asking the store.
    private static let mark = "gh."

    private let repository: any AccountRepository
    private let clock: Clock

    public init(repository: any AccountRepository, clock: Clock) {
        self.repository = repository
        self.clock = clock
    }

    /// A new challenge, as the text of a nonce.
    public func issue() async throws(SignInError) -> String {
        let expiresAt = clock.seconds + Self.lifetimeSeconds
        let challenge = try await repository.stored { repository throws(RepositoryError) in
            try await repository.makeChallenge(expiresAt: expiresAt)
        }
        return Self.mark + Base64URL.encode(challenge)
    }

    /// The challenge that a nonce is, to be used up by the transaction that makes use of it.
    ///
    /// - Parameter isRequired: whether a nonce that is none of ours is refused. Where it is not, one of ours still counts
    ///   once and for its time only.
    /// - Returns: nil for a nonce of the app's own.
    /// - Throws: `SignInError.challengeRequired`, `.invalidChallenge`.
    func challenge(in nonce: String?, isRequired: Bool) async throws(SignInError) -> OneTimeUse? {
        guard let nonce else {
            if isRequired { throw .challengeRequired }
            return nil
        }
        let expiry: Int64?
        if nonce.hasPrefix(Self.mark), let bytes = Base64URL.decode(String(nonce.dropFirst(Self.mark.count))) {
            expiry = try await repository.stored { repository throws(RepositoryError) in
                try await repository.challengeExpiry(of: bytes)
            }
        } else {
            expiry = nil
        }
        guard let expiry else {
            if isRequired { throw .invalidChallenge }
            return nil
        }
        let challenge = OneTimeUse(hash: TokenHash(sha256: nonce), expiresAt: expiry)
        let now = clock.seconds
        guard now < expiry else { throw .invalidChallenge }
        let isUsed = try await repository.stored { repository throws(RepositoryError) in
            try await repository.isChallengeUsed(challenge.hash, now: now)
        }
        if isUsed { throw .invalidChallenge }
        return challenge
    }
}

/// Nonces that the server issues. Nothing is stored until one is used, so nobody can fill the store by asking for them.
public protocol ChallengeRepository: Sendable {
    /// A new challenge: its expiry and 128 random bits, sealed, so that every instance knows it for one of ours.
    ///
    /// - Parameter expiresAt: seconds since 1970, from when on it must not be taken.
    func makeChallenge(expiresAt: Int64) async throws(RepositoryError) -> [UInt8]

    /// - Returns: when a challenge expires, in seconds since 1970; nil when it is none of ours.
    func challengeExpiry(of challenge: [UInt8]) async throws(RepositoryError) -> Int64?

    /// Whether a challenge was used before. What records its use decides for good.
    func isChallengeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool
}

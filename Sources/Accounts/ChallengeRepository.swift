/// Which of the nonces that the server issues were used. Nothing is stored until one is, so nobody can fill the store by asking
/// for them.
public protocol ChallengeRepository: Sendable {
    /// Whether a challenge was used before. What records its use decides for good.
    func isChallengeUsed(_ hash: TokenHash, now: Int64) async throws(RepositoryError) -> Bool
}

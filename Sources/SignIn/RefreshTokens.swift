internal import Accounts

/// Makes and reads refresh tokens, under the store's keys for them.
///
/// Only a token that a key of ours has signed, or one of the earlier form, gets as far as the store: whatever else is
/// presented costs one hash at most.
public struct RefreshTokens: Sendable {
    /// How long after it was made a key begins to sign, in seconds: every instance has read it by then, so a token whose
    /// key is not known here is nobody's.
    static let publicationSeconds: Int64 = 60
    /// How long after its replacement a key must be kept, in seconds: for as long as the longest refresh token lives that
    /// any configuration allows, since what is configured may have been more before, and until the next one signs.
    public static let keyMemorySeconds: Int64 = 3650 * 86_400 + publicationSeconds

    /// A token that may be one of ours.
    struct Presented: Sendable {
        let session: SessionID
        let token: PresentedRefreshToken
        /// The same, where it is one of the earlier form.
        let earlier: EarlierRefreshToken?
    }

    private let repository: any SecretKeyRepository

    init(repository: any SecretKeyRepository) {
        self.repository = repository
    }

    /// The text of a token. It is the same each time, unless the keys that there were when it was issued have changed
    /// meanwhile; then it is another, as good as the first.
    ///
    /// - Throws: `ServiceError.storageUnavailable`.
    func text(of token: RefreshToken) async throws(ServiceError) -> String {
        guard let key = Self.signing(at: token.issuedAt, among: try await keys()) else {
            throw .storageUnavailable(.corrupt)
        }
        return token.text(signedWith: key)
    }

    /// Reads a token that somebody presents.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: nil when it is none of ours, or has expired.
    func presented(_ text: String, now: Int64) async throws(ServiceError) -> Presented? {
        if let earlier = EarlierRefreshToken(text) {
            return Presented(session: earlier.session, token: .earlier(earlier.hash), earlier: earlier)
        }
        let keys = try await keys()
        guard let token = RefreshToken(text, key: { number in keys.first { $0.number == number } }),
            now < token.expiresAt
        else { return nil }
        return Presented(
            session: token.session, token: .signed(generation: token.generation, user: token.user), earlier: nil)
    }

    /// The key that signs at a time: of those that have been known for long enough the newest, else the first there was.
    ///
    /// - Parameter keys: the newest first.
    static func signing(at time: Int64, among keys: [SecretKey]) -> SecretKey? {
        keys.first { $0.createdAt + publicationSeconds <= time } ?? keys.last
    }

    private func keys() async throws(ServiceError) -> [SecretKey] {
        try await stored { () throws(RepositoryError) in
            try await repository.secretKeys(for: .refresh)
        }
    }
}

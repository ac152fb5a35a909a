package import Accounts
internal import JOSE
import JSON

/// Makes and reads refresh tokens, under the store's keys for them.
///
/// Only a token that a key of ours has signed, or one of the earlier form, gets as far as the store: whatever else is
/// presented costs one hash at most.
public struct RefreshTokens: Sendable {
    /// How long after it was made a key begins to sign, in seconds: every instance has read it by then, so a token
    /// whose key is not known here is nobody's.
    static let publicationSeconds: Int64 = 60
    /// How long after its replacement a key must be kept, in seconds: for as long as the longest refresh token lives
    /// that any configuration allows, since what is configured may have been more before, and until the next one signs.
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
    package func text(of token: RefreshToken) async throws(ServiceError) -> String {
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

    /// The key that signs at a time: of those that have been known for long enough the newest, else the first there
    /// was.
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

/// A refresh token: one generation of a session's.
///
/// It is a JWT that nobody but this service verifies, of a type and under a key of its own, so that it passes for no
/// other token nor any other for it (RFC 8725 §3.11, §3.12). `iss` and `aud` would tell nobody anything. It is made of
/// what the store keeps of the session, so the same one can be made again.
package struct RefreshToken: Equatable, Sendable {
    static let type = "rt+jwt"
    /// Every claim at its longest takes little more than 300 bytes.
    private static let maximumTokenBytes = 512

    let user: UserID
    /// What apps see as the user's `sub`.
    let subject: String
    let session: SessionID
    /// Counts up from ``Session/firstGeneration``.
    let generation: Int64
    /// Seconds since 1970.
    let issuedAt: Int64
    /// Seconds since 1970.
    let expiresAt: Int64

    /// The first one, of a session that was just opened.
    init(of session: NewSession, user: UserID, subject: String, now: Int64) {
        (self.user, self.subject) = (user, subject)
        self.session = session.id
        generation = Session.firstGeneration
        issuedAt = now
        expiresAt = session.expiresAt
    }

    /// The current one of a session whose refresh tokens are signed.
    ///
    /// - Parameters:
    ///   - form: what apps see as the user's `sub`.
    ///   - reusableUntil: until when it stays good where it is not replaced, in seconds since 1970; nil where it is.
    package init(of session: Session, as form: SubjectForm, reusableUntil: Int64? = nil) {
        user = session.user
        subject = session.subject(as: form)
        self.session = session.id
        generation = session.generation
        issuedAt = session.rotatedAt ?? session.createdAt
        expiresAt = reusableUntil ?? session.expiresAt
    }

    /// Reads a token a client presents. Whether it is still good for anything is for the clock and the store to say.
    ///
    /// - Parameter key: gives the key of a number; nil where there is none.
    /// - Returns: nil unless that key has signed it, as a refresh token and nothing else.
    init?(_ text: String, key: (Int64) -> SecretKey?) {
        guard let token = try? KeyedJWT(parsing: text, type: Self.type, maximumByteCount: Self.maximumTokenBytes),
            let number = Int64(token.keyID), token.keyID == String(number), let key = key(number),
            let payload = try? token.payload(verifiedUnder: key.bytes),
            let claims = try? JSONValue(parsing: payload.span),
            let subject = claims["sub"]?.string, let user = Int64(claims["uid"]?.string ?? subject),
            let session = claims["sid"]?.string.flatMap({ SessionID($0) }),
            let generation = claims["gen"]?.integer, generation >= Session.firstGeneration,
            let issuedAt = claims["iat"]?.integer, let expiresAt = claims["exp"]?.integer
        else { return nil }
        self.user = UserID(rawValue: user)
        (self.subject, self.session, self.generation, self.issuedAt) = (subject, session, generation, issuedAt)
        self.expiresAt = expiresAt
    }

    func text(signedWith key: SecretKey) -> String {
        var claims = JSONWriter(reservingCapacity: 160)
        claims.object { claims in
            claims.member("sub", subject)
            // The number is the store's name for the user, and needs no look at a row.
            if subject != user.description { claims.member("uid", user.description) }
            claims.member("sid", session.description)
            claims.member("gen", generation)
            claims.member("iat", issuedAt)
            claims.member("exp", expiresAt)
        }
        return KeyedJWT.sign(claims.bytes.span, type: Self.type, keyID: String(key.number), key: key.bytes)
    }
}

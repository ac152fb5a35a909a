internal import Accounts
internal import JOSE
internal import JSON

/// A refresh token: one generation of a session's.
///
/// It is a JWT that nobody but this service verifies, of a type and under a key of its own, so that it passes for no other
/// token nor any other for it (RFC 8725 §3.11, §3.12). `iss` and `aud` would tell nobody anything. It is made of what the
/// store keeps of the session, so the same one can be made again.
struct RefreshToken: Equatable, Sendable {
    static let type = "rt+jwt"
    /// Every claim at its longest takes little more than 300 bytes.
    private static let longestToken = 512

    let user: UserID
    let session: SessionID
    /// Counts up from ``Session/firstGeneration``.
    let generation: Int64
    /// Seconds since 1970.
    let issuedAt: Int64
    /// Seconds since 1970.
    let expiresAt: Int64

    /// The first one, of a session that was just opened.
    init(of session: NewSession, user: UserID, now: Int64) {
        self.user = user
        self.session = session.id
        generation = Session.firstGeneration
        issuedAt = now
        expiresAt = session.expiresAt
    }

    /// The current one of a session whose refresh tokens are signed.
    init(of session: Session) {
        user = session.user
        self.session = session.id
        generation = session.generation
        issuedAt = session.rotatedAt ?? session.createdAt
        expiresAt = session.expiresAt
    }

    /// Reads a token a client presents. Whether it is still good for anything is for the clock and the store to say.
    ///
    /// - Parameter key: gives the key of a number; nil where there is none.
    /// - Returns: nil unless that key has signed it, as a refresh token and nothing else.
    init?(_ text: String, key: (Int64) -> SecretKey?) {
        guard let token = try? KeyedJWT(parsing: text, type: Self.type, maximumByteCount: Self.longestToken),
            let number = Int64(token.keyID), token.keyID == String(number), let key = key(number),
            let payload = try? token.payload(verifiedUnder: key.bytes),
            let claims = try? JSONValue(parsing: payload.span),
            let user = claims["sub"]?.string.flatMap({ Int64($0) }),
            let session = claims["sid"]?.string.flatMap({ SessionID($0) }),
            let generation = claims["gen"]?.integer, generation >= Session.firstGeneration,
            let issuedAt = claims["iat"]?.integer, let expiresAt = claims["exp"]?.integer
        else { return nil }
        self.user = UserID(rawValue: user)
        self.session = session
        self.generation = generation
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    func text(signedWith key: SecretKey) -> String {
        var claims = JSONWriter(reservingCapacity: 160)
        claims.object { claims in
            claims.member("sub", user.description)
            claims.member("sid", session.description)
            claims.member("gen", generation)
            claims.member("iat", issuedAt)
            claims.member("exp", expiresAt)
        }
        return KeyedJWT.sign(claims.bytes.span, type: Self.type, keyID: String(key.number), key: key.bytes)
    }
}

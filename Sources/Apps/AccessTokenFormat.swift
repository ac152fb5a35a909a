/// What a token of ours is signed with (OpenID Connect Dynamic Registration §2, `id_token_signed_response_alg`).
public enum SigningAlgorithm: String, Sendable, CaseIterable {
    /// What every client has to be able to verify (OpenID Connect Core §15.1), and expects where nobody tells it
    /// otherwise.
    case rs256 = "RS256"
    /// A tenth of the work, and a shorter token.
    case es256 = "ES256"
}

/// How access tokens are made, by what the backends can read that take them.
public struct AccessTokenFormat: Sendable, Equatable {
    /// The header's `typ`.
    public enum TokenType: String, Sendable, CaseIterable {
        /// By which no other token is taken for one (RFC 9068 §2.1).
        case atJWT = "at+jwt"
        /// For backends that refuse every other.
        case jwt = "JWT"
    }

    public let type: TokenType
    public let algorithm: SigningAlgorithm

    public init(type: TokenType = .atJWT, algorithm: SigningAlgorithm = .es256) {
        (self.type, self.algorithm) = (type, algorithm)
    }
}

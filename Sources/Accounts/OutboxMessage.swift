/// Something that a provider is yet to be told: it was written down in the transaction that made it true here.
public struct OutboxMessage: Equatable, Sendable, CustomStringConvertible {
    public enum Content: Equatable, Sendable {
        /// That a token is good for nothing any more (RFC 7009).
        ///
        /// - Parameter client: whose it is, where that is not the section's own client.
        case revocation(token: String, isRefreshToken: Bool, client: String? = nil)
        /// That the user has signed out, who is named by the ID token of the sign-in.
        case logout(idToken: String)
        /// That somebody wants an account in its directory, or a new credential for one.
        case directory(ProvisioningRequest)

        public var kind: String {
            switch self {
            case .revocation: "revocation"
            case .logout: "logout"
            case .directory(let provisioning): provisioning.kind.rawValue
            }
        }
    }

    public var number: Int64
    /// The configured name of the provider.
    public var provider: String
    public var issuer: String
    public var content: Content
    /// How often it was tried, this time included.
    public var attempts: Int64
    /// In seconds since 1970.
    public var createdAt: Int64

    public init(
        number: Int64, provider: String, issuer: String, content: Content, attempts: Int64, createdAt: Int64
    ) {
        (self.number, self.provider, self.issuer, self.content) = (number, provider, issuer, content)
        (self.attempts, self.createdAt) = (attempts, createdAt)
    }

    public var description: String { "\(content.kind) \(number)" }
}

/// What comes of one attempt to tell.
public enum OutboxSettlement: Equatable, Sendable {
    case done
    /// In seconds since 1970.
    case again(at: Int64)
    case givenUp
}

/// How much waits to be told.
public struct OutboxStatus: Equatable, Sendable {
    public var pending: Int
    /// When the oldest was written down, in seconds since 1970; nil when nothing waits.
    public var oldestAt: Int64?

    public init(pending: Int, oldestAt: Int64?) {
        (self.pending, self.oldestAt) = (pending, oldestAt)
    }
}

/// A session that has ended by its user's request.
public struct EndedSession: Equatable, Sendable {
    /// The configured name of the provider.
    public var provider: String
    /// Of the sign-in that opened it; nil where none was kept.
    public var idToken: String?

    public init(provider: String, idToken: String?) {
        (self.provider, self.idToken) = (provider, idToken)
    }
}

/// How an outbox message is written before it is sealed: a tag and the token, or a request's texts (``TaggedTexts``).
extension OutboxMessage.Content {
    private enum Tag: UInt8 {
        case refreshToken = 1
        case accessToken = 2
        case idToken = 3
        case signUp = 4
        case recovery = 5
        // With the client whose token it is.
        case refreshTokenOfClient = 6
        case accessTokenOfClient = 7
    }

    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .revocation(let token, let isRefreshToken, let client?):
            let tag = isRefreshToken ? Tag.refreshTokenOfClient : .accessTokenOfClient
            TaggedTexts.append(tag.rawValue, [token, client], to: &bytes)
        case .revocation(let token, let isRefreshToken, nil):
            TaggedTexts.append((isRefreshToken ? Tag.refreshToken : .accessToken).rawValue, [token], to: &bytes)
        case .logout(let idToken): TaggedTexts.append(Tag.idToken.rawValue, [idToken], to: &bytes)
        case .directory(let provisioning):
            let tag = provisioning.kind == .signUp ? Tag.signUp : .recovery
            let texts = [provisioning.username, provisioning.email, provisioning.displayName].map { $0 ?? "" }
            TaggedTexts.append(tag.rawValue, texts, to: &bytes)
        }
        return bytes
    }

    public init(encoded bytes: [UInt8]) throws(EncodedContentError) {
        guard let tag = bytes.first.flatMap(Tag.init(rawValue:)) else { throw .malformed }
        var offset = 1
        let text = try TaggedTexts.text(bytes, &offset)
        self =
            switch tag {
            case .refreshToken: .revocation(token: text, isRefreshToken: true)
            case .accessToken: .revocation(token: text, isRefreshToken: false)
            case .idToken: .logout(idToken: text)
            case .refreshTokenOfClient:
                .revocation(token: text, isRefreshToken: true, client: try TaggedTexts.text(bytes, &offset))
            case .accessTokenOfClient:
                .revocation(token: text, isRefreshToken: false, client: try TaggedTexts.text(bytes, &offset))
            case .signUp: .directory(try ProvisioningRequest(.signUp, username: text, bytes, &offset))
            case .recovery: .directory(try ProvisioningRequest(.recovery, username: text, bytes, &offset))
            }
    }

    /// What has to be revoked of tokens that nobody uses any more; nil where nothing of them is good for anything.
    ///
    /// With the refresh token goes what was made of it (RFC 7009 §2.1), so it alone is named where there is one.
    public init?(revoking tokens: ProviderTokens, now: Int64) {
        if let refreshToken = tokens.refreshToken {
            self = .revocation(token: refreshToken, isRefreshToken: true, client: tokens.client)
        } else if tokens.expiresAt.map({ $0 > now }) ?? true {
            self = .revocation(token: tokens.accessToken, isRefreshToken: false, client: tokens.client)
        } else {
            return nil
        }
    }
}

extension ProvisioningRequest {
    /// Reads what stands behind the username; an empty text is none.
    fileprivate init(
        _ kind: Kind, username: String, _ bytes: [UInt8], _ offset: inout Int
    ) throws(EncodedContentError) {
        let email = try TaggedTexts.text(bytes, &offset)
        let displayName = try TaggedTexts.text(bytes, &offset)
        func given(_ text: String) -> String? { text.isEmpty ? nil : text }
        self.init(kind, username: given(username), email: given(email), displayName: given(displayName))
    }
}

/// The tokens that a provider has given for one of its users, by which its services can be asked in the user's name.
///
/// They are sealed wherever they are kept, and stand in no description.
public struct ProviderTokens: Equatable, Sendable, CustomStringConvertible {
    /// A token that expires sooner is renewed before it is handed out, in seconds: its recipient needs time to use it.
    public static let minimumLifeSeconds: Int64 = 60

    public var accessToken: String
    /// Nil where the provider gave none: then the access token is all there is.
    public var refreshToken: String?
    /// In seconds since 1970; nil where the provider did not say, for a token that counts as good until it is refused.
    public var expiresAt: Int64?
    /// As the provider told it; nil where it did not, for what was asked for (RFC 6749 §5.1).
    public var scope: String?
    /// Which of our clients they were given to, where that is not the section's own: nobody else may use them.
    public var client: String?

    public init(accessToken: String, refreshToken: String?, expiresAt: Int64?, scope: String?, client: String? = nil) {
        (self.accessToken, self.refreshToken, self.expiresAt) = (accessToken, refreshToken, expiresAt)
        (self.scope, self.client) = (scope, client)
    }

    public var description: String { "tokens of a provider" }

    /// Whether the access token will do for a while.
    ///
    /// - Parameter now: seconds since 1970.
    public func isFresh(now: Int64) -> Bool { expiresAt.map { $0 - now > Self.minimumLifeSeconds } ?? true }

    /// What there is after newer ones came: what those don't have stays as it was (RFC 6749 §6).
    public func renewed(by newer: ProviderTokens) -> ProviderTokens {
        var tokens = newer
        tokens.refreshToken = newer.refreshToken ?? refreshToken
        tokens.scope = newer.scope ?? scope
        tokens.client = client
        return tokens
    }
}

/// What of a sign-in's tokens is kept. It rides along the whole road of a sign-in, so it is shared and not copied.
public final class KeptTokens: Sendable {
    public let tokens: ProviderTokens
    /// What tells the provider which of its sessions is to end; nil where it can't be told.
    public let idToken: String?

    public init(tokens: ProviderTokens, idToken: String?) {
        (self.tokens, self.idToken) = (tokens, idToken)
    }
}

/// How tokens are written before they are sealed, the same in every repository: the version, then members
/// (``TaggedTexts``).
extension KeptTokens {
    private static let version: UInt8 = 1

    private enum Tag: UInt8 {
        case accessToken = 1
        case refreshToken = 2
        /// In decimal.
        case expiry = 3
        case scope = 4
        case idToken = 5
        case client = 6
    }

    public var encoded: [UInt8] { Self.encode(tokens, idToken) }

    /// Without an ID token.
    public static func encode(_ tokens: ProviderTokens) -> [UInt8] { encode(tokens, nil) }

    private static func encode(_ tokens: ProviderTokens, _ idToken: String?) -> [UInt8] {
        let members: [(Tag, String?)] = [
            (.accessToken, tokens.accessToken), (.refreshToken, tokens.refreshToken),
            (.expiry, tokens.expiresAt.map { String($0) }), (.scope, tokens.scope), (.idToken, idToken),
            (.client, tokens.client),
        ]
        var bytes = [version]
        for (tag, text) in members {
            if let text { TaggedTexts.append(tag.rawValue, [text], to: &bytes) }
        }
        return bytes
    }

    /// Reads what ``encoded`` or ``encode(_:)`` wrote.
    public convenience init(encoded bytes: [UInt8]) throws(EncodedContentError) {
        guard let version = bytes.first else { throw .malformed }
        guard version == Self.version else { throw .unknownVersion(version) }
        var texts: [Tag: String] = [:]
        var offset = 1
        while offset < bytes.count {
            guard let tag = Tag(rawValue: bytes[offset]) else { throw .malformed }
            offset += 1
            texts[tag] = try TaggedTexts.text(bytes, &offset)
        }
        guard let accessToken = texts[.accessToken] else { throw .malformed }
        let expiresAt = texts[.expiry].map { Int64($0) }
        if case .some(.none) = expiresAt { throw .malformed }
        self.init(
            tokens: ProviderTokens(
                accessToken: accessToken, refreshToken: texts[.refreshToken], expiresAt: expiresAt ?? nil,
                scope: texts[.scope], client: texts[.client]),
            idToken: texts[.idToken])
    }
}

import Syntax
internal import System

/// How a user was authenticated at the provider, as the ID token says it (OpenID Connect Core §2).
public struct Authentication: Equatable, Sendable {
    /// The authentication context class, with a level that was normalised before it is stored.
    public var acr: String?
    /// The methods that the user was recognised by, such as `hwk` or `pin`.
    public var amr: [String]
    /// The `auth_time`, in seconds since 1970.
    public var time: Int64?

    public init(acr: String?, amr: [String], time: Int64?) {
        (self.acr, self.amr, self.time) = (acr, amr, time)
    }
}

/// A session to be opened.
public struct NewSession: Equatable, Sendable {
    public var id: SessionID
    /// The session this one descends from; its own id for a sign-in. Families are revoked whole.
    public var family: SessionID
    /// When the first refresh token stops working, in seconds since 1970.
    public var expiresAt: Int64
    /// What the app said it is; the caller bounds its length.
    public var userAgent: String?
    public var authentication: Authentication
    /// When the user proved who they are: the time of `authentication`, and never later than the sign-in;
    /// ``Session/neverAuthenticated`` where the provider tells none. When a token was issued tells nothing of its user.
    /// Seconds since 1970. No refresh renews it.
    public var authenticatedAt: Int64
    /// When the provider answered a nonce that this service had made shortly before, in seconds since 1970; nil where
    /// it answered none.
    public var challengedAt: Int64?
    /// The `client_id` the app signed in with.
    public var client: String
    /// What an app of ours was granted (RFC 6749 §3.3); nil where its holder is no app of ours.
    public var scope: String?
    /// Whom the app's tokens are made out to where it asked for somebody else than this service (RFC 8707 §2.1).
    public var audience: String?
    /// What its user has declined of the scopes that were asked for, with blanks between; nil for nothing.
    public var declined: String?
    /// Whether its sign-in came with a port token that names another user (``SignedIn/isMergeOffered``). The store
    /// finds that out as it opens the session.
    public var isMergeOffered = false
    /// The provider's own session, where its ID token named one; see ``ProviderLogout``.
    public var upstreamSession: TokenHash?
    public var source: SessionSource
    /// The session that this one takes the place of, and that ends as this one is opened; nil where none does.
    public var replaces: SessionID?

    public init(
        id: SessionID, family: SessionID, expiresAt: Int64, userAgent: String?, authentication: Authentication,
        authenticatedAt: Int64, challengedAt: Int64?, client: String, scope: String?, audience: String?,
        declined: String?, upstreamSession: TokenHash?, source: SessionSource, replaces: SessionID?
    ) {
        (self.id, self.family, self.expiresAt, self.userAgent) = (id, family, expiresAt, userAgent)
        (self.authentication, self.authenticatedAt) = (authentication, authenticatedAt)
        (self.challengedAt, self.client, self.scope, self.audience) = (challengedAt, client, scope, audience)
        (self.declined, self.upstreamSession, self.source) = (declined, upstreamSession, source)
        self.replaces = replaces
    }
}

extension NewSession {
    /// As ``Session/app``.
    public var app: String? { scope == nil ? nil : client }
}

/// A session as stored. It is live while it is stored and `expiresAt` lies ahead; revoking removes it.
public struct Session: Equatable, Sendable {
    /// The generation of the refresh token that a sign-in gives.
    public static let firstGeneration: Int64 = 1

    /// Stands where the time of the authentication would, for who was let in by something that tells nothing of one: no
    /// time, and so long ago for whatever asks.
    public static let neverAuthenticated: Int64 = -1

    public var id: SessionID
    public var user: UserID
    /// As ``User/reference``.
    public var userReference: String
    public var family: SessionID
    /// The generation of the current refresh token; 0 while that is one of the earlier form.
    public var generation: Int64
    /// When the current refresh token took the place of the one before; nil before the first rotation.
    public var rotatedAt: Int64?
    /// Seconds since 1970.
    public var expiresAt: Int64
    /// Seconds since 1970.
    public var createdAt: Int64
    public var userAgent: String?
    public var authentication: Authentication
    /// When the user proved who they are (``NewSession/authenticatedAt``), in seconds since 1970.
    public var authenticatedAt: Int64
    /// As ``NewSession/challengedAt``.
    public var challengedAt: Int64?
    /// The configured name of the provider the user signed in through.
    public var provider: String
    public var client: String
    /// By which identity the user signed in; nil where an earlier version opened the session and it can't be told.
    public var identity: IdentityID?
    /// As ``NewSession/scope``.
    public var scope: String?
    /// As ``NewSession/audience``.
    public var audience: String?
    public var source: SessionSource
    /// As ``NewSession/declined``.
    public var declined: String?
    /// As ``NewSession/isMergeOffered``.
    public var isMergeOffered: Bool

    public init(
        id: SessionID, user: UserID, userReference: String, family: SessionID, generation: Int64, rotatedAt: Int64?,
        expiresAt: Int64, createdAt: Int64, userAgent: String?, authentication: Authentication, authenticatedAt: Int64,
        challengedAt: Int64?, provider: String, client: String, identity: IdentityID?, scope: String?,
        audience: String?, source: SessionSource, declined: String?, isMergeOffered: Bool
    ) {
        (self.id, self.user, self.userReference, self.family) = (id, user, userReference, family)
        (self.generation, self.rotatedAt, self.expiresAt) = (generation, rotatedAt, expiresAt)
        (self.createdAt, self.userAgent, self.authentication) = (createdAt, userAgent, authentication)
        (self.authenticatedAt, self.challengedAt, self.provider) = (authenticatedAt, challengedAt, provider)
        (self.client, self.identity, self.scope, self.audience) = (client, identity, scope, audience)
        (self.source, self.declined, self.isMergeOffered) = (source, declined, isMergeOffered)
    }
}

extension Session {
    /// The `client_id` of our own app that it was opened for through the browser; nil where an app posted a code, whose
    /// sessions have the client identifier of the provider's.
    public var app: String? { scope == nil ? nil : client }
}

/// What opens a session. A user's sessions are bounded for each source by itself: what anybody can do as often as they
/// like with one stolen token must end no session that took a sign-in.
public enum SessionSource: Int64, Sendable, CaseIterable {
    /// A sign-in at the provider, which gives proof that works once.
    case signIn = 0
    /// The exchange of a provider's access token (RFC 8693), which works as often as the token is presented.
    case tokenExchange = 1
}

/// The name of a session: the `sid` of its access tokens and the part of its refresh tokens that finds it. Not a
/// secret.
///
/// 128 bits, the time first: sessions made together lie together on disk, so that opening one dirties a page its
/// neighbours dirty too, however many sessions are stored.
public struct SessionID: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// A new name.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970, of which 40 bits are kept.
    ///   - random: 128 random bits, of which 88 are kept.
    public init(now: Int64, random: (UInt64, UInt64)) {
        high = UInt64(truncatingIfNeeded: now) << 24 | random.0 & 0xFF_FFFF
        low = random.1
    }

    /// The same with the milliseconds: what was made later lies behind, within a second too.
    ///
    /// - Parameters:
    ///   - milliseconds: since 1970.
    ///   - random: 128 random bits, of which 78 are kept.
    public init(milliseconds: Int64, random: (UInt64, UInt64)) {
        let beyond = UInt64(truncatingIfNeeded: milliseconds % 1000) << 14 | random.0 & 0x3FFF
        self.init(now: milliseconds / 1000, random: (beyond, random.1))
    }

    /// Reads the sixteen bytes of one.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The time's bytes come first.
    public var bytes: [UInt8] {
        [high, low].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    /// Reads the text form: 32 lowercase hexadecimal digits.
    public init?(_ text: some StringProtocol) {
        var words: (UInt64, UInt64) = (0, 0)
        var count = 0
        for digit in text.utf8 {
            // One name has one text: digits in upper case are none.
            guard let value = digit.hexadecimalValue, digit == value.hexadecimalDigit else { return nil }
            words.0 = words.0 << 4 | words.1 >> 60
            words.1 = words.1 << 4 | UInt64(value)
            count += 1
            guard count <= 32 else { return nil }
        }
        guard count == 32 else { return nil }
        self.init(high: words.0, low: words.1)
    }
}

extension SessionID: CustomStringConvertible {
    public var description: String {
        String(utf8Capacity: 32) { output in
            for word in [high, low] {
                for shift in stride(from: 60 as UInt64, through: 0, by: -4) {
                    output.append((UInt8(truncatingIfNeeded: word >> shift) & 15).hexadecimalDigit)
                }
            }
        }
    }
}

/// A provider's word that something is over, by a logout token that was verified.
public struct LogoutRecord: Equatable, Sendable {
    public var logout: ProviderLogout
    /// The token itself, by its issuer and `jti`: it counts once, at whatever instance.
    public var token: OneTimeUse
    /// Sessions that were opened later stay, in seconds since 1970.
    public var openedBy: Int64
    /// What is under way and began before this opens nothing.
    public var line: NotBefore
    /// Seconds since 1970.
    public var now: Int64

    public init(logout: ProviderLogout, token: OneTimeUse, openedBy: Int64, line: NotBefore, now: Int64) {
        (self.logout, self.token, self.openedBy, self.line, self.now) = (logout, token, openedBy, line, now)
    }
}

/// What a provider says is over (OpenID Connect Back-Channel Logout 1.0 §2.7).
public enum ProviderLogout: Equatable, Sendable {
    /// One session at the provider, by the hash of its issuer and its `sid`. Where the provider names the user too,
    /// only what that identity has opened ends. Former: the same by the names that the issuer had before.
    case session(TokenHash, of: Subject?, former: [TokenHash] = [])
    /// Everything that this identity has opened.
    case subject(Subject)
}

/// What a provider says is over, in a token that was verified (OpenID Connect Back-Channel Logout 1.0 §2.4).
public struct LogoutToken: Sendable, Equatable {
    /// One session at the provider, and of whom where it says so; or everything of a user.
    public enum Ended: Sendable, Equatable {
        case session(String, subject: String?)
        case subject(String)
    }

    /// The member of `events` that makes a token one of these.
    public static let event = "http://schemas.openid.net/event/backchannel-logout"

    public let issuer: String
    /// The `jti`, by which a token that comes again is known.
    public let identifier: String
    /// The `iat`, in seconds since 1970.
    public let issuedAt: Int64
    public let ended: Ended
}

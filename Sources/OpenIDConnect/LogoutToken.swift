public import JSON
internal import Syntax

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
    public let ended: Ended

    /// The `sid` of a token, by which the provider names its own session (Front-Channel Logout 1.0 §3, Back-Channel
    /// Logout 1.0 §2.1); nil where there is none, or none that could be kept.
    public static func session(in claims: JSONValue) -> String? {
        guard let session = claims["sid"]?.string, isName(session) else { return nil }
        return session
    }

    /// As long as a text that names something may be; a provider's own are far shorter.
    static let maximumNameBytes = 512

    static func isName(_ text: String) -> Bool { (1...maximumNameBytes).contains(text.utf8.count) }
}

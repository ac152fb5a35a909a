internal import JSON

/// An error code of an OAuth answer (RFC 6749 §5.2, OpenID Connect Core §3.1.2.6 and the carriers' own), sorted by what
/// it means for whoever signs in.
public enum OAuthError: Error, Equatable, Sendable {
    /// The code or its verifier is wrong, expired, used or another client's.
    case invalidGrant
    /// The user or the carrier said no.
    case accessDenied
    /// The user did not answer in time.
    case authenticationTimedOut
    /// The subscriber is no longer with this carrier: discovery must run again.
    case userNotFound
    /// The hint about the user, which the app put into its authorization request, is not taken.
    case loginHintRefused
    /// The authorization request had a code challenge, and no verifier came with the code (RFC 7636 §4.6).
    case verifierMissing
    /// Our credentials or our request are wrong; the code names how. A fault of the configuration.
    case clientFault(String)
    /// The provider can't answer now.
    case temporarilyUnavailable
    /// A code that no specification we know has. From a token endpoint it is a refusal of the authorization code.
    case unknown

    /// Reads the `error` member of an answer; nil when there is none.
    ///
    /// It is a text, or, at providers with a dialect of their own, an object that may hold one of the known codes.
    init?(_ document: JSONValue) {
        switch document["error"] {
        case .string(let code): self = Self.meaning(of: code)
        case .object(let details):
            let codes = ["code", "type", "status"].compactMap { details[$0]?.string }
            self = codes.lazy.map(Self.meaning).first { $0 != .unknown } ?? .unknown
        default: return nil
        }
    }

    private static func meaning(of code: String) -> OAuthError {
        switch code {
        // `request_denied` is how ZenKey's carriers refuse a wrong verifier.
        case "invalid_grant", "request_denied": .invalidGrant
        case "access_denied", "user_unsupported", "consent_required", "login_required", "interaction_required":
            .accessDenied
        case "authentication_timed_out": .authenticationTimedOut
        case "user_not_found": .userNotFound
        case "invalid_login_hint", "invalid_login_hint_token": .loginHintRefused
        case "temporarily_unavailable", "server_error", "network_failure", "device_unavailable", "slow_down":
            .temporarilyUnavailable
        // The last two are not RFC 6749's; both are about what is configured and never about the code.
        case "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_request",
            "invalid_target", "unsupported_response_type", "redirect_uri_mismatch", "incorrect_client_credentials":
            .clientFault(code)
        default: .unknown
        }
    }
}

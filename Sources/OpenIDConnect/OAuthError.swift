internal import JSON

/// An error code of an OAuth answer (RFC 6749 §5.2, OpenID Connect Core §3.1.2.6 and the carriers' own), sorted by what
/// it means for whoever signs in.
public enum OAuthError: Error, Equatable, Sendable {
    /// The code or its verifier is wrong, expired, used or another client's.
    case invalidGrant
    /// The user or the carrier said no.
    case accessDenied
    /// The subscriber is no longer with this carrier: discovery must run again.
    case userNotFound
    /// Our credentials or our request are wrong; the code names how. A fault of the configuration.
    case clientFault(String)
    /// The provider can't answer now.
    case temporarilyUnavailable
    /// A code that no specification we know has.
    case unknown

    /// Reads the `error` member of an answer; nil when there is none.
    init?(_ document: JSONValue) {
        guard let code = document["error"]?.string else { return nil }
        self = Self.meaning(of: code)
    }

    private static func meaning(of code: String) -> OAuthError {
        switch code {
        // `request_denied` is how ZenKey's carriers refuse a wrong verifier.
        case "invalid_grant", "request_denied": .invalidGrant
        case "access_denied", "authentication_timed_out", "user_unsupported", "consent_required", "login_required",
            "interaction_required":
            .accessDenied
        case "user_not_found": .userNotFound
        case "temporarily_unavailable", "server_error", "network_failure", "device_unavailable", "slow_down":
            .temporarilyUnavailable
        case "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_request",
            "invalid_target", "unsupported_response_type":
            .clientFault(code)
        default: .unknown
        }
    }
}

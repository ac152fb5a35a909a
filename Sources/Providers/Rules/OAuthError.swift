/// What a provider's refusal means for the one who signs in (RFC 6749 §5.2, OpenID Connect Core §3.1.2.6, and what
/// single providers say instead). Which of them an answer means, ``Dialect`` tells.
public enum OAuthError: Error, Equatable, Sendable {
    /// The code or its verifier is wrong, expired, used or another client's.
    case invalidGrant
    /// The user, the carrier or a rule of the provider's said no.
    case accessDenied
    /// Nothing comes of it unless the user does something at the provider: signs in again, agrees, or proves more.
    case interactionRequired
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

    /// Whether it is the user, or a rule of the provider's, that says no: whatever the status beside it, the provider
    /// is well.
    var isDenial: Bool { self == .accessDenied || self == .interactionRequired }
}

/// What has proven who the user is, by which the store knows what is used up with what it stores.
///
/// Whose word it is, the record says beside it, by provider and subject: an issuer's for all of these. What we prove
/// ourselves comes as another case, with our own issuer in the subject.
public enum Evidence: Equatable, Sendable {
    /// An authorization code (RFC 6749 §1.3.1), which its issuer has taken.
    case authorizationCode(OneTimeUse)
    /// An ID token that a provider's SDK has given to the app.
    case idToken(OneTimeUse)
    /// The same with a code beside it, which was exchanged, and whose use is on disk already.
    case idTokenWithCode(OneTimeUse, code: OneTimeUse)
    /// Tokens that a carrier has sent of its own accord, by what it has shown with them.
    case pushedTokens(OneTimeUse)
    /// A provider's access token (RFC 8693 §2.1): good as often as it is presented until it ends. What is used up is
    /// the request, for as long as it may come again because its answer was lost; nil where it may not.
    case accessToken(OneTimeUse?)

    /// What is used up with what is stored; nil where it proves as much another time.
    public var oneTimeUse: OneTimeUse? {
        switch self {
        case .authorizationCode(let use), .idToken(let use), .idTokenWithCode(let use, code: _),
            .pushedTokens(let use):
            use
        case .accessToken(let use): use
        }
    }

    /// The code that goes to its issuer; nil where there is none.
    public var code: OneTimeUse? {
        switch self {
        case .authorizationCode(let code), .idTokenWithCode(_, code: let code): code
        case .idToken, .pushedTokens, .accessToken: nil
        }
    }
}

/// By what an app, a browser or a provider begins a sign-in.
public enum SignInKind: String, Sendable, CaseIterable {
    /// An authorization code that an app posts.
    case code
    /// What a provider's SDK has given to an app: an ID token or an access token.
    case native
    /// The browser, which this service sends to the provider.
    case browser
    /// What a provider has sent of its own accord after its user was asked.
    case pushed
}

extension AuthorizedResponse {
    /// What kind of sign-in it is that an app has posted.
    public var kind: SignInKind {
        switch proof {
        case .code: .code
        case .idToken: .native
        case .pushed: .pushed
        }
    }
}

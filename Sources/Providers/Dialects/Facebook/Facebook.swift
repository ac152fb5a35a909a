/// Facebook puts an object in the place of the name, whose type is nearly always `OAuthException` and whose numbers
/// tell; what may pass is told with 500 as well.
enum Facebook {
    static let dialect = Dialect(
        "facebook", "Facebook", hosts: ["facebook.com"], profile: profile,
        rules: [
            RefusalRule(
                nil, mark: "Error validating client secret", means: .clientFault("invalid_client"),
                remedy: "clientSecret is not the App Secret of this clientID: look at the app's Basic settings"),
            RefusalRule(
                nil, mark: "Error validating application", means: .clientFault("invalid_client"),
                remedy: "there is no app of this clientID, or it is in development mode"),
            RefusalRule(nil, number: "36007", means: .invalidGrant),
            RefusalRule(nil, number: "36009", means: .invalidGrant),
            RefusalRule(
                nil, number: "36008", means: .clientFault("redirect_uri_mismatch"),
                remedy: "the redirect URI is not the one that the dialog was opened with, to the letter"),
            // A token that is over, of whatever call.
            RefusalRule(nil, number: "190", means: .invalidGrant),
            RefusalRule(nil, number: "102", means: .invalidGrant),
            RefusalRule(nil, mark: "verification code", means: .invalidGrant),
            RefusalRule(nil, mark: "authorization code", means: .invalidGrant),
            // So often, or just not now.
            RefusalRule(nil, with: 400...503, number: "4", means: .temporarilyUnavailable),
            RefusalRule(nil, with: 400...503, number: "2", means: .temporarilyUnavailable),
            RefusalRule(nil, with: 400...503, number: "17", means: .temporarilyUnavailable),
            RefusalRule(nil, with: 400...503, number: "341", means: .temporarilyUnavailable),
            RefusalRule(nil, with: 400...503, number: "1", means: .temporarilyUnavailable),
            RefusalRule(
                nil, with: 400...403, number: "200", means: .accessDenied,
                remedy: "the user, or the app's settings, do not give this permission"),
            RefusalRule(
                nil, with: 400...403, number: "10", means: .accessDenied,
                remedy: "the app lacks a permission: App Review"),
        ])

    /// Limited Login: an ID token is all there is, under either name. A secret is for what Facebook posts.
    private static let profile = ProviderProfile(
        "facebook", displayName: "Facebook",
        place: ProviderProfile.Place(
            issuer: "https://www.facebook.com", issuers: ["https://limited.facebook.com"],
            discoveryURL: "https://limited.facebook.com/.well-known/openid-configuration/"),
        clientAuthentication: .post, doesWithoutSecret: true, nativeTokens: true, userinfo: .never, authTime: .never,
        trustEmails: .none, subjectsAreOfClient: true)
}

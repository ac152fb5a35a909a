extension Dialect {
    /// Facebook puts an object in the place of the name, whose type is nearly always `OAuthException` and whose numbers
    /// tell; what may pass is told with 500 as well.
    static let facebook = Dialect(
        "Facebook", hosts: ["facebook.com"],
        rules: [
            Rule(
                nil, mark: "Error validating client secret", means: .clientFault("invalid_client"),
                remedy: "clientSecret is not the App Secret of this clientID: look at the app's Basic settings"),
            Rule(
                nil, mark: "Error validating application", means: .clientFault("invalid_client"),
                remedy: "there is no app of this clientID, or it is in development mode"),
            Rule(nil, number: "36007", means: .invalidGrant), Rule(nil, number: "36009", means: .invalidGrant),
            Rule(
                nil, number: "36008", means: .clientFault("redirect_uri_mismatch"),
                remedy: "the redirect URI is not the one that the dialog was opened with, to the letter"),
            // A token that is over, of whatever call.
            Rule(nil, number: "190", means: .invalidGrant), Rule(nil, number: "102", means: .invalidGrant),
            Rule(nil, mark: "verification code", means: .invalidGrant),
            Rule(nil, mark: "authorization code", means: .invalidGrant),
            // So often, or just not now.
            Rule(nil, with: 400...503, number: "4", means: .temporarilyUnavailable),
            Rule(nil, with: 400...503, number: "2", means: .temporarilyUnavailable),
            Rule(nil, with: 400...503, number: "17", means: .temporarilyUnavailable),
            Rule(nil, with: 400...503, number: "341", means: .temporarilyUnavailable),
            Rule(nil, with: 400...503, number: "1", means: .temporarilyUnavailable),
            Rule(
                nil, with: 400...403, number: "200", means: .accessDenied,
                remedy: "the user, or the app's settings, do not give this permission"),
            Rule(
                nil, with: 400...403, number: "10", means: .accessDenied,
                remedy: "the app lacks a permission: App Review"),
        ])
}

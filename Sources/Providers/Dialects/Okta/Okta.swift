/// Okta has two envelopes: that of OAuth, and one of its own with `errorCode`, which a client that it does not know
/// gets, and the client that asks too often. A policy that lets somebody not in is `access_denied`.
enum Okta {
    static let dialect = Dialect(
        "okta", "Okta", hosts: ["okta.com", "oktapreview.com", "okta-emea.com"], profile: profile,
        rules: [
            RefusalRule(
                "invalid_client", with: 400...401, means: .clientFault("invalid_client"),
                remedy: "clientID, clientSecret or clientAuthentication is not that of the app integration, or it is "
                    + "deactivated"),
            RefusalRule(
                "access_denied", with: 400...599, mark: "Policy evaluation failed", means: .accessDenied,
                remedy: "no access policy of the authorization server lets it in: Security, API, Access Policies"),
            RefusalRule(
                "access_denied", with: 400...599, mark: "not assigned", means: .accessDenied,
                remedy: "the user is not assigned to the app integration: Applications, Assignments"),
            RefusalRule(
                "E0000047", means: .temporarilyUnavailable,
                remedy: "it is asked more often than the org's rate limit allows"),
            // The token of userinfo.
            RefusalRule("E0000011", means: .invalidGrant),
        ])

    private static let profile = ProviderProfile("okta", nativeTokens: true, userinfo: .optional)
}

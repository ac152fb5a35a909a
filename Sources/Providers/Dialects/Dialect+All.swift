/// The providers that do something otherwise: each is one folder beside this file, and one line here.
extension Dialect {
    static let all: [Dialect] = [
        ZenKey.dialect, OpenIDProvider.dialect, BeyondIdentity.dialect, TelenorID.dialect, TIM.dialect, Google.dialect,
        Apple.dialect, Microsoft.dialect, Facebook.dialect, Auth0.dialect, Okta.dialect, Keycloak.dialect,
        Cognito.dialect, LINE.dialect, LinkedIn.dialect, Slack.dialect, Twitch.dialect,
    ]
}

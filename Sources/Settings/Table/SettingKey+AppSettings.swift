extension SettingKey where Root == AppSettings {
    /// Every key of an app's section, in the order of the reference.
    static let all: [Self] = [
        Self(
            "clientID", \.clientID, .text(.ownID),
            "The app's client identifier here; required, and no other client's."),
        Self(
            "displayName", \.displayName, .optional(.label),
            "The app's name for people; empty: the section's name."),
        Self(
            "secret", \.secret, .secret(.ownSecret),
            "Client secret; empty: a public client, as every app on a device is."),
        Self(
            "redirectURIs", \.redirectURIs, .list(.ofApp),
            "Where codes may go, compared as text but for the port of http://127.0.0.1 and http://[::1]; one at least."),
        Self(
            "providers", \.providers, .list(.sectionName),
            "The providers that the app's users may sign in with; empty: all."),
        Self("origins", \.origins, .list(.origin), "Web origins whose scripts may call the API."),
        Self(
            "postLogoutRedirectURIs", \.postLogoutRedirectURIs, .list(.ofApp),
            "Where users may be sent once they are signed out."),
        Self(
            "otherBrowser", \.otherBrowser, .text(.choice),
            "What becomes of a sign-in that comes back in another browser: it is refused, or the user is asked, which "
                + "takes https redirect URIs only."),
        Self(
            "consent", \.consent, .text(.choice),
            "Whether users are asked here before the app gets anything: never (you answer for it), the first time and "
                + "when it asks for more, or each time."),
        Self(
            "idTokenAlgorithm", \.idTokenAlgorithm, .text(.choice),
            "What the app's ID tokens are signed with; RS256 is what client libraries expect unless they are told."),
        Self(
            "providerTokens", \.providerTokens, .list(.sectionName),
            "The providers whose access tokens this app may fetch for a signed-in user; takes a secret, and "
                + "keepTokens there."),
        Self(
            "scopes", \.scopes, .list(.choice),
            "What the app may ask for; see Authorization.md. What it asks for beyond that is left out."),
        Self(
            "impliedScopes", \.impliedScopes, .list(.choice),
            "What of scopes the app has without asking, for an app whose code can't ask."),
        Self(
            "offlineAccess", \.offlineAccess, .optional(.choice),
            "When the app gets a refresh token: where it asks for offline_access, or always; empty: asked, and always with reusable "
                + "refreshTokens or in a store that is older than this key."),
        Self(
            "grants", \.grants, .list(.choice),
            "Grant types by which the app gets tokens; empty: authorization_code and refresh_token, and all in a "
                + "store that is older than this key."),
        Self(
            "audiences", \.audiences, .list(.token),
            "Backends that the app may have access tokens for beside this service; it names one as resource (RFC "
                + "8707)."),
        Self(
            "responses", \.responses, .text(.choice),
            "How the app is told of its user: texts, or an object for each attribute, as ZenKey's sample app for Android decodes them."
        ),
        Self(
            "refreshTokens", \.refreshTokens, .text(.choice),
            "rotating: each refresh token is used once. reusable: one stays good as long as its session, for TIM's clients; takes "
                + "both limits below."),
        Self(
            "inactivityDays", \.inactivityDays, .limit(upTo: 3650),
            "How long a session of the app lasts that is not refreshed; 0: session.refreshTokenDays."),
        Self(
            "absoluteDays", \.absoluteDays, .limit(upTo: 3650),
            "How long a session of the app lasts however often it is refreshed; 0: session.absoluteDays."),
    ]
}

extension SettingKey where Root == ResourceServerSettings {
    /// Every key of a resource server's section, in the order of the reference.
    static let all: [Self] = [
        Self("id", \.id, .text(.ownID), "The service's identifier when it asks; required, and no other service's."),
        Self("secret", \.secret, .secret(.ownSecret), "The service's secret; required."),
    ]
}

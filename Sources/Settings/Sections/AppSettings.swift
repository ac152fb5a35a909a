internal import Apps
internal import Crypto

/// One app's section: a client of ours, for browser sign-in.
struct AppSettings: NamedSection {
    static let word = "app"
    static let list = "apps"
    static let noun = "an app"
    static var keys: [SettingKey<Self>] { SettingKey<Self>.all }
    static var place: any WritableKeyPath<Settings, Listed<Self>> & Sendable { \.listedApps }

    let name: String
    var clientID = ""
    /// Nil: a public client.
    var secret: Secret?
    /// Never empty.
    var redirectURIs: [RedirectURI] = []
    /// Empty: all of them.
    var providers: [String] = []
    var origins: [String] = []
    var postLogoutRedirectURIs: [RedirectURI] = []
    var otherBrowser = RegisteredApp.OtherBrowser.refuse
    var idTokenAlgorithm = SigningAlgorithm.rs256
    /// The providers whose access tokens it may fetch; only with a secret.
    var providerTokens: [String] = []
    var refreshTokens = RegisteredApp.RefreshTokens.Use.rotating
    /// Nil: as other sessions.
    var inactivityDays: Int?
    /// Nil: as other sessions.
    var absoluteDays: Int?

    init(name: String) {
        self.name = name
    }

    /// The app as it is served.
    var registered: RegisteredApp {
        RegisteredApp(
            name: name, clientID: clientID, secret: secret, redirectURIs: redirectURIs, providers: providers,
            origins: origins, postLogoutRedirectURIs: postLogoutRedirectURIs, otherBrowser: otherBrowser,
            idTokenAlgorithm: idTokenAlgorithm, providerTokens: providerTokens,
            refreshTokens: RegisteredApp.RefreshTokens(
                use: refreshTokens, inactivitySeconds: Self.seconds(inactivityDays),
                absoluteSeconds: Self.seconds(absoluteDays)))
    }

    private static func seconds(_ days: Int?) -> Int64? { days.map { Int64($0) * 86_400 } }
}

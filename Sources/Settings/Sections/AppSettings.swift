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
    /// Nil: people read the name.
    var displayName: String?
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
    var consent = RegisteredApp.Consent.implicit
    var idTokenAlgorithm = SigningAlgorithm.rs256
    /// The providers whose access tokens it may fetch; only with a secret.
    var providerTokens: [String] = []
    var scopes = Permission.allCases.filter(Permissions.usual.contains)
    var impliedScopes: [Permission] = []
    /// Nil: nobody has said.
    var offlineAccess: RegisteredApp.OfflineAccess?
    /// Empty: nobody has said.
    var grants: [RegisteredApp.GrantType] = []
    var audiences: [String] = []
    var responses = ResponseShape.flat
    var refreshTokens = RegisteredApp.RefreshTokens.Use.rotating
    /// Nil: as other sessions.
    var inactivityDays: Int?
    /// Nil: as other sessions.
    var absoluteDays: Int?

    init(name: String) {
        self.name = name
    }

    /// The app as it is served.
    ///
    /// - Parameter isOlder: whether the store is older than the keys of what an app may do.
    func registered(inOlderStore isOlder: Bool = false) -> RegisteredApp {
        RegisteredApp(
            name: name, displayName: displayName, clientID: clientID, secret: secret, redirectURIs: redirectURIs,
            providers: providers,
            origins: origins, postLogoutRedirectURIs: postLogoutRedirectURIs, otherBrowser: otherBrowser,
            consent: consent, idTokenAlgorithm: idTokenAlgorithm,
            providerTokens: providerTokens,
            refreshTokens: RegisteredApp.RefreshTokens(
                use: refreshTokens, inactivitySeconds: Self.seconds(inactivityDays),
                absoluteSeconds: Self.seconds(absoluteDays)),
            rights: RegisteredApp.Rights(
                permissions: permissions, implied: Permissions(impliedScopes),
                offlineAccess: offlineAccess ?? usualOfflineAccess(inOlderStore: isOlder),
                grants: grants.isEmpty ? Self.usualGrants(inOlderStore: isOlder) : grants, audiences: audiences),
            responses: responses)
    }

    var permissions: Permissions { Permissions(scopes) }

    private func usualOfflineAccess(inOlderStore isOlder: Bool) -> RegisteredApp.OfflineAccess {
        isOlder || refreshTokens == .reusable ? .always : .asked
    }

    private static func usualGrants(inOlderStore isOlder: Bool) -> [RegisteredApp.GrantType] {
        isOlder ? RegisteredApp.GrantType.allCases : [.authorizationCode, .refreshToken]
    }

    /// What is worth knowing where the store is older than its keys.
    func noticesOfOlderStore() -> [SettingsNotice] {
        var notices: [SettingsNotice] = []
        if offlineAccess == nil, refreshTokens != .reusable {
            let sentence =
                "is not set, and the store is older than the key: the app gets refresh tokens without asking for them, as "
                + "before. Set it to asked once the app asks for offline_access, or to always"
            notices.append(SettingsNotice(key("offlineAccess"), sentence))
        }
        if grants.isEmpty {
            let sentence =
                "is not set, and the store is older than the key: the app may use every grant, as before. Set it to those "
                + "that it uses"
            notices.append(SettingsNotice(key("grants"), sentence))
        }
        return notices
    }

    private static func seconds(_ days: Int?) -> Int64? { days.map { Int64($0) * 86_400 } }
}

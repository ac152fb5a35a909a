internal import Crypto
internal import Providers
internal import Syntax

/// The API by which a provider's directory of users is kept: what its keys say.
struct UserAPISettings: Sendable {
    /// Nil: nobody signs up by us.
    var url: EndpointURL?
    var version = UserAPIVersion.of2021
    /// Of the API of 2021.
    var token: Secret?
    // Of v1, whose token is fetched.
    var tokenURL: EndpointURL?
    var clientID: String?
    var clientSecret: Secret?
    var authenticatorConfigID: String?
    var postBindingRedirectURI: String?
    /// Where users get the app that keeps their credentials.
    var authenticatorURL = try? EndpointURL(configured: "https://app.byndid.com/downloads")
    /// Whether a sign-up may get its link at once.
    var returnLinks = true
    var mailsPerHour = 3
    var pending = 10_000
    var unfinishedDays = 30

    private static let prefix = "userAPI."
    static var keyNames: [String] { SettingKey<ProviderSettings>.userAPI.map(\.name) }

    private static let of2021 = ["token"]
    private static let ofV1 = [
        "tokenURL", "clientID", "clientSecret", "authenticatorConfigID", "postBindingRedirectURI", "returnLinks",
    ]
    /// What nobody writes who does not want the API.
    fileprivate static var telling: [String] { (of2021 + ofV1).map { prefix + $0 } }
    /// Keys of the version that was not chosen.
    fileprivate var foreign: [String] { (version == .of2021 ? Self.ofV1 : Self.of2021).map { Self.prefix + $0 } }

    /// The keys of the version that was chosen without which nothing can be asked, by whether they are there.
    fileprivate var needed: [(name: String, isThere: Bool, expected: String)] {
        switch version {
        case .of2021: [(Self.prefix + "token", token != nil, "the token of the API, here or in userAPI.tokenFile")]
        case .v1:
            [
                (Self.prefix + "tokenURL", tokenURL != nil, "the URL where the API's tokens are fetched"),
                (
                    Self.prefix + "clientID", clientID != nil,
                    "the client identifier of the application that manages users"
                ),
                (Self.prefix + "clientSecret", clientSecret != nil, "its secret, here or in userAPI.clientSecretFile"),
                (
                    Self.prefix + "authenticatorConfigID", authenticatorConfigID != nil,
                    "the authenticator configuration that credentials are bound by"
                ),
            ]
        }
    }
}

extension SettingKey where Root == ProviderSettings {
    static let userAPI: [Self] = [
        Self(
            "userAPI.url", \.userAPI.url, .optional(.webAddress),
            "Where users of the provider's directory are made: https://api.byndid.com/v1/manage, or the realm's URL; profile "
                + "beyond-identity; empty: nobody signs up by us."),
        Self("userAPI.version", \.userAPI.version, .text(.choice), "Which API that is."),
        Self("userAPI.token", \.userAPI.token, .secret, "Token of the API; version 2021."),
        Self(
            "userAPI.tokenURL", \.userAPI.tokenURL, .optional(.webAddress),
            "Where the API's tokens are fetched (client_credentials); version v1."),
        Self(
            "userAPI.clientID", \.userAPI.clientID, .optional(.clientID),
            "Client that gets those tokens; version v1."),
        Self("userAPI.clientSecret", \.userAPI.clientSecret, .secret, "Secret of that client; version v1."),
        Self(
            "userAPI.authenticatorConfigID", \.userAPI.authenticatorConfigID, .optional(.token),
            "The authenticator configuration that credentials are bound by; version v1."),
        Self(
            "userAPI.postBindingRedirectURI", \.userAPI.postBindingRedirectURI, .optional(.redirectURI),
            "Where users go once a credential is bound; empty: as the authenticator configuration has it; version v1."),
        Self(
            "userAPI.authenticatorURL", \.userAPI.authenticatorURL, .optional(.webAddress),
            "Where users get the app that keeps their credentials; apps are told."),
        Self(
            "userAPI.returnLinks", \.userAPI.returnLinks, .flag,
            "Whether a sign-up gets its link at once when it asks for that, as sample apps do; only under a new name "
                + "that is no address; version v1."
        ),
        Self(
            "userAPI.mailsPerHour", \.userAPI.mailsPerHour, .number(1...1000),
            "Mails to one name in an hour; beyond it the answer is the same, and none is sent."),
        Self(
            "userAPI.pending", \.userAPI.pending, .number(1...1_000_000),
            "Sign-ups and recoveries that may wait to be passed on; beyond it, 503 overloaded."),
        Self(
            "userAPI.unfinishedDays", \.userAPI.unfinishedDays, .number(1...3650),
            "After how long users are erased who have signed up and never signed in."),
    ]
}

extension ProviderSettings {
    private static let day: Int64 = 86_400

    /// The API as it is used; nil where there is none.
    func servedUserAPI() throws(SettingsError) -> UserAPI? {
        guard let url = userAPI.url else { return nil }
        let access: UserAPI.Access
        var binding: UserAPI.Binding?
        if userAPI.version == .v1 {
            guard let id = userAPI.clientID, let secret = userAPI.clientSecret, let tokenURL = userAPI.tokenURL,
                let configuration = userAPI.authenticatorConfigID
            else { throw missing() }
            access = .client(id: id, secret: secret, tokenEndpoint: tokenURL)
            binding = UserAPI.Binding(
                authenticatorConfigID: configuration, postBindingRedirectURI: userAPI.postBindingRedirectURI)
        } else {
            guard let token = userAPI.token else { throw missing() }
            access = .token(token)
        }
        return UserAPI(
            url: url, access: access, binding: binding, authenticatorURL: userAPI.authenticatorURL?.text ?? "",
            returnsLinks: userAPI.returnLinks && userAPI.version == .v1,
            limits: UserAPI.Limits(
                mailsPerHour: Int64(userAPI.mailsPerHour), pending: Int64(userAPI.pending),
                unfinishedSeconds: Int64(userAPI.unfinishedDays) * Self.day))
    }

    private func missing() -> SettingsError {
        userAPIRules().first ?? SettingsError(.missing, key("userAPI.url"), value: "", expected: "a whole userAPI")
    }

    /// What is wrong with the keys about the directory together.
    func userAPIRules() -> [SettingsError] {
        guard profile.hasUserAPI else { return [] }
        let keys = SettingKey<ProviderSettings>.userAPI
        guard let url = userAPI.url else {
            let given = keys.filter { $0.show(self) != $0.show(fresh) }.map(\.name)
            if given.contains(where: UserAPISettings.telling.contains) {
                let expected = "the URL of the directory's API, which \(given.joined(separator: ", ")) is for"
                return [SettingsError(.missing, key("userAPI.url"), value: "", expected: expected)]
            }
            return KeysWithoutEffect.faults(
                keys, Set(given), under: key(""), in: self, fresh: fresh, because: "userAPI.url is empty")
        }
        var faults = userAPI.needed.filter { !$0.isThere }.map {
            SettingsError(.missing, key($0.name), value: "", expected: $0.expected)
        }
        faults += KeysWithoutEffect.faults(
            keys, Set(userAPI.foreign), under: key(""), in: self, fresh: fresh,
            because: "userAPI.version is \(userAPI.version.rawValue)")
        if url.hasQuery {
            faults.append(
                SettingsError(.value, key("userAPI.url"), value: url.text, expected: "a URL without a query"))
        }
        if crossClientKey != nil {
            let expected = "nothing: with userAPI.url users are known by the names that their accounts have there"
            faults.append(
                SettingsError(.conflict, key("crossClientKey"), value: crossClientKey ?? "", expected: expected))
        }
        if userAPI.version == .v1, userinfo != .required {
            let expected = "required: with userAPI.version v1 only userinfo tells whose account a sign-in is"
            faults.append(SettingsError(.conflict, key("userinfo"), value: userinfo.rawValue, expected: expected))
        }
        return faults
    }
}

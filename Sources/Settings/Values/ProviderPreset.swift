internal import Crypto
internal import Providers
internal import Syntax

/// What is known of everybody's provider of one profile. Each of it is where a section begins, and every key that it
/// fills can be written otherwise.
struct ProviderPreset: Sendable {
    /// What holds for the provider's own addresses alone: a section that names another issuer takes none of it.
    struct Place: Sendable {
        /// As its tokens have it.
        var issuer: String
        /// Other spellings of it.
        var issuers: [String] = []
        /// Where metadata lies; nil for the well-known place below the issuer.
        var discoveryURL: String?
        /// Where it verifies ID tokens that it signs with a secret.
        var idTokenVerificationURL: String?
        /// Where it says who sends its events.
        var eventConfigurationURL: String?
    }

    /// What people call it; nil where every operator calls it otherwise.
    var displayName: String?
    /// In whose words its providers refuse; nil where the host of the issuer tells.
    var dialect: DialectName?
    /// Nil where every operator has an issuer of their own.
    var place: Place?
    var clientAuthentication = ClientAuthenticationMethod.basic
    /// Whether a section without a secret is good for the ID tokens of apps, so that none is demanded.
    var doesWithoutSecret = false
    /// RS256 is what every OpenID Provider has (OpenID Connect Core §15.1).
    var algorithms: [SignatureAlgorithm] = [.rs256]
    /// Those that every OpenID Provider takes (OpenID Connect Core §5.4), since some refuse a request for one that they
    /// don't know.
    var scopes = ["openid", "profile", "email"]
    var redirectURI = RedirectURIUse.required
    var responseMode = ResponseMode.query
    var requirePKCE = true
    var nativeTokens = false
    var userinfo = UserinfoUse.required
    var authTime = AuthenticationTimes.auto
    var pkce = PKCEUse.auto
    var trustEmails = EmailTrust.Extent.owned
    var emailDomains: [String] = []
    /// Whether it names a user otherwise to each client.
    var subjectsAreOfClient = false
}

extension ProviderProfile {
    /// What sections of this profile begin with.
    var preset: ProviderPreset {
        switch self {
        // A carrier has a scope for each attribute.
        case .zenkey:
            ProviderPreset(
                displayName: "ZenKey", scopes: ["openid", "name", "email", "phone", "postal_code"], pkce: .enforced,
                trustEmails: .all)
        case .openid, .tim: ProviderPreset()
        case .beyondIdentity: ProviderPreset(displayName: "Beyond Identity", algorithms: [.rs256, .es256])
        case .telenorID:
            ProviderPreset(
                displayName: "TelenorID+", place: ProviderPreset.Place(issuer: "https://id.telenor.no"),
                scopes: ["openid", "profile", "email", "phone", "offline_access"], subjectsAreOfClient: true)
        case .google: Self.ofGoogle
        case .apple: Self.ofApple
        case .microsoft: Self.ofMicrosoft
        case .facebook: Self.ofFacebook
        case .line: Self.ofLINE
        case .auth0: ProviderPreset(dialect: .auth0, nativeTokens: true, userinfo: .optional)
        case .okta: ProviderPreset(dialect: .okta, nativeTokens: true, userinfo: .optional)
        case .keycloak: ProviderPreset(nativeTokens: true, userinfo: .optional)
        case .cognito:
            ProviderPreset(
                scopes: ["openid", "profile", "email", "phone"], nativeTokens: true, userinfo: .optional,
                pkce: .enforced)
        }
    }

    /// Codes that apps post are those of its SDK, which have no verifier and an empty redirect URI.
    private static var ofGoogle: ProviderPreset {
        ProviderPreset(
            displayName: "Google", dialect: .google,
            place: ProviderPreset.Place(
                issuer: "https://accounts.google.com", issuers: ["accounts.google.com"],
                eventConfigurationURL: "https://accounts.google.com/.well-known/risc-configuration"),
            redirectURI: .empty, requirePKCE: false, nativeTokens: true, userinfo: .optional,
            authTime: .never, emailDomains: ["gmail.com", "googlemail.com"])
    }

    /// Its metadata has had another name than its tokens since 2025. It has no userinfo, and takes no verifier. Asked
    /// for a name or an address, it answers by a form only.
    private static var ofApple: ProviderPreset {
        ProviderPreset(
            displayName: "Apple", dialect: .apple,
            place: ProviderPreset.Place(
                issuer: "https://appleid.apple.com", issuers: ["https://account.apple.com"]),
            clientAuthentication: .apple, scopes: ["openid", "name", "email"], redirectURI: .optional,
            responseMode: .formPost, requirePKCE: false, nativeTokens: true, userinfo: .never, authTime: .never,
            pkce: .ignored, trustEmails: .all)
    }

    /// Its userinfo wants a token of another API, and tells nothing that the ID token does not.
    private static var ofMicrosoft: ProviderPreset {
        let directory = "https://login.microsoftonline.com"
        return ProviderPreset(
            displayName: "Microsoft", dialect: .entra,
            place: ProviderPreset.Place(
                issuer: "\(directory)/\(IssuerNames.tenantPlaceholder)/v2.0",
                discoveryURL: "\(directory)/organizations/v2.0/.well-known/openid-configuration"),
            nativeTokens: true, userinfo: .never, pkce: .enforced, trustEmails: .none, subjectsAreOfClient: true)
    }

    /// Limited Login: an ID token is all there is, under either name. A secret is for what Facebook posts.
    private static var ofFacebook: ProviderPreset {
        ProviderPreset(
            displayName: "Facebook", dialect: .facebook,
            place: ProviderPreset.Place(
                issuer: "https://www.facebook.com", issuers: ["https://limited.facebook.com"],
                discoveryURL: "https://limited.facebook.com/.well-known/openid-configuration/"),
            clientAuthentication: .post, doesWithoutSecret: true, nativeTokens: true, userinfo: .never,
            authTime: .never, trustEmails: .none, subjectsAreOfClient: true)
    }

    /// ES256 for apps; codes come to an ID token under the channel's secret, which LINE verifies for us.
    private static var ofLINE: ProviderPreset {
        ProviderPreset(
            displayName: "LINE", dialect: .line,
            place: ProviderPreset.Place(
                issuer: "https://access.line.me",
                idTokenVerificationURL: "https://api.line.me/oauth2/v2.1/verify"),
            clientAuthentication: .post, doesWithoutSecret: true, algorithms: [.es256], nativeTokens: true,
            userinfo: .never, authTime: .never)
    }
}

extension ProviderSettings {
    /// What the preset is chosen by: the profile; whether the issuer is its own; whether there is a secret.
    static var presetKeys: Set<String> { ["profile", "issuer", "clientSecret"] }

    /// Takes what is known of everybody's provider of that profile.
    mutating func takePreset() {
        let preset = profile.preset
        if let place = preset.place { take(place) }
        if profile == .zenkey { discoveryURL = Self.discoveryOfCarriers }
        clientAuthentication =
            preset.doesWithoutSecret && clientSecret == nil ? .publicClient : preset.clientAuthentication
        redirectURI = preset.redirectURI
        responseMode = preset.responseMode
        requirePKCE = preset.requirePKCE
        nativeTokens = preset.nativeTokens
        userinfo = preset.userinfo
        authTime = preset.authTime
        pkce = preset.pkce
        emailDomains = preset.emailDomains
    }

    /// The documents of one issuer tell nothing of another, and its tokens are nobody else's to verify.
    private mutating func take(_ place: ProviderPreset.Place) {
        if issuer == nil { issuer = ConfiguredIssuer(place.issuer) }
        guard issuer?.text == place.issuer else { return }
        issuers = place.issuers
        discoveryURL = Self.address(place.discoveryURL)
        idTokenVerificationURL = Self.address(place.idTokenVerificationURL)
        eventConfigurationURL = Self.address(place.eventConfigurationURL)
    }

    private static let discoveryOfCarriers = address(
        "https://discoveryissuer.myzenkey.com/.well-known/openid_configuration")

    private static func address(_ text: String?) -> EndpointURL? {
        text.flatMap { try? EndpointURL(configured: $0) }
    }
}

/// One provider's configuration, validated.
public struct ProviderSettings: Sendable {
    /// The name `providers` lists: lower-case letters, digits and hyphens.
    public let name: String
    public internal(set) var profile = ProviderProfile.zenkey
    /// Where discovery is asked by mobile network; profile `zenkey` uses it, the others don't.
    public internal(set) var discoveryURL = WebAddress(
        "https://discoveryissuer.myzenkey.com/.well-known/openid_configuration")
    /// Where users choose a carrier, for when discovery names no page.
    public internal(set) var discoveryUI: WebAddress?
    /// Where discovery starts, and what every ID token must say; present for every profile but `zenkey`.
    public internal(set) var issuer: WebAddress?
    public internal(set) var clientID = ""
    /// Present for `client_secret_basic` and `client_secret_post`.
    public internal(set) var clientSecret: SecretString?
    public internal(set) var clientAuthentication = ClientAuthentication.basic
    /// Nil only until the profile's own way is filled in.
    var chosenBasicEncoding: BasicEncoding?
    public var basicEncoding: BasicEncoding { chosenBasicEncoding ?? profile.basicEncoding }
    /// Whether nobody chose it.
    var hasUsualBasicEncoding = false
    public internal(set) var clientKeyFile: String?
    /// Never empty. For profile `zenkey` the default is the redirect URI of its mobile SDKs.
    public internal(set) var redirectURIs: [String] = []
    /// Host names in lower case; one that starts with `*.` stands for every host below that name.
    public internal(set) var trustedIssuers = [
        "*.att.com", "*.verizon.com", "*.t-mobile.com", "*.myzenkey.com", "*.xcijv.com",
    ]
    public internal(set) var issuerAliases: [IssuerAlias] = []
    /// The algorithms an ID token may be signed with; never empty.
    public internal(set) var algorithms = [SignatureAlgorithm.rs256]
    public internal(set) var atHashOfEdDSA = EdDSATokenHash.sha512
    public internal(set) var scopes = ["openid", "name", "email", "phone", "postal_code"]
    /// Whether the `iss` of the authorization response (RFC 9207) is demanded whatever metadata says.
    public internal(set) var requireIss = false
    public internal(set) var requirePKCE = true
    public internal(set) var requireNonce = false
    public internal(set) var requireChallenge = false
    /// Nil: any level of assurance will do.
    public internal(set) var minimumACR: String?
    public internal(set) var clockSkewSeconds = 60
    /// Nil: no limit.
    public internal(set) var portTokenMaxAgeDays: Int? = 200
    public internal(set) var userinfo = true
    /// Nil: no time.
    public internal(set) var transactionIdentityMinimumAgeHours: Int? = 24
    /// Claims that are handed to the app besides the attributes, by name; none of them is a protocol's.
    public internal(set) var claims: [String] = []
    public internal(set) var keepTokens = false
    /// Time for one call to the provider; nil: no limit.
    public internal(set) var timeoutSeconds: Int? = 10
    /// Time for a whole sign-in; nil: no limit.
    public internal(set) var signInTimeoutSeconds: Int? = 20
    /// Connections to one host at once, of all loops together; nil: no limit.
    public internal(set) var connectionsPerHost: Int? = 512
    /// Sign-ins at once; nil: no limit.
    public internal(set) var inFlight: Int? = 2000
    public internal(set) var caFile: String?
    public internal(set) var allowLoopbackHTTP = false

    init(name: String) {
        self.name = name
    }
}

internal import Accounts
public import Apps
internal import Providers
internal import Syntax

/// An authorization request of one of our own apps (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core §3.1.2.1),
/// validated.
public struct AppRequest: Sendable {
    /// What each parameter may have, in bytes.
    private static let maximumBytes = 2048
    /// All of them together, since they wait in the store for their user to come back.
    private static let maximumSum = 12_288
    private static let challengeLength = 43

    public let address: AppAddress
    let nonce: String?
    /// By S256, always.
    let codeChallenge: String
    /// What is granted.
    public let permissions: Permissions
    /// Whom the app's tokens are to be made out to; nil for this service (RFC 8707 §2.1).
    let audience: String?
    /// What goes on to the provider as it came, beside what has a meaning here.
    let carried: CarriedParameters
    /// What the handset has to show besides; it goes on to the provider and is kept nowhere.
    let lineToken: LineToken?

    /// What an authorization request is refused with.
    public struct Problem: Error, Equatable, Sendable {
        /// As RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6 have them.
        public let error: String
        public let description: String

        public init(_ error: String, _ description: String) {
            (self.error, self.description) = (error, description)
        }

        public static func invalid(_ name: String, _ problem: String) -> Problem {
            Problem("invalid_request", "The parameter \(name) \(problem).")
        }
    }

    /// Whether nobody may be asked anything (OpenID Connect Core §3.1.2.1).
    public var isSilent: Bool { carried.isSilent }

    /// Whether it brings the session of a line authentication, which not every provider takes.
    public var hasLineToken: Bool { lineToken != nil }

    /// Validates a request whose answer has an address.
    ///
    /// - Parameter now: seconds since 1970.
    init(_ parameters: AuthorizationParameters, to address: AppAddress, now: Int64) throws(Problem) {
        try Self.checkSizes(parameters)
        if let name = parameters.unusable.sorted().first {
            throw .invalid(name, "is there twice, is too long, or has a NUL")
        }
        try Self.checkResponse(parameters)
        guard address.app.rights.grants.contains(.authorizationCode) else {
            throw Problem("unauthorized_client", "The app's section does not list authorization_code among its grants.")
        }
        self.address = address
        codeChallenge = try Self.codeChallenge(parameters)
        permissions = try Self.permissions(parameters[.scope], of: address.app)
        audience = try Self.audience(parameters[.resource], of: address)
        nonce = try Self.text(parameters, .nonce)
        _ = try Self.text(parameters, .state)
        var carried = try CarriedParameters(parameters)
        // An approval is of this moment: the provider is to have the user authenticate who did so long ago.
        if carried.maximumAgeSeconds == nil, let approval = carried.approval(permissions, nonce: nonce) {
            carried["max_age"] = "\(approval.maximumAgeSeconds)"
        }
        self.carried = carried
        lineToken = try LineToken.read(parameters, now: now)
    }

    private static func checkSizes(_ parameters: AuthorizationParameters) throws(Problem) {
        var sum = 0
        for (name, count) in parameters.byteCounts {
            guard let longest = BrowserParameter(rawValue: name).map(longest) else { continue }
            guard count <= longest else { throw .invalid(name, "has \(count) bytes; \(longest) are allowed") }
            sum += count
        }
        guard sum <= maximumSum else {
            throw Problem(
                "invalid_request", "All parameters together have \(sum) bytes; \(maximumSum) are allowed.")
        }
    }

    /// How long one may be, in bytes.
    private static func longest(_ parameter: BrowserParameter) -> Int {
        parameter == .loginHintToken ? AuthorizationParameters.maximumTokenBytes : maximumBytes
    }

    private static func checkResponse(_ parameters: AuthorizationParameters) throws(Problem) {
        guard let type = parameters[.responseType] else { throw .invalid("response_type", "is missing") }
        guard type == "code" else {
            throw Problem("unsupported_response_type", "The only response_type is code.")
        }
        if let mode = parameters[.responseMode], mode != "query" {
            throw .invalid("response_mode", "must be query, or be left out")
        }
        for (name, error) in [
            (BrowserParameter.request, "request_not_supported"), (.requestURI, "request_uri_not_supported"),
            (.registration, "registration_not_supported"),
        ] where parameters[name] != nil {
            throw Problem(error, "The parameter \(name.rawValue) is not supported.")
        }
    }

    /// A challenge by S256 is the base64url of 32 bytes (RFC 7636 §4.2); `plain` would show the verifier to everybody
    /// who sees the request (RFC 9700 §2.1.1).
    private static func codeChallenge(_ parameters: AuthorizationParameters) throws(Problem) -> String {
        guard let challenge = parameters[.codeChallenge] else { throw .invalid("code_challenge", "is missing") }
        guard parameters[.codeChallengeMethod] == PKCE.method else {
            throw .invalid("code_challenge_method", "must be \(PKCE.method)")
        }
        guard challenge.utf8.count == challengeLength, Base64URL.decode(challenge) != nil else {
            throw .invalid("code_challenge", "must be the base64url of a SHA-256 hash")
        }
        return challenge
    }

    /// What is granted of what is asked: what the app's section does not have is left out (RFC 6749 §3.3).
    private static func permissions(_ text: String?, of app: RegisteredApp) throws(Problem) -> Permissions {
        guard let text else { return app.granted([]) }
        guard Permissions.isWellFormed(scope: text) else {
            throw Problem("invalid_scope", "The parameter scope is not a list of scopes.")
        }
        let granted = app.granted(Permissions(scope: text))
        guard !granted.isEmpty else {
            let allowed = app.rights.permissions.scope
            throw Problem("invalid_scope", "Nothing of the scope can be granted; this app may have: \(allowed).")
        }
        return granted
    }

    private static func audience(_ resource: String?, of address: AppAddress) throws(Problem) -> String? {
        guard let resource, resource != address.issuer else { return nil }
        guard address.app.rights.audiences.contains(resource) else {
            throw Problem("invalid_target", "The resource is none of the audiences that this app may have tokens for.")
        }
        return resource
    }

    static func text(
        _ parameters: AuthorizationParameters, _ parameter: BrowserParameter
    ) throws(Problem) -> String? {
        guard let value = parameters[parameter] else { return nil }
        let name = parameter.rawValue
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalid(name, "has control characters")
        }
        return value
    }
}

/// What an app asks of the provider, which is carried on: there is no sign-in of ours beside the provider's, so what it
/// says about sign-ins is the provider's to do.
struct CarriedParameters: Equatable, Sendable {
    private static let carried: [BrowserParameter] = [
        .prompt, .maximumAge, .acrValues, .loginHint, .loginHintToken, .locales, .context,
    ]

    /// As the provider gets them, in the order above.
    private(set) var values: [(name: String, value: String)] = []
    var correlationID: String?
    var network: MobileNetwork?

    init() {}

    init(_ parameters: AuthorizationParameters) throws(AppRequest.Problem) {
        for name in Self.carried {
            let isMultiline = name == .context
            let value = isMultiline ? parameters[name] : try AppRequest.text(parameters, name)
            if let value { values.append((name.rawValue, value)) }
        }
        if let prompt = self["prompt"]?.split(separator: " "), prompt.contains("none"), prompt.count > 1 {
            throw .invalid("prompt", "can't be none and something else")
        }
        if let age = self["max_age"] {
            guard AuthorizedResponse.seconds(age) != nil else {
                throw .invalid("max_age", "must be a number of seconds")
            }
        }
        do throws(ParameterError) {
            _ = try AuthorizedResponse.checked(context: self["context"])
            correlationID = try AuthorizedResponse.checked(correlationID: parameters[.correlationID])
        } catch {
            throw .invalid(error.name, error.problem)
        }
        if let mccmnc = parameters[.mccmnc] {
            guard let network = MobileNetwork(mccmnc) else { throw .invalid("mccmnc", "must be five or six digits") }
            self.network = network
        }
    }

    static func == (left: CarriedParameters, right: CarriedParameters) -> Bool {
        left.values.elementsEqual(right.values) { $0.name == $1.name && $0.value == $1.value }
            && left.correlationID == right.correlationID && left.network == right.network
    }

    subscript(name: String) -> String? {
        get { values.first { $0.name == name }?.value }
        set {
            values.removeAll { $0.name == name }
            if let newValue { values.append((name, newValue)) }
        }
    }

    /// What the user is to approve with the sign-in; nil for nothing.
    func approval(_ permissions: Permissions, nonce: String?) -> RequestedApproval? {
        RequestedApproval(
            of: self["context"], acrValues: self["acr_values"], nonce: nonce, maximumAgeSeconds: maximumAgeSeconds,
            by: permissions)
    }

    var isSilent: Bool { self["prompt"] == "none" }
    /// Whether the provider is to have the user authenticate again.
    var asksForLogin: Bool { self["prompt"]?.split(separator: " ").contains("login") == true }
    /// Whether the user is to be asked for consent again.
    var asksForConsent: Bool { self["prompt"]?.split(separator: " ").contains("consent") == true }
    var maximumAgeSeconds: Int64? { self["max_age"].flatMap { AuthorizedResponse.seconds($0) } }
}

internal import Accounts
public import Apps
internal import Providers
internal import Syntax

/// Where the answer to an app's authorization request goes. It is found before anything else of the request is looked
/// at: as long as there is none, an error is told to the person at the browser, and to nobody else (RFC 6749 §4.1.2.1).
public struct AppAddress: Sendable {
    /// Why there is none.
    public enum Problem: Error, Equatable, Sendable {
        case unknownApp
        case redirectURINotAllowed
        /// The parameter of that name is missing, repeated or too long, or has a NUL.
        case parameter(String)
    }

    public let app: RegisteredApp
    public let redirectURI: String
    /// The app's own, which goes back as it came.
    let state: String?
    /// The name of this service, which goes back too (RFC 9207 §2).
    let issuer: String

    init(app: RegisteredApp, redirectURI: String, state: String?, issuer: String) {
        (self.app, self.redirectURI, self.state, self.issuer) = (app, redirectURI, state, issuer)
    }

    /// Reads it from a request.
    ///
    /// - Parameters:
    ///   - parameters: all that were sent, by name; a request that names one twice has no one value for it.
    ///   - issuer: the name of this service.
    public init(
        _ parameters: AuthorizationParameters, apps: AppRegistry, issuer: String
    ) throws(Problem) {
        guard let clientID = parameters[.clientID] else { throw .parameter("client_id") }
        guard let app = apps[clientID] else { throw .unknownApp }
        guard let redirectURI = parameters[.redirectURI] else {
            // The one that there is can't be meant otherwise; with several, or with any port, it has to be said.
            throw .parameter("redirect_uri")
        }
        guard app.allows(redirectURI: redirectURI) else { throw .redirectURINotAllowed }
        self.init(app: app, redirectURI: redirectURI, state: parameters[.state], issuer: issuer)
    }

    /// Whether another program could have sent the browser here, and wait for the answer, in the app's name: at a
    /// private scheme or a port of the machine nobody is kept from listening (RFC 8252 §8.6).
    public var canBeImitated: Bool { !RedirectURI(redirectURI).isClaimedHTTPS }

    /// What a person would say that it leads to; nil for a program on their machine.
    public var home: String? { RedirectURI(redirectURI).home }

    /// The address with a code (RFC 6749 §4.1.2).
    func answer(code: String) -> String { answer([("code", code)]) }

    /// The address with an identity that the user has now besides.
    func answer(linked identity: IdentityID) -> String { answer([("linked_identity", "\(identity.rawValue)")]) }

    /// The address with an error (RFC 6749 §4.1.2.1).
    ///
    /// - Parameter description: for the developer; what the grammar of `error_description` does not have is left out.
    public func answer(error: String, description: String) -> String {
        let isAllowed = { (byte: UInt8) in
            (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        let plain = String(decoding: description.utf8.filter(isAllowed), as: UTF8.self)
        return answer([("error", error), ("error_description", plain)])
    }

    private func answer(_ parameters: [(String, String)]) -> String {
        Self.adding(parameters.map { ($0.0, $0.1) } + [("state", state), ("iss", issuer)], to: redirectURI)
    }

    /// An address with parameters added to its query; those without a value are left out.
    static func adding(_ parameters: [(String, String?)], to address: String) -> String {
        var bytes = Array(address.utf8)
        var separator: UInt8 = bytes.contains(.questionMark) ? .ampersand : .questionMark
        if bytes.last == .questionMark || bytes.last == .ampersand { bytes.removeLast() }
        for (name, value) in parameters {
            guard let value else { continue }
            bytes.append(separator)
            separator = .ampersand
            PercentEncoding.append(name.utf8.span, to: &bytes, spaceIsPlus: false)
            bytes.append(.equalsSign)
            PercentEncoding.append(value.utf8.span, to: &bytes, spaceIsPlus: false)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The parameters that a browser brings to any of the operations for it, by the names of the standards.
public enum BrowserParameter: String, Sendable {
    case clientID = "client_id"
    case redirectURI = "redirect_uri"
    case responseType = "response_type"
    case responseMode = "response_mode"
    case scope, resource, state, nonce
    case codeChallenge = "code_challenge"
    case codeChallengeMethod = "code_challenge_method"
    case request
    case requestURI = "request_uri"
    case registration, prompt
    case maximumAge = "max_age"
    case acrValues = "acr_values"
    case loginHint = "login_hint"
    case loginHintToken = "login_hint_token"
    case locales = "ui_locales"
    case context
    case correlationID = "correlation_id"
    case provider, mccmnc
    case lineToken = "aloha_token"
    case lineTokenExpiry = "aloha_expires_at"
    case code, error
    case issuer = "iss"
    case user, token
    case idTokenHint = "id_token_hint"
    case postLogoutRedirectURI = "post_logout_redirect_uri"
    /// Marks what was posted to a callback by our own page.
    case resubmitted = "gatehouse_resubmitted"
    /// Marks what was posted to sign out by our own page.
    case confirmed = "gatehouse_confirmed"
    /// Marks that the user does not want what our own page asks.
    case declined = "gatehouse_declined"
}

/// The parameters of a request that a browser brings, by name. An empty one counts as absent (RFC 6749 §3.1), and one
/// that is there twice has no value at all.
public struct AuthorizationParameters: Sendable {
    /// How a browser brings them.
    public enum Source: Sendable {
        case address, form
    }

    /// How long the longest may be that anybody sends, in bytes: what a provider answers, and what tells it of a user.
    private static let maximumBytes = 4096
    static let maximumTokenBytes = 8192

    private let fields: [(name: String, value: String)]
    private let source: Source
    /// Those that were sent more than once, that are longer than any has to be, or that have a control
    /// character, which none may have (RFC 6749 appendix A) and some stores do not hold.
    public let unusable: Set<String>
    /// How long each is, in bytes, also of those that are not usable.
    let byteCounts: [(name: String, count: Int)]

    public init(_ fields: [(name: String, value: String)], from source: Source = .address) {
        self.source = source
        let given = fields.filter { !$0.value.isEmpty }
        var seen: Set<String> = []
        var unusable: Set<String> = []
        for field in given {
            let longest = BrowserParameter(rawValue: field.name).map { Self.longest($0, from: source) }
            if !seen.insert(field.name).inserted || field.value.utf8.count > longest ?? Self.maximumBytes
                || field.value.hasControlCharacters
            {
                unusable.insert(field.name)
            }
        }
        byteCounts = given.map { ($0.name, $0.value.utf8.count) }
        self.unusable = unusable
        self.fields = given.filter { !unusable.contains($0.name) }
    }

    /// How long one may be, in bytes, before anything is known of it.
    private static func longest(_ parameter: BrowserParameter, from source: Source) -> Int {
        switch (parameter, source) {
        case (.loginHintToken, _): maximumTokenBytes
        // The provider draws the one, and the other has what the provider says of its user.
        case (.code, .address), (.idTokenHint, .address): ProviderTextLimit.inAddress
        case (.code, .form): ProviderTextLimit.inBody
        case (.idTokenHint, .form): IDTokenVerifier.maximumTokenBytes
        default: maximumBytes
        }
    }

    public subscript(parameter: BrowserParameter) -> String? {
        fields.first { $0.name == parameter.rawValue }?.value
    }

    /// The app's own name for the sign-in, for the log; nil where there is none that could do no harm there.
    public var correlationID: String? { try? AuthorizedResponse.checked(correlationID: self[.correlationID]) }

    /// Without the session of a line authentication, for a provider that does not take one.
    public var withoutLineToken: AuthorizationParameters {
        AuthorizationParameters(fields.filter { !LineToken.names.contains($0.name) }, from: source)
    }

    /// The session of a line authentication, as it came.
    public var lineToken: [(name: String, value: String)] { fields.filter { LineToken.names.contains($0.name) } }

    /// All that are usable, in their order.
    public var all: [(name: String, value: String)] { fields }
}

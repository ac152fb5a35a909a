public import Accounts
internal import Apps
internal import JSON
public import Providers
internal import Syntax

/// What an app posts after its user has approved a sign-in: an authorization code and what is needed to exchange and
/// check it, or an ID token that a provider's SDK has given to the app, or both. Every part was validated; there is no
/// other way to make one.
public struct AuthorizedResponse: Sendable {
    /// What shows that the user has approved.
    enum Proof: Sendable {
        case code(String)
        /// What a provider's SDK has given to the app.
        case idToken(NativeToken, code: String?)
        /// What a carrier has shown with the tokens that it has sent of its own accord.
        case pushed(String)
    }

    let proof: Proof
    /// Which of our clients the code was issued to, where that is not the section's own.
    let clientID: String?
    /// What the user is called, by what the app says and nobody else.
    let name: SelfAssertedName?
    /// Nil where the code was asked for without one; empty where the provider is to be told so.
    public let redirectURI: String?
    /// Whose answer it is, as it came back with the code (RFC 9207 §2).
    public let issuer: String?
    public let network: MobileNetwork?
    /// RFC 7636 §4.1.
    public let codeVerifier: String?
    /// With ``idToken``, what the app has drawn, which the SDK may have hashed.
    public let nonce: String?
    /// Space separated, one at least.
    public let acrValues: String?
    public let correlationID: String?
    public let context: String?
    /// What the app says that it has asked the provider for; empty where it does not say, or this service has asked.
    private(set) var askedScopes: [String] = []
    public let sdkVersion: String?
    /// Where this service sent the browser itself: the issuer that it was sent to, at whose hands the answer must come.
    /// nil for what an app posts.
    let expectedIssuer: String?
    /// When this service sent the browser there, in seconds since 1970.
    let sentAt: Int64?
    /// When the sign-in began, in milliseconds since 1970, where this service has begun it; nil for what an app posts.
    let begunAt: Int64?
    /// How long ago the user may have authenticated, where that was asked of the provider.
    let maximumAgeSeconds: Int64?
    /// When the provider was asked to have the user authenticate again, in seconds since 1970; nil where it was not.
    let loginAskedAt: Int64?
    /// Whether the user must have authenticated since the browser was sent to the provider, asked to or not.
    var mustAuthenticate = false
    /// The request that it came with, where that may be sent again because the answer was lost.
    var request: RequestDigest?
}

extension AuthorizedResponse {
    /// What is posted where a provider's code or ID token is.
    public enum Parameter: String, ProviderParameterNames {
        case clientID = "client_id"
        case provider, mccmnc, mcc, mnc, code
        case redirectURI = "redirect_uri"
        case codeVerifier = "code_verifier"
        case nonce
        case issuer = "iss"
        case idToken = "id_token"
        case accessToken = "access_token"
        case user
        case acrValues = "acr_values"
        case correlationID = "correlation_id"
        case context
        case sdkVersion = "sdk_version"
        case maximumAge = "max_age"
        /// What the app has asked the provider for.
        case scope
        /// A token of the session that a sign-in takes the place of.
        case replacesToken = "replaces_token"
        /// The app's own to check.
        case state
    }
}

extension AuthorizedResponse {
    /// Nil where nothing goes to the token endpoint.
    public var code: String? {
        switch proof {
        case .code(let code): code
        case .idToken(_, let code): code
        case .pushed: nil
        }
    }

    public var idToken: NativeToken? { if case .idToken(let token, code: _) = proof { token } else { nil } }

    package static let maximumTextBytes = 2048
    /// In characters.
    public static let maximumContextLength = 280
    static let maximumCorrelationIDLength = 64

    /// Validates what an app sent to a provider's sign-in.
    ///
    /// - Parameters:
    ///   - parameters: finds a parameter by its name; an empty one counts as absent.
    ///   - provider: whose rules apply: whether PKCE and a nonce are needed, and what a network looks like.
    /// - Throws: `ParameterError` for the first parameter that does not fit.
    public init(_ parameters: (Parameter) -> String?, for provider: Provider) throws(ParameterError) {
        func text(_ name: Parameter, isRequired: Bool = false, longest: Int = Self.maximumTextBytes)
            throws(ParameterError)
            -> String?
        {
            try Self.text(name, in: parameters, isRequired: isRequired, longest: longest)
        }
        let idToken = try Self.idToken(parameters, for: provider)
        let code = try text(.code, longest: ProviderTextLimit.inBody)
        let proof: Proof
        if let idToken {
            proof = .idToken(idToken, code: code)
        } else if let code {
            proof = .code(code)
        } else {
            throw .missingCode
        }
        self.init(
            proof: proof,
            clientID: try Self.codeClient(parameters, for: provider),
            name: idToken == nil ? nil : parameters(.user).flatMap(SelfAssertedName.init(apple:)),
            redirectURI: code == nil ? nil : try Self.redirectURI(try text(.redirectURI), for: provider),
            // Only what came back to the app by a redirect came with one.
            issuer: try text(.issuer, isRequired: provider.configuration.requiresIssuer && code != nil),
            network: try Self.network(try text(.mccmnc), for: provider),
            codeVerifier: code == nil
                ? nil
                : try Self.codeVerifier(try text(.codeVerifier), isRequired: provider.configuration.requiresPKCE),
            nonce: try Self.nonce(parameters, for: provider, isNative: idToken != nil),
            // Blanks ask for nothing, and must not pass for a level that was asked.
            acrValues: try text(.acrValues).flatMap { $0.allBytes { $0 == .space } ? nil : $0 },
            correlationID: try Self.checked(correlationID: try text(.correlationID)),
            context: try Self.checked(context: parameters(.context)),
            sdkVersion: try text(.sdkVersion, longest: 64),
            expectedIssuer: nil, sentAt: nil, begunAt: nil,
            maximumAgeSeconds: try Self.maximumAge(parameters, for: provider),
            loginAskedAt: nil)
        askedScopes = try Self.scopes(try text(.scope))
    }

    /// - Throws: `ParameterError` for what is no list of scopes (RFC 6749 §3.3).
    private static func scopes(_ text: String?) throws(ParameterError) -> [String] {
        guard let text else { return [] }
        guard Permissions.isWellFormed(scope: text) else {
            throw ParameterError("scope", "is not a list of scopes with blanks between them")
        }
        return text.split(separator: " ").map(String.init)
    }

    /// A parameter as a text that may go into another request: not too long, and without control characters.
    ///
    /// - Parameter longest: in bytes.
    /// - Throws: `ParameterError`, also for one that is required and absent.
    private static func text(
        _ parameter: Parameter, in parameters: (Parameter) -> String?, isRequired: Bool = false,
        longest: Int = maximumTextBytes
    ) throws(ParameterError) -> String? {
        let name = parameter.rawValue
        guard let value = parameters(parameter), !value.isEmpty else {
            if isRequired { throw ParameterError(name, "is missing") }
            return nil
        }
        guard value.utf8.count <= longest else { throw ParameterError(name, "is longer than \(longest) bytes") }
        // No part of a character beyond ASCII is one of these bytes.
        guard value.allBytes({ $0 >= 0x20 && $0 != 0x7F }) else { throw ParameterError(name, "has control characters") }
        return value
    }

    /// The ID token that a provider's SDK has given to the app, with what else it gave. Beside a code, for a provider
    /// that takes none, it is passed over as everything is that we do not know.
    private static func idToken(
        _ parameters: (Parameter) -> String?, for provider: Provider
    ) throws(ParameterError) -> NativeToken? {
        guard provider.configuration.nativeTokens != nil else {
            guard parameters(.code)?.isEmpty != false, parameters(.idToken)?.isEmpty == false else { return nil }
            throw ParameterError("id_token", "is not taken: nativeTokens is off for this provider")
        }
        guard let token = try text(.idToken, in: parameters, longest: NativeToken.maximumBytes) else { return nil }
        let accessToken = try text(.accessToken, in: parameters, longest: AccessTokenRules.maximumTokenBytes)
        guard accessToken.map(AccessTokenRules.isWellFormed) != false else {
            throw ParameterError("access_token", "has characters that no access token has")
        }
        return NativeToken(token, accessToken: accessToken)
    }

    /// Which of our clients a code was issued to, where each exchanges its own, as at Apple.
    private static func codeClient(
        _ parameters: (Parameter) -> String?, for provider: Provider
    ) throws(ParameterError) -> String? {
        guard provider.exchangesForEachClient else { return nil }
        return try text(.clientID, in: parameters).flatMap { provider.isCodeClient($0) ? $0 : nil }
    }

    private static func nonce(
        _ parameters: (Parameter) -> String?, for provider: Provider, isNative: Bool
    ) throws(ParameterError) -> String? {
        let native = isNative ? provider.configuration.nativeTokens : nil
        let nonce = try text(
            .nonce, in: parameters,
            isRequired: provider.configuration.requiresNonce || native?.alwaysComparesNonce == true)
        guard nonce == nil || native?.neverComparesNonce != true else {
            throw ParameterError("nonce", "is given, and could not be compared: nativeNonce is none for this provider")
        }
        return nonce
    }

    /// How long ago the user may have authenticated, where the app has asked the provider for that.
    private static func maximumAge(
        _ parameters: (Parameter) -> String?, for provider: Provider
    ) throws(ParameterError) -> Int64? {
        let name = Parameter.maximumAge.rawValue
        guard let text = try Self.text(.maximumAge, in: parameters) else { return nil }
        guard provider.configuration.authenticationTimes != .never else {
            throw ParameterError(name, "can't be held to: authTime is never for this provider")
        }
        guard let seconds = Self.seconds(text) else { throw ParameterError(name, "must be a number of seconds") }
        return seconds
    }

    /// A `max_age` (OpenID Connect Core §3.1.2.1).
    static func seconds(_ text: String) -> Int64? {
        guard text.allBytes(\.isDigit) else { return nil }
        return Int64(text)
    }

    /// The redirect URI of a code, as the provider has it.
    private static func redirectURI(_ text: String?, for provider: Provider) throws(ParameterError) -> String? {
        switch provider.configuration.redirectURIUse {
        case .required: break
        case .optional: return text
        case .omitted, .empty:
            guard text == nil else {
                throw ParameterError("redirect_uri", "must be left out: codes of this provider have none")
            }
            return provider.configuration.redirectURIUse == .empty ? "" : nil
        }
        if let text { return text }
        let configured = provider.configuration.redirectURIs
        guard let only = configured.first, configured.count == 1 else {
            throw ParameterError("redirect_uri", "is missing")
        }
        return only
    }

    /// What users are shown and approve.
    ///
    /// - Parameter mayHaveLines: whether there are lines and columns where it is shown.
    package static func checked(context text: String?, mayHaveLines: Bool = true) throws(ParameterError) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= maximumTextBytes else {
            throw ParameterError("context", "is longer than \(maximumTextBytes) bytes")
        }
        if let fault = VisibleText.fault(of: text, mayHaveLines: mayHaveLines) {
            throw ParameterError("context", fault.rawValue)
        }
        guard text.count <= maximumContextLength else {
            throw ParameterError("context", "is longer than \(maximumContextLength) characters")
        }
        return text
    }

    private static func network(
        _ text: String?, for provider: Provider
    ) throws(ParameterError) -> MobileNetwork? {
        let needsSixDigits = provider.takesPortTokens
        guard let text else {
            if needsSixDigits { throw ParameterError("mccmnc", "is missing") }
            return nil
        }
        guard let network = MobileNetwork(text), network.hasSixDigits || !needsSixDigits else {
            throw ParameterError("mccmnc", needsSixDigits ? "must be six digits" : "must be five or six digits")
        }
        return network
    }

    /// RFC 7636 §4.1: 43 to 128 unreserved characters.
    private static func codeVerifier(_ text: String?, isRequired: Bool) throws(ParameterError) -> String? {
        guard let text else {
            if isRequired { throw ParameterError("code_verifier", "is missing") }
            return nil
        }
        guard (43...128).contains(text.utf8.count), text.allBytes(\.isUnreserved) else {
            throw ParameterError("code_verifier", "must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~")
        }
        return text
    }

    /// It goes into the carriers' logs and ours, so it is kept to what can do no harm there.
    package static func checked(correlationID text: String?) throws(ParameterError) -> String? {
        guard let text else { return nil }
        let isPlain = text.allBytes { $0.isAlphanumeric || "-_.".utf8.contains($0) }
        guard isPlain, text.utf8.count <= maximumCorrelationIDLength else {
            throw ParameterError(
                "correlation_id", "must be at most \(maximumCorrelationIDLength) characters of A-Z a-z 0-9 - . _")
        }
        return text
    }
}

extension SelfAssertedName {
    /// Reads what Apple hands out beside the tokens, at the very first sign-in and never again:
    /// `{"name":{"firstName":…,"lastName":…},"email":…}`. Nothing of it is signed. The address is passed over: the ID
    /// token has it, too, and there it is proven.
    ///
    /// - Parameter text: the JSON.
    /// - Returns: nil where it holds no name that can be kept.
    convenience init?(apple text: String) {
        guard let name = ProviderDocument.object(Array(text.utf8).span)?["name"] else { return nil }
        self.init(given: name["firstName"]?.shown?.string, family: name["lastName"]?.shown?.string)
    }
}

extension CorrelationHash {
    /// - Parameter name: what a sign-in is called in logs.
    /// - Returns: nil for what none can be called.
    public init?(naming name: String) {
        guard let name = try? AuthorizedResponse.checked(correlationID: name), !name.isEmpty else { return nil }
        self.init(TokenHash(sha256: name))
    }
}

public import Providers
internal import Syntax

/// What an app posts after its user has approved a sign-in: the authorization code and what is needed to exchange and
/// check it. Every part was validated; there is no other way to make one.
public struct AuthorizedResponse: Sendable {
    public let code: String
    public let redirectURI: String
    /// Whose answer it is, as it came back with the code (RFC 9207 §2).
    public let issuer: String?
    public let network: MobileNetwork?
    /// RFC 7636 §4.1.
    public let codeVerifier: String?
    public let nonce: String?
    /// Space separated, one at least.
    public let acrValues: String?
    public let correlationID: String?
    public let context: String?
    public let sdkVersion: String?
    /// Where this service sent the browser itself: the issuer that it was sent to, at whose hands the answer must come. nil
    /// for what an app posts.
    let expectedIssuer: String?
    /// How long ago the user may have authenticated, where that was asked of the provider.
    let maximumAgeSeconds: Int64?
}

/// A parameter of a request that is missing or ill-formed; the sentence never holds its value.
public struct ParameterError: Error, Equatable, Sendable {
    public let name: String
    public let problem: String

    public init(_ name: String, _ problem: String) {
        self.name = name
        self.problem = problem
    }

    static let missingIssuer = ParameterError("iss", "is missing")
}

extension AuthorizedResponse {
    static let maximumTextBytes = 2048
    /// In characters.
    public static let maximumContextLength = 280
    static let maximumCorrelationIDLength = 64

    /// Validates what an app sent to a provider's sign-in.
    ///
    /// - Parameters:
    ///   - parameters: finds a parameter by its name; an empty one counts as absent.
    ///   - provider: whose rules apply: whether PKCE and a nonce are needed, and what a network looks like.
    /// - Throws: `ParameterError` for the first parameter that does not fit.
    public init(_ parameters: (String) -> String?, for provider: Provider) throws(ParameterError) {
        func optional(_ name: String, longest: Int = Self.maximumTextBytes) throws(ParameterError) -> String? {
            guard let value = parameters(name), !value.isEmpty else { return nil }
            guard value.utf8.count <= longest else { throw ParameterError(name, "is longer than \(longest) bytes") }
            // No part of a character beyond ASCII is one of these bytes.
            guard value.allBytes({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw ParameterError(name, "has control characters")
            }
            return value
        }
        func required(_ name: String) throws(ParameterError) -> String {
            guard let value = try optional(name) else { throw ParameterError(name, "is missing") }
            return value
        }
        self.init(
            code: try required("code"),
            redirectURI: try Self.redirectURI(try optional("redirect_uri"), for: provider),
            issuer: provider.configuration.requiresIssuer ? try required("iss") : try optional("iss"),
            network: try Self.network(try optional("mccmnc"), for: provider),
            codeVerifier: try Self.codeVerifier(
                try optional("code_verifier"), isRequired: provider.configuration.requiresPKCE),
            nonce: provider.configuration.requiresNonce ? try required("nonce") : try optional("nonce"),
            // Blanks ask for nothing, and must not pass for a level that was asked.
            acrValues: try optional("acr_values").flatMap { $0.allBytes { $0 == .space } ? nil : $0 },
            correlationID: try Self.checked(correlationID: try optional("correlation_id")),
            context: try Self.checked(context: parameters("context")),
            sdkVersion: try optional("sdk_version", longest: 64),
            expectedIssuer: nil, maximumAgeSeconds: nil)
    }

    private static func redirectURI(_ text: String?, for provider: Provider) throws(ParameterError) -> String {
        if let text { return text }
        let configured = provider.configuration.redirectURIs
        guard let only = configured.first, configured.count == 1 else {
            throw ParameterError("redirect_uri", "is missing")
        }
        return only
    }

    /// What users are shown may have lines and columns.
    static func checked(context text: String?) throws(ParameterError) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= maximumTextBytes else {
            throw ParameterError("context", "is longer than \(maximumTextBytes) bytes")
        }
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || scalar == "\t" || !(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value))
        }
        guard isPlain else { throw ParameterError("context", "has control characters") }
        guard text.count <= maximumContextLength else {
            throw ParameterError("context", "is longer than \(maximumContextLength) characters")
        }
        return text
    }

    private static func network(
        _ text: String?, for provider: Provider
    ) throws(ParameterError) -> MobileNetwork? {
        let needsSixDigits = if case .zenkey = provider.configuration.profile { true } else { false }
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
    static func checked(correlationID text: String?) throws(ParameterError) -> String? {
        guard let text else { return nil }
        let isPlain = text.allBytes { $0.isAlphanumeric || "-_.".utf8.contains($0) }
        guard isPlain, text.utf8.count <= maximumCorrelationIDLength else {
            throw ParameterError(
                "correlation_id", "must be at most \(maximumCorrelationIDLength) characters of A-Z a-z 0-9 - . _")
        }
        return text
    }
}

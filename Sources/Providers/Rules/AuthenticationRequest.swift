public import Syntax

/// How the browser is to bring the answer of a provider (OAuth 2.0 Multiple Response Types §2.1).
public enum ResponseMode: String, Sendable, CaseIterable {
    /// In the address, which is what a code comes in when nothing is said.
    case query
    /// In a form that it posts (OAuth 2.0 Form Post Response Mode §2).
    case formPost = "form_post"
}

/// A request to sign a user in (OpenID Connect Core §3.1.2.1, RFC 7636 §4.3), as the address that the user's browser is
/// sent to.
public struct AuthenticationRequest: Sendable {
    public var clientID: String
    public var redirectURI: String
    public var scopes: [String]
    public var state: String
    public var nonce: String
    /// By S256; nil for providers that take none.
    public var codeChallenge: String?
    public var responseMode: ResponseMode
    /// What else is asked, such as `prompt`, in the order in which it is sent.
    public var others: [(name: String, value: String)]

    public init(
        clientID: String, redirectURI: String, scopes: [String], state: String, nonce: String, codeChallenge: String?,
        responseMode: ResponseMode, others: [(name: String, value: String)]
    ) {
        (self.clientID, self.redirectURI, self.scopes, self.state) = (clientID, redirectURI, scopes, state)
        (self.nonce, self.codeChallenge, self.responseMode) = (nonce, codeChallenge, responseMode)
        self.others = others
    }

    /// The address at a provider's authorization endpoint.
    public func address(at endpoint: EndpointURL) -> String {
        let own = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI),
            ("scope", scopes.joined(separator: " ")), ("state", state), ("nonce", nonce),
        ]
        let proof = codeChallenge.map { [("code_challenge", $0), ("code_challenge_method", PKCE.method)] } ?? []
        // Some refuse what they don't know, so what is usual is not said.
        let mode = responseMode == .query ? [] : [("response_mode", responseMode.rawValue)]
        return endpoint.appending(query: own + proof + mode + others.map { ($0.name, $0.value) }).text
    }
}

/// Why a provider sent a user back without a code (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6, the codes of
/// ZenKey's guides), by the code that it sent.
public enum AuthorizationRefusal: String, Sendable, CaseIterable {
    case accessDenied = "access_denied"
    case requestDenied = "request_denied"
    case authenticationTimedOut = "authentication_timed_out"
    case userNotFound = "user_not_found"
    case userUnsupported = "user_unsupported"
    case deviceUnavailable = "device_unavailable"
    case networkFailure = "network_failure"
    case invalidLoginHint = "invalid_login_hint"
    case invalidLoginHintToken = "invalid_login_hint_token"
    case loginRequired = "login_required"
    case interactionRequired = "interaction_required"
    case consentRequired = "consent_required"
    case accountSelectionRequired = "account_selection_required"
    case unmetAuthenticationRequirements = "unmet_authentication_requirements"
    case temporarilyUnavailable = "temporarily_unavailable"
    case serverError = "server_error"
    /// The session of the line authentication that the app has handed over is over (TelenorID+).
    case expiredLineToken = "expired_aloha_token"
    /// Our request is wrong, or any other code: nothing that the app or its user has done.
    case requestFault

    public init(code: String) { self = Self(rawValue: code) ?? .requestFault }
}

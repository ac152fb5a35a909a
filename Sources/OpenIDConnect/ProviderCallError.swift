public import HTTPClient
internal import JSON
public import Syntax
internal import System

/// Why a call to a provider gave nothing to go on with, whichever call it was.
public enum ProviderCallError: Error, Equatable, Sendable {
    /// No whole answer came.
    case transport(HTTPClientError)
    /// An answer with a status that is neither success nor an understood refusal.
    case status(Int)
    /// The provider has not processed the request, and says when to come again (RFC 9110 §15.6.4, RFC 6585 §4).
    case busy(retryAfterSeconds: Int64)
    /// The body is not the JSON it should be: unreadable, too deep, a member twice, not an object.
    case notJSON
    /// The named member is missing or of the wrong type.
    case invalidMember(String)
    /// The provider's document names another issuer than the one asked (OpenID Connect Discovery §4.3).
    case issuerMismatch
    /// The provider's issuer is not one that is trusted.
    case untrustedIssuer
    /// The named endpoint is not one we may call: not https, or not a URL.
    case refusedEndpoint(String)
    /// It failed so often of late that it is not called for so many seconds.
    case circuitOpen(retryAfterSeconds: Int64)
    /// Discovery knows no carrier for what was asked; the page, if any, lets the user choose one.
    case noCarrier(discoveryUI: String?)
    /// So many documents under new names were asked for that this one is not looked for now.
    case tooManyLookups
    /// The provider refused with an OAuth error.
    case refused(OAuthError)
    /// There is no key to prove with who we are.
    case noClientKey
}

/// What sends requests to one provider, under whatever rules hold for calls to it.
public protocol ProviderTransport: Sendable {
    /// A request that asks for a document, and changes nothing.
    func get(_ url: EndpointURL, accepting types: String) -> OutboundRequest

    /// Sends a request that may be sent again.
    func send(_ request: OutboundRequest) async throws(ProviderCallError) -> OutboundResponse
}

extension ProviderCallError {
    /// Whether a code that was sent may have been spent though no tokens came: then it must not be sent again. A clear
    /// refusal leaves nothing to remember, and remembering it would let anybody fill the store with invented codes.
    public var mayHaveSpentCode: Bool {
        switch self {
        case .transport(.timedOut(requestSent: let requestSent)),
            .transport(.connectionBroken(requestSent: let requestSent)):
            requestSent
        case .transport(.responseTooLarge), .transport(.malformedResponse), .transport(.cancelled): true
        // A broken server or a redirect says nothing of the code; a client error says that it was not taken.
        case .status(let status): !(400..<500).contains(status)
        case .notJSON, .invalidMember: true
        default: false
        }
    }

    /// How long a provider may have us wait, in seconds.
    private static let longestWait: Int64 = 3600

    /// What a status says with when to come again: in seconds, or a date by the clock of the answer's own date (RFC 9110
    /// §10.2.3).
    ///
    /// - Returns: nil for any other status, and without a time that can be read.
    init?(busy response: OutboundResponse) {
        guard response.status == 503 || response.status == 429, let text = response.header("retry-after") else {
            return nil
        }
        func time(_ text: String?) -> Int64? { text.flatMap { CalendarTime.seconds(imfFixdate: $0) } }
        let date = time(response.header("date"))
        let wait = Int64(text) ?? time(text).map { $0 - (date ?? $0) }
        guard let wait, wait >= 0 else { return nil }
        self = .busy(retryAfterSeconds: min(max(1, wait), Self.longestWait))
    }

    /// Whether the provider may have seen the code at all.
    public var mayHaveSentCode: Bool {
        switch self {
        case .transport(.couldNotConnect), .transport(.couldNotResolve), .transport(.timedOut(requestSent: false)),
            .transport(.connectionBroken(requestSent: false)), .transport(.shutDown), .circuitOpen, .refusedEndpoint,
            .noClientKey:
            false
        default: true
        }
    }
}

extension OutboundResponse {
    /// The body as a JSON object, when the status is a success.
    func jsonObject() throws(ProviderCallError) -> JSONValue {
        guard (200..<300).contains(status) else { throw .status(status) }
        return try parsedObject()
    }

    /// The body as a JSON object, whatever the status.
    func parsedObject() throws(ProviderCallError) -> JSONValue {
        guard let document = try? JSONValue(parsing: body.span), document.object != nil else { throw .notJSON }
        return document
    }
}

/// An error code of an OAuth answer (RFC 6749 §5.2, OpenID Connect Core §3.1.2.6 and the carriers' own), sorted by what
/// it means for whoever signs in.
public enum OAuthError: Error, Equatable, Sendable {
    /// The code or its verifier is wrong, expired, used or another client's.
    case invalidGrant
    /// The user or the carrier said no.
    case accessDenied
    /// The user did not answer in time.
    case authenticationTimedOut
    /// The subscriber is no longer with this carrier: discovery must run again.
    case userNotFound
    /// The hint about the user, which the app put into its authorization request, is not taken.
    case loginHintRefused
    /// The authorization request had a code challenge, and no verifier came with the code (RFC 7636 §4.6).
    case verifierMissing
    /// Our credentials or our request are wrong; the code names how. A fault of the configuration.
    case clientFault(String)
    /// The provider can't answer now.
    case temporarilyUnavailable
    /// A code that no specification we know has. From a token endpoint it is a refusal of the authorization code.
    case unknown

    /// Reads the `error` member of an answer; nil when there is none.
    ///
    /// It is a text, or, at providers with a dialect of their own, an object that may hold one of the known codes.
    init?(_ document: JSONValue) {
        switch document["error"] {
        case .string(let code): self = Self.meaning(of: code)
        case .object(let details):
            let codes = ["code", "type", "status"].compactMap { details[$0]?.string }
            self = codes.lazy.map(Self.meaning).first { $0 != .unknown } ?? .unknown
        default: return nil
        }
    }

    private static func meaning(of code: String) -> OAuthError {
        switch code {
        // `request_denied` is how ZenKey's carriers refuse a wrong verifier.
        case "invalid_grant", "request_denied": .invalidGrant
        case "access_denied", "user_unsupported", "consent_required", "login_required", "interaction_required":
            .accessDenied
        case "authentication_timed_out": .authenticationTimedOut
        case "user_not_found": .userNotFound
        case "invalid_login_hint", "invalid_login_hint_token": .loginHintRefused
        case "temporarily_unavailable", "server_error", "network_failure", "device_unavailable", "slow_down":
            .temporarilyUnavailable
        // The last two are not RFC 6749's; both are about what is configured and never about the code.
        case "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_request",
            "invalid_target", "unsupported_response_type", "redirect_uri_mismatch", "incorrect_client_credentials":
            .clientFault(code)
        default: .unknown
        }
    }
}

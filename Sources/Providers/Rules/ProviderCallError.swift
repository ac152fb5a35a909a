public import HTTPClient
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
    /// A redirect, which is never followed, and where it leads to.
    case redirected(Int, to: PrintableName)
    /// The body is not the JSON it should be: unreadable, too deep, not an object.
    case notJSON
    /// The named member is missing or of the wrong type.
    case invalidMember(String)
    /// The named member, by which something is decided, is there more than once, or its text is no Unicode.
    case doubtfulMember(String)
    /// The provider's document names another issuer than the one asked (OpenID Connect Discovery §4.3).
    case issuerMismatch(found: PrintableName, expected: PrintableName)
    /// The provider's issuer is not one that is trusted.
    case untrustedIssuer(PrintableName)
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
        case .redirected, .notJSON, .invalidMember, .doubtfulMember: true
        default: false
        }
    }

    /// How long a provider may have us wait, in seconds.
    private static let longestWait: Int64 = 3600

    /// What a status says with when to come again: in seconds, or a date by the clock of the answer's own date (RFC
    /// 9110 §10.2.3).
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

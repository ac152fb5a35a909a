public import HTTPClient
internal import JSON

/// In which words one provider refuses, where they mean something else than the specifications have them mean: a table
/// of its own in a file of its own. What the table does not have means what it means everywhere.
///
/// Status and name are read together: 401 is about who we are, whatever the name beside it (RFC 9110 §15.5.2).
public struct Dialect: Sendable {
    /// What was asked of the provider.
    public enum Call: Sendable, Hashable {
        case code, refresh, introspection, revocation, userinfo, other

        /// Whether we prove to be a client there.
        fileprivate var isOfClient: Bool {
            switch self {
            case .code, .refresh, .introspection, .revocation: true
            case .userinfo, .other: false
            }
        }
    }

    /// One line of the table.
    struct Rule: Sendable {
        /// The provider's name for the fault, to the letter; nil where the mark alone tells.
        let name: String?
        /// With which status; nil for any.
        var statuses: ClosedRange<Int>?
        /// Of which calls; nil for any.
        var calls: Set<Call>?
        /// What stands in the description, and does not go on there as a longer number; nil where the name says it all.
        var mark: String?
        /// What is one of the numbers; nil likewise.
        var number: String?
        let meaning: OAuthError
        /// What the operator does about it; nil where there is nothing.
        var remedy: String?

        init(
            _ name: String?, with statuses: ClosedRange<Int>? = nil, of calls: Set<Call>? = nil, mark: String? = nil,
            number: String? = nil, means meaning: OAuthError, remedy: String? = nil
        ) {
            self.name = name
            self.statuses = statuses
            self.calls = calls
            self.mark = mark
            self.number = number
            self.meaning = meaning
            self.remedy = remedy
        }

        func covers(_ words: RefusalWords, _ status: Int, _ call: Call) -> Bool {
            if let name, !words.names.contains(name) { return false }
            if let statuses, !statuses.contains(status) { return false }
            if let calls, !calls.contains(call) { return false }
            if let mark, words.description?.containsWhole(mark) != true { return false }
            return number.map(words.numbers.contains) ?? true
        }
    }

    /// As operators call the provider.
    public let title: String
    let rules: [Rule]
    /// What else its authorization responses say than the specifications do.
    let authorization: [String: AuthorizationRefusal]
    /// The provider's own hosts: `example.com`, and every host below it.
    let hosts: [String]

    init(_ title: String, hosts: [String] = [], rules: [Rule] = [], authorization: [String: AuthorizationRefusal] = [:])
    {
        self.title = title
        self.hosts = hosts
        self.rules = rules
        self.authorization = authorization
    }

    /// Nobody's own, and so that of a provider that has none; but for Entra's numbers, which nobody else writes: its
    /// tenants have domains of their own.
    public static let standard = Dialect("the provider", rules: entraNumbers)
}

extension Dialect {
    /// What a refusal means.
    struct Meaning {
        let error: OAuthError
        let remedy: String?
        /// Whether the provider's own table says so.
        let isOwn: Bool
    }

    /// What the operator does about an answer that refuses; nil where this provider's table has no such line.
    public func remedy(for response: OutboundResponse, to call: Call) -> String? {
        meaning(of: response, to: call)?.remedy
    }

    /// Whether an answer with a status of a broken server is none of those: a rule of the provider's that lets this
    /// user, or this client, not in.
    public func isRefusal(_ response: OutboundResponse) -> Bool {
        meaning(of: response, to: .other)?.error.isDenial == true
    }

    /// Why a provider sent a user back without a code, by the code that it sent (RFC 6749 §4.1.2.1).
    public func authorizationRefusal(_ code: String) -> AuthorizationRefusal {
        authorization[code] ?? AuthorizationRefusal(code: code)
    }

    func meaning(of response: OutboundResponse, to call: Call) -> Meaning? {
        guard let document = try? response.parsedObject() else { return nil }
        return meaning(of: document, response.status, to: call)
    }

    func meaning(of document: JSONValue, _ status: Int, to call: Call) -> Meaning? {
        guard let words = RefusalWords(document, isSuccess: (200..<300).contains(status)) else { return nil }
        if let rule = rules.first(where: { $0.covers(words, status, call) }) {
            return Meaning(error: rule.meaning, remedy: rule.remedy, isOwn: true)
        }
        let error = words.names.lazy.map { Self.meaning(of: $0, status, call) }.first { $0 != .unknown } ?? .unknown
        return Meaning(error: error, remedy: nil, isOwn: false)
    }

    /// What a name means where nobody has another meaning for it.
    private static func meaning(of name: String, _ status: Int, _ call: Call) -> OAuthError {
        switch name {
        // `request_denied` is how ZenKey's carriers refuse a wrong verifier.
        case "invalid_grant", "request_denied": .invalidGrant
        case "access_denied" where status == 401 && call.isOfClient: .clientFault(name)
        case "access_denied", "user_unsupported": .accessDenied
        case "consent_required", "login_required", "interaction_required": .interactionRequired
        case "authentication_timed_out": .authenticationTimedOut
        case "user_not_found": .userNotFound
        case "invalid_login_hint", "invalid_login_hint_token": .loginHintRefused
        case "temporarily_unavailable", "server_error", "network_failure", "device_unavailable", "slow_down":
            .temporarilyUnavailable
        // The last two are not RFC 6749's; both are about what is configured and never about the code.
        case "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_request",
            "invalid_target", "unsupported_response_type", "redirect_uri_mismatch", "incorrect_client_credentials":
            .clientFault(name)
        default: .unknown
        }
    }
}

extension String {
    /// Whether a mark stands in it and does not go on as a longer number.
    fileprivate func containsWhole(_ mark: String) -> Bool {
        guard let range = firstRange(of: mark) else { return false }
        guard range.upperBound < endIndex, mark.last?.isNumber == true else { return true }
        return !self[range.upperBound].isNumber
    }
}

public import HTTPClient
internal import JSON

/// What one provider does otherwise than any OpenID Provider, in a folder of its own and a line of ``all``.
///
/// How a section for it begins; and in which words it refuses, where they mean something else than the specifications
/// have them mean. What its table does not have means what it means everywhere.
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

    /// As the key `dialect` names its words; nil where it has none of its own.
    let name: String?
    /// As operators call the provider.
    public let title: String
    /// The provider's own hosts: `example.com`, and every host below it.
    let hosts: [String]
    /// What sections begin with that name it as their `profile`; nil where they are those of any OpenID Provider.
    let profile: ProviderProfile?
    let rules: [RefusalRule]
    /// What else its authorization responses say than the specifications do.
    let authorization: [String: AuthorizationRefusal]

    init(
        _ name: String?, _ title: String, hosts: [String] = [], profile: ProviderProfile? = nil,
        rules: [RefusalRule] = [], authorization: [String: AuthorizationRefusal] = [:]
    ) {
        (self.name, self.title, self.hosts, self.profile, self.rules) = (name, title, hosts, profile, rules)
        self.authorization = authorization
    }

    /// Nobody's own, and so that of a provider that has none.
    public static var standard: Dialect { OpenIDProvider.dialect }
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

/// The providers that do something otherwise: each is one folder beside this file, and one line here.
extension Dialect {
    static let all: [Dialect] = [
        ZenKey.dialect, OpenIDProvider.dialect, BeyondIdentity.dialect, TelenorID.dialect, TIM.dialect, Google.dialect,
        Apple.dialect, Microsoft.dialect, Facebook.dialect, Auth0.dialect, Okta.dialect, Keycloak.dialect,
        Cognito.dialect, LINE.dialect, LinkedIn.dialect, Slack.dialect, Twitch.dialect,
    ]
}

/// The providers whose words differ, by the names that a configuration has for them.
public enum DialectName: String, Sendable, CaseIterable {
    case standard, auth0, okta, apple, linkedin, line, slack, facebook, entra, google

    public var dialect: Dialect {
        switch self {
        case .standard: .standard
        case .auth0: .auth0
        case .okta: .okta
        case .apple: .apple
        case .linkedin: .linkedIn
        case .line: .line
        case .slack: .slack
        case .facebook: .facebook
        case .entra: .entra
        case .google: .google
        }
    }

    /// Whose words a provider has, by the host of its issuer.
    ///
    /// - Parameter host: in lower case.
    public init(host: String) {
        self =
            Self.allCases.first { name in
                name.dialect.hosts.contains { host == $0 || host.hasSuffix("." + $0) }
            } ?? .standard
    }
}

/// Who did what the audit trail tells of.
public enum AuditActor: Hashable, Sendable {
    /// The user that the event is about, by an app, a browser or a sign-in.
    case user
    /// An operator, by the name of their admin token.
    case `operator`(String)
    /// Somebody at the command line, by the name of their account on that machine.
    case commandLine(String)
    /// A provider, by its name in the configuration.
    case provider(String)
    /// The service by itself: what is due, what has expired, what is delivered later.
    case system

    /// The text that is stored and told: `user`, `operator:NAME`, `cli:NAME`, `provider:NAME` or `system`.
    public var text: String {
        switch self {
        case .user: "user"
        case .operator(let name): "operator:" + name
        case .commandLine(let name): "cli:" + name
        case .provider(let name): "provider:" + name
        case .system: "system"
        }
    }

    /// Reads the text form.
    ///
    /// - Returns: nil for any other text.
    public init?(_ text: some StringProtocol) {
        let kind = text.prefix { $0 != ":" }
        let name = kind.endIndex == text.endIndex ? nil : String(text[text.index(after: kind.endIndex)...])
        switch (String(kind), name) {
        case ("user", nil): self = .user
        case ("system", nil): self = .system
        case ("operator", let name?) where !name.isEmpty: self = .operator(name)
        case ("cli", let name?) where !name.isEmpty: self = .commandLine(name)
        case ("provider", let name?) where !name.isEmpty: self = .provider(name)
        default: return nil
        }
    }
}

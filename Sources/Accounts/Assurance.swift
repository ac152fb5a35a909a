/// How well a provider says that it knows an attribute.
public enum Assurance: Equatable, Sendable {
    /// Verified or not, as OpenID Connect Core §5.1 has it (`…_verified`).
    case said(isVerified: Bool)
    /// ZenKey's `verified`: 0 for what nobody has verified, and the more the better it was.
    case level(Int)

    /// What carriers are known to send is below ten; what is beyond this is no level.
    public static let maximumLevel = 1000

    public var isVerified: Bool {
        switch self {
        case .said(let isVerified): isVerified
        case .level(let level): level > 0
        }
    }

    /// nil where there are none.
    public var level: Int? { if case .level(let level) = self { level } else { nil } }
}

extension Assurance {
    /// As it is stored.
    var text: String {
        switch self {
        case .said(let isVerified): isVerified ? "t" : "f"
        case .level(let level): String(level)
        }
    }

    init?(_ text: Substring) {
        switch text {
        case "t": self = .said(isVerified: true)
        case "f": self = .said(isVerified: false)
        default:
            guard let level = Int(text) else { return nil }
            self = .level(level)
        }
    }
}

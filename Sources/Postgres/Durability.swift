/// What a commit is worth.
public enum Durability: Sendable {
    /// As the server is configured: with its defaults, on disk.
    case durable
    /// Seen by all, and lost if the server's machine stops within the next moments (`synchronous_commit = off`).
    case relaxed

    /// What is asked of the session, as settings of the server's.
    var sessionSettings: [String] {
        switch self {
        case .durable: []
        case .relaxed: ["synchronous_commit=off"]
        }
    }
}

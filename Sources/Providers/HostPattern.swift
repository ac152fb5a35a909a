/// A host, or all hosts below a domain: `login.example.com` or `*.example.com`.
///
/// The star stands for one label or more; the domain itself is not below itself.
public struct HostPattern: Sendable, Equatable {
    private let suffix: String
    private let isWildcard: Bool

    /// - Parameter text: as in the configuration; compared without regard to letter case.
    public init(_ text: String) {
        let text = text.lowercased()
        isWildcard = text.hasPrefix("*.")
        suffix = isWildcard ? String(text.dropFirst(1)) : text
    }

    /// Whether this is that very host and not a domain it lies in.
    func names(_ host: String) -> Bool { !isWildcard && matches(host) }

    public func matches(_ host: String) -> Bool {
        let host = host.lowercased()
        return isWildcard ? host.hasSuffix(suffix) && host.utf8.count > suffix.utf8.count : host == suffix
    }
}

internal import Syntax

/// For which e-mail addresses a provider's word counts that it has verified them: what anybody is told as
/// `email_verified` (OpenID Connect Core §5.1).
///
/// A provider knows who has an address in a domain that it keeps itself. Of others some say "verified" for what their
/// users have typed, and an app that finds accounts by address would give one away.
public struct EmailTrust: Sendable, Equatable {
    /// How far its word goes.
    public enum Extent: String, Sendable, CaseIterable {
        /// For addresses in the domains that are named.
        case owned
        case all, none
    }

    public var extent: Extent
    /// In lower case.
    public var domains: [String]
    /// Whether the provider names the domain that it keeps an address in for an organization (Google's `hd`), so that
    /// an address in that very domain counts as well.
    public var takesHostedDomain: Bool

    public init(_ extent: Extent, domains: [String] = [], takesHostedDomain: Bool = false) {
        (self.extent, self.domains, self.takesHostedDomain) = (extent, domains, takesHostedDomain)
    }

    /// Whether the provider's word about an address counts.
    ///
    /// - Parameter hostedDomain: the domain that the provider keeps it in, where it has named one with this address.
    public func covers(_ email: String, hostedDomain: String?) -> Bool {
        switch extent {
        case .all: return true
        case .none: return false
        case .owned:
            guard let domain = Self.domain(of: email) else { return false }
            if domains.contains(where: { Self.isSame(domain, $0) }) { return true }
            guard takesHostedDomain, let hostedDomain else { return false }
            return Self.isSame(domain, hostedDomain)
        }
    }

    /// What stands behind the @.
    ///
    /// - Returns: nil for what readers could take for another address, or for several: with a second @, with white
    ///   space, or with what separates addresses (RFC 5322 §3.4).
    private static func domain(of email: String) -> Substring.UTF8View? {
        let bytes = email.utf8
        let isPlain = bytes.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"<>,;:\"()".utf8.contains($0) }
        guard isPlain, let at = bytes.firstIndex(of: UInt8(ascii: "@")), at > bytes.startIndex else { return nil }
        let domain = bytes[bytes.index(after: at)...]
        return domain.contains(UInt8(ascii: "@")) ? nil : domain
    }

    /// ASCII letters in either case, and no others: Unicode has letters of other scripts that become these.
    private static func isSame(_ domain: Substring.UTF8View, _ other: String) -> Bool {
        domain.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

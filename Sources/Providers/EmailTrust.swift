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
    public var domains: Set<String>
    /// Whether the provider names the domain that it keeps an address in for an organization (Google's `hd`), so that
    /// an address in that very domain counts as well.
    public var takesHostedDomain: Bool
    /// Whether nobody has chosen: what stands here is the default of the section's profile.
    public var isDefault: Bool

    public init(
        _ extent: Extent, domains: Set<String> = [], takesHostedDomain: Bool = false, isDefault: Bool = false
    ) {
        self.extent = extent
        self.domains = domains
        self.takesHostedDomain = takesHostedDomain
        self.isDefault = isDefault
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
            if domains.contains(domain) { return true }
            return takesHostedDomain && hostedDomain.map(Self.lowercased) == domain
        }
    }

    /// What stands behind the @, in lower case.
    ///
    /// - Returns: nil for what readers could take for another address, or for several: with a second @, with white
    ///   space, or with what separates addresses (RFC 5322 §3.4).
    private static func domain(of email: String) -> String? {
        let parts = email.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let isPlain = email.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"<>,;:\"()".utf8.contains($0) }
        guard parts.count == 2, !parts[0].isEmpty, isPlain, let domain = String(parts[1]) else { return nil }
        return lowercased(domain)
    }

    /// ASCII letters only: Unicode has letters of other scripts that become these.
    private static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map(\.lowercasedASCII), as: UTF8.self)
    }
}

internal import JSON
internal import Syntax

/// The names that the ID tokens of one provider may give their issuer, and the one under which its users are stored.
///
/// Nearly every provider has one name, written one way (OpenID Connect Core §3.1.3.7 step 2). A few write theirs in
/// several ways, and one person must not get an account for each. And a provider with tenants has a name for each of
/// them, made of a template; which tenants are let in is ours to say, since anybody can open one. They never change and
/// every sign-in looks at them, so they are shared and not copied.
public final class IssuerNames: Sendable {
    /// Which tenants of a template are let in.
    public enum Tenants: Sendable, Equatable {
        case any
        /// In lower case.
        case only(Set<String>)
    }

    /// Stands in a template for the tenant, as in the metadata of Microsoft's multi-tenant endpoints.
    public static let tenantPlaceholder = "{tenantid}"

    private struct Template: Sendable {
        let prefix: String
        let suffix: String
        let tenants: Tenants
    }

    /// The issuer as it is configured: its name, or the template of its tenants' names.
    public let configured: String
    /// Other spellings of the same name.
    private let spellings: [String]
    /// Nil for an issuer without tenants.
    private let template: Template?

    /// One name, written one way, whatever stands in it.
    public init(exactly name: String) {
        configured = name
        spellings = []
        template = nil
    }

    /// - Parameters:
    ///   - configured: the issuer's name, or a template with ``tenantPlaceholder`` in the place of the tenant.
    ///   - spellings: how its tokens and its metadata may write that name besides.
    ///   - tenants: who is let in by a template; nobody where nil.
    public init(_ configured: String, spellings: [String] = [], tenants: Tenants? = nil) {
        (self.configured, self.spellings) = (configured, spellings)
        if let place = Self.place(in: configured) {
            template = Template(prefix: place.prefix, suffix: place.suffix, tenants: tenants ?? .only([]))
        } else {
            template = nil
        }
    }

    /// Every way to write it, the configured one first.
    public var all: [String] { [configured] + spellings }

    /// Whether there is a name for each tenant.
    public var hasTenants: Bool { template != nil }

    /// Whether a provider's own document, or an authorization response, may give the issuer this name: for one with
    /// tenants also the template itself, as its shared documents have it.
    public func includes(_ name: String) -> Bool { name.isExactly(configured) || stored(name) != nil }

    /// The name under which the users of an issuer are stored that is called so.
    ///
    /// - Returns: nil for a name that no ID token which is taken could have.
    public func stored(_ name: String) -> String? {
        guard let template else {
            return name.isExactly(configured) || spellings.contains { $0.isExactly(name) } ? configured : nil
        }
        guard let tenant = Self.tenant(in: name, template.prefix, template.suffix) else { return nil }
        return isLetIn(tenant, template) ? name : nil
    }

    /// The name under which the user of an ID token is stored.
    ///
    /// A token of a tenant names it twice, in `tid` and in `iss`, and both must agree. A key that says whose tokens it
    /// may sign signs nobody else's: the key of one tenant must not make tokens of another.
    ///
    /// - Parameter keyIssuer: what the key says that has verified the token; nil where it says nothing.
    /// - Throws: `IDTokenError.issuer`.
    func stored(_ claims: JSONValue, signedFor keyIssuer: String?) throws(IDTokenError) -> String {
        let told = claims["iss"]
        // Nearly every token has the very name.
        if template == nil, keyIssuer == nil, told.isExactly(configured) { return configured }
        guard let name = told?.string, let stored = stored(name) else { throw .issuer }
        if let template {
            guard let tenant = claims["tid"]?.string, name.isExactly(template.prefix + tenant + template.suffix) else {
                throw .issuer
            }
        }
        if let keyIssuer, !Self.covers(keyIssuer, name) { throw .issuer }
        return stored
    }

    private func isLetIn(_ tenant: String, _ template: Template) -> Bool {
        switch template.tenants {
        case .any: true
        case .only(let tenants): tenants.contains(tenant)
        }
    }

    /// Whether a key's own issuer is the token's, or a template of it.
    private static func covers(_ keyIssuer: String, _ name: String) -> Bool {
        guard let place = place(in: keyIssuer) else { return keyIssuer.isExactly(name) }
        return tenant(in: name, place.prefix, place.suffix) != nil
    }

    private static func place(in text: String) -> (prefix: String, suffix: String)? {
        guard let range = text.firstRange(of: tenantPlaceholder) else { return nil }
        return (String(text[..<range.lowerBound]), String(text[range.upperBound...]))
    }

    /// - Returns: nil where nothing stands in the tenant's place that is one.
    private static func tenant(in name: String, _ prefix: String, _ suffix: String) -> String? {
        let length = name.utf8.count - prefix.utf8.count - suffix.utf8.count
        guard length == tenantLength, name.utf8.starts(with: prefix.utf8) else { return nil }
        let tenant = String(decoding: Array(name.utf8.dropFirst(prefix.utf8.count).prefix(length)), as: UTF8.self)
        return isTenant(tenant) && name.isExactly(prefix + tenant + suffix) ? tenant : nil
    }

    private static let tenantLength = 36
    private static let groups = [8, 4, 4, 4, 12]

    /// Whether a text is a tenant's identifier: a GUID in lower case (RFC 9562 §4), as tenants are named in tokens.
    public static func isTenant(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == groups
            && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) } }
    }
}

internal import Crypto
import Syntax

/// The tenants of Entra: each subscriber belongs to one of them, whichever address the sign-in began at.
enum EntraTenant {
    /// Where organisations' subscribers are, unless another one is named.
    static let home = "0f5e1d2c-3b4a-4968-8776-a5b4c3d2e1f0"
    /// That of all personal accounts. One key is its own, and signs for nobody else.
    static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"
    /// The guid in the issuers of policies (Azure AD B2C).
    static let ofPolicies = "7e6d5c4b-3a29-4817-9605-f4e3d2c1b0a9"
    /// What metadata for several tenants has in the place of one, to the letter.
    static let template = "{tenantid}"

    private static let personalAccounts = "consumers"
    private static let several = ["common", "organizations"]

    /// Whether a name may stand where directories do.
    static func isDirectory(_ name: String) -> Bool {
        several.contains(name) || name == personalAccounts || isIdentifier(name)
    }

    static func isPolicy(_ name: String) -> Bool {
        name.hasPrefix("b2c_1_") && name.utf8.count <= 64
            && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }

    /// The tenant of who signs in at an address.
    static func signedIn(at name: String?) -> String {
        guard let name, !several.contains(name) else { return home }
        return name == personalAccounts ? personal : name
    }

    /// What the metadata at an address has for a tenant.
    static func announced(at name: String) -> String {
        several.contains(name) ? template : signedIn(at: name)
    }

    /// Whether a code of a tenant's may be redeemed at an address.
    static func redeems(codeOf tenant: String, at name: String) -> Bool {
        several.contains(name) || signedIn(at: name) == tenant
    }

    /// What a subscriber is called in a tenant, to all of its clients.
    static func objectIdentifier(of subscriber: String, in tenant: String) -> String {
        DialectSubject.identifier(Array(HMAC.sha256(Array(subscriber.utf8), key: Array("oid \(tenant)".utf8))))
    }

    /// 8-4-4-4-12 hexadecimal digits.
    private static func isIdentifier(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.joined().allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

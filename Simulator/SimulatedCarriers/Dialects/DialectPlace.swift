/// Where one of a dialect's issuers is: most have one, Entra one for each tenant and each policy, Okta a second one.
///
/// Paths are below the dialect's own. `{tenant}` in them is a tenant's name, as in the patterns of routes.
struct DialectPlace: Sendable {
    /// Which names of tenants are this one's.
    enum Tenants: Sendable {
        case none
        /// This one alone.
        case named(String)
        /// GUIDs, and the names that stand for several tenants.
        case directories
        /// Policies of a tenant, whose names begin with `b2c_1_`.
        case policies
    }

    static let placeholder = "{tenant}"

    /// What its tokens call it.
    let issuer: String
    /// What its metadata calls it, where that is something else.
    var announced: String?
    /// What stands before `/.well-known/openid-configuration`.
    let home: String
    /// Nil where nobody signs in with a browser.
    var authorize: String?
    var token: String?
    /// Whether the metadata tells where codes are redeemed.
    var announcesToken = true
    let keys: String
    var userinfo: String?
    var revocation: String?
    var tenants = Tenants.none
    /// Attributes that stand only in userinfo here.
    var withheld: Set<String> = []

    /// Whether a tenant, or none, is found here.
    func serves(_ tenant: String?) -> Bool {
        switch (tenants, tenant) {
        case (.none, nil): true
        case (.named(let name), let tenant?): name == tenant
        case (.directories, let tenant?): EntraTenant.isDirectory(tenant)
        case (.policies, let tenant?): EntraTenant.isPolicy(tenant)
        default: false
        }
    }

    /// A path with a tenant's name in it.
    static func path(_ pattern: String, for tenant: String?) -> String {
        tenant.map { pattern.replacing(placeholder, with: $0) } ?? pattern
    }
}

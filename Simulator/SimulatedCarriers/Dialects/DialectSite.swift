/// One of a dialect's places for one tenant: the addresses it has there.
struct DialectSite: Sendable {
    let place: DialectPlace
    /// The name in its addresses; nil where there are no tenants.
    let tenant: String?
    /// The dialect's own address, without a closing slash.
    let base: String

    /// The tenant of who signs in here: some addresses are of several.
    var signedInTenant: String? {
        if case .directories = place.tenants { EntraTenant.signedIn(at: tenant) } else { tenant }
    }

    /// What tokens call it.
    var issuer: String { base + DialectPlace.path(place.issuer, for: signedInTenant) }

    /// What its metadata calls it.
    var announcedIssuer: String {
        guard case .directories = place.tenants, let tenant else { return place.announced.map { base + $0 } ?? issuer }
        return base + DialectPlace.path(place.issuer, for: EntraTenant.announced(at: tenant))
    }

    /// Where its metadata is.
    var metadata: String { url(place.home) + "/.well-known/openid-configuration" }

    /// The address of a path's pattern.
    func url(_ pattern: String) -> String { base + DialectPlace.path(pattern, for: tenant) }
}

internal import Accounts
internal import Apps
internal import Providers

/// What a provider is asked for when an app begins a sign-in through the browser, and what of it the user has declined
/// there.
///
/// An app that the provider's section names in `scopesFor` chooses: with `scopesFor: {shop: [openid, profile, email]}`
/// a request for `openid email` asks the provider for no profile. Every other app has the section's `scopes` asked for.
struct ProviderScopes {
    /// As the provider is asked, in the order of the configuration.
    let names: [String]

    /// - Parameters:
    ///   - client: the app's identifier here.
    ///   - permissions: what the app is granted of what it has asked for.
    init(of provider: ProviderConfiguration, for client: String, _ permissions: Permissions) {
        if let chosen = provider.scopesFor[client] {
            names = chosen.filter { Permission(ofProviderScope: $0).map(permissions.contains) ?? true }
        } else {
            names = provider.scopes
        }
    }

    /// What is left of permissions once the user has declined some of the scopes (RFC 6749 §5.1).
    ///
    /// A provider may call a scope otherwise than it was asked for, as Google does, or never name one that it grants,
    /// as LINE does with `email`. So nothing is declined of which the provider has told something.
    ///
    /// - Parameters:
    ///   - granted: the `scope` of the token answer; nil where it says nothing, so that all is granted.
    ///   - told: what the provider said of the user.
    func left(of permissions: Permissions, granted: String?, told: Attributes) -> Permissions {
        guard let granted else { return permissions }
        let granting = granted.split(separator: " ")
        var declined = Permissions()
        var others = Permissions()
        for name in names {
            guard let permission = Permission(ofProviderScope: name) else { continue }
            if granting.contains(name[...]) || UserClaims.has(told, permission) {
                others.formUnion(Permissions([permission]))
            } else {
                declined.formUnion(Permissions([permission]))
            }
        }
        // Of two scopes for one permission, such as name and profile, one is enough.
        return permissions.subtracting(declined.subtracting(others))
    }
}

extension Permission {
    /// What an app learns by a provider's scope (OpenID Connect Core §5.4, and `name` as Apple and ZenKey's carriers
    /// have it).
    ///
    /// - Returns: nil for a scope that tells an app nothing of its own.
    init?(ofProviderScope name: String) {
        switch name {
        case "profile", "name": self = .profile
        case "email": self = .email
        case "phone": self = .phone
        case "address": self = .address
        case "postal_code": self = .postalCode
        case "last_4_social": self = .lastFourSocial
        default: return nil
        }
    }
}

/// The attributes that are taken from a provider, by name. What else it sends is not stored and not handed on, unless the
/// configuration asks for it by name: a provider may say more than its operator thinks, such as numbers by which a
/// person is found elsewhere.
public struct AttributeNames: Sendable {
    /// By their length, which tells most names apart and is at hand; hashing each claim of each sign-in would cost more.
    private let byLength: [[String]]

    public init(_ names: [String]) {
        var byLength = [[String]](repeating: [], count: (names.map(\.utf8.count).max() ?? 0) + 1)
        for name in Set(names) { byLength[name.utf8.count].append(name) }
        self.byLength = byLength
    }

    public func subtracting(_ names: [String]) -> AttributeNames {
        AttributeNames(byLength.joined().filter { !names.contains($0) })
    }

    public func contains(_ name: String) -> Bool {
        let count = name.utf8.count
        guard count < byLength.count else { return false }
        for known in byLength[count] where known == name { return true }
        return false
    }

    /// The standard claims of OpenID Connect Core §5.1, but for `sub`.
    public static let openid = AttributeNames(standardClaims)
    /// What ZenKey's carriers send, by the names of both versions of their userinfo.
    public static let zenkey = AttributeNames(carrierAttributes)
    /// What any provider can have given.
    public static let any = AttributeNames(standardClaims + carrierAttributes)

    private static let standardClaims = [
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
        "website", "email", "email_verified", "gender", "birthdate", "zoneinfo", "locale", "phone_number",
        "phone_number_verified", "address", "updated_at",
    ]
    private static let carrierAttributes = [
        "name", "given_name", "family_name", "middle_name", "email", "email_verified", "postal_code", "phone",
        "phone_number", "phone_number_verified", "birthdate", "picture", "address", "locale", "zoneinfo",
        "last_4_social", "proofing", "isAdult18", "isAdult21", "isOver13",
    ]
}

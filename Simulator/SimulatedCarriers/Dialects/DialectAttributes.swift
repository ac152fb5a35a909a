internal import JSON

/// What a dialect tells of a subscriber, by the names of OpenID Connect Core §5.1 and the dialects' own.
struct DialectAttributes {
    let subscriber: Subscriber
    let scopes: Set<String>

    /// Those of some names that the scopes allow, in their order.
    func members(_ names: [String]) -> [JSONObject.Member] {
        names.compactMap { name in
            guard let (scope, value) = attribute(name), scopes.contains(scope) else { return nil }
            return (name, value)
        }
    }

    /// Flags as texts.
    static func withTexts(_ members: [JSONObject.Member]) -> [JSONObject.Member] {
        members.map { member in
            guard let flag = member.value.boolean else { return member }
            return (member.name, flag ? "true" : "false")
        }
    }

    /// Who hides an address is given one that forwards: subscribers whose names begin with `private`.
    var hidesEmail: Bool { subscriber.name.hasPrefix("private") }

    private func attribute(_ name: String) -> (scope: String, value: JSONValue)? {
        switch name {
        case "name": ("profile", .string(subscriber.fullName))
        case "given_name": ("profile", .string(subscriber.givenName))
        case "family_name": ("profile", .string(subscriber.familyName))
        case "nickname": ("profile", .string(subscriber.name))
        case "preferred_username": ("profile", .string(subscriber.email))
        case "email": ("email", .string(hidesEmail ? "\(subscriber.name)@privaterelay.example" : subscriber.email))
        case "email_verified": ("email", true)
        case "is_private_email": ("email", .boolean(hidesEmail))
        case "phone_number": ("phone", .string(subscriber.phoneNumber))
        case "phone_number_verified": ("phone", true)
        default: nil
        }
    }
}

internal import Accounts
internal import JSON
internal import SignIn

/// What ZenKey's sample app for Android decodes of a user (``ResponseShape/zenkeyAndroid``): each attribute an object
/// of its own with `value`, and `verified` as a number where it is known; the name whole and in parts; the address by
/// the names of its class, which are not quite those of OpenID Connect Core §5.1.1.
extension JSONWriter {
    private static let namesOfParts = ["given_name", "family_name"]

    /// - Parameters:
    ///   - shown: what is told of the user.
    ///   - names: of the attributes that may be told.
    ///   - isVerified: whether an address or a number is told as verified.
    mutating func nestedProfile(
        _ shown: Attributes, _ names: AttributeNames, isVerified: (Contact) -> Bool
    ) {
        nestedName(shown, names)
        for attribute in shown.members where names.contains(attribute.name) {
            if attribute.name == "name" || Self.namesOfParts.contains(attribute.name) { continue }
            if attribute.name == UserClaims.address {
                nestedAddress([("formatted", .string(attribute.value))])
                continue
            }
            name(attribute.name)
            object { parts in
                parts.member("value", attribute.value)
                guard let contact = Contact(rawValue: attribute.name) else { return }
                parts.member("verified", Int64(isVerified(contact) ? 1 : 0))
            }
        }
        for attribute in shown.objects.members where names.contains(attribute.name) {
            guard attribute.name == UserClaims.address,
                let parts = (try? JSONValue(parsing: attribute.json.utf8))?.object
            else {
                member(attribute.name, json: attribute.json)
                continue
            }
            nestedAddress(parts.members.map { ($0.name, $0.value) })
        }
    }

    private mutating func nestedName(_ shown: Attributes, _ names: AttributeNames) {
        let parts = (["name"] + Self.namesOfParts).filter { names.contains($0) && shown[$0] != nil }
        guard !parts.isEmpty else { return }
        name("name")
        object { object in
            for part in parts { object.member(part == "name" ? "value" : part, shown[part] ?? "") }
        }
    }

    private mutating func nestedAddress(_ parts: [(name: String, value: JSONValue)]) {
        name(UserClaims.address)
        object { address in
            for part in parts { address.member(part.name == "postal_code" ? "postalCode" : part.name, part.value) }
        }
    }
}

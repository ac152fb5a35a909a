internal import Accounts
internal import JSON

/// A user's attributes as carriers send them: flat (`"email": "…"`), nested (`"email": {"value": "…"}`), or mixed.
enum AttributesOfUserinfo {
    /// What one provider may make us store about one user.
    static let mostAttributes = 40
    static let longestValue = 1024

    /// Claims about the token and not about the user.
    private static let notAttributes: Set<String> = [
        "sub", "iss", "aud", "exp", "iat", "nbf", "jti", "nonce", "at_hash", "c_hash", "s_hash", "azp", "auth_time",
        "acr",
        "amr", "aka", "context", "sid", "scope", "client_id",
    ]

    /// Reads the attributes. Those of a shape nobody can use, or too long, are left out: each is optional, and no odd
    /// one may keep a user from signing in.
    static func attributes(in claims: JSONValue) -> Attributes {
        var attributes = Attributes()
        for member in claims.object?.members ?? [] where !notAttributes.contains(member.name) {
            guard attributes.members.count < mostAttributes, member.name.utf8.count <= 64 else { continue }
            switch (member.name, member.value) {
            case ("name", .object(let name)):
                for (attribute, key) in [
                    ("name", "value"), ("given_name", "given_name"), ("family_name", "family_name"),
                ] {
                    set(attribute, name[key], in: &attributes)
                }
            case ("phone", let value): set("phone_number", value, in: &attributes)
            case (let name, let value): set(name, value, in: &attributes)
            }
        }
        return attributes
    }

    private static func set(_ name: String, _ value: JSONValue?, in attributes: inout Attributes) {
        guard let text = text(of: value), !text.isEmpty, text.utf8.count <= longestValue else { return }
        // A flat spelling that came before says the same and stays.
        if attributes[name] == nil { attributes[name] = text }
    }

    private static func text(of value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .boolean(let flag): flag ? "true" : "false"
        case .object(let object): object["value"].flatMap { $0.object == nil ? text(of: $0) : nil }
        default: nil
        }
    }
}

package import Accounts
import JSON
import Providers

/// By what a sign-in is known to be that of an account which we have made in the provider's directory.
package enum DirectoryKey {
    /// Such a name is an identifier; what is longer is something else.
    static let maximumBytes = 255

    /// - Parameters:
    ///   - idToken: the claims of the verified ID token.
    ///   - userinfo: those of userinfo, whose subject is the ID token's; nil where there is none.
    /// - Returns: nil where nothing names an account, or what names one is no text, or two are named.
    static func of(_ api: UserAPI, idToken: JSONValue, userinfo: JSONValue?, subject: String) -> PersonKey? {
        switch api.version {
        case .of2021:
            // The subject is what the directory calls `user_name`, and that is the external identifier too.
            if idToken["external_id"] == nil, userinfo?["external_id"] == nil {
                .externalID(externalHash(subject))
            } else {
                value("external_id", idToken, userinfo).map { .externalID(externalHash($0)) }
            }
        case .v1:
            if let id = userinfo?["id"] {
                name(id).map { .directoryID(directoryHash($0)) }
            } else if let preferred = userinfo?["preferred_username"]?.string, preferred != subject {
                // Where users have names, the subject is what the directory calls them.
                .directoryID(directoryHash(subject))
            } else {
                nil
            }
        }
    }

    private static func value(_ claim: String, _ idToken: JSONValue, _ userinfo: JSONValue?) -> String? {
        let said = [idToken[claim], userinfo?[claim]].compactMap(\.self)
        guard let first = said.first.flatMap(name),
            said.allSatisfy({ name($0)?.utf8.elementsEqual(first.utf8) == true })
        else { return nil }
        return first
    }

    private static func name(_ value: JSONValue) -> String? {
        guard let text = value.string, !text.isEmpty, text.utf8.count <= maximumBytes else { return nil }
        return text
    }

    package static func externalHash(_ name: String) -> TokenHash {
        TokenHash(sha256: ["directory external id", name])
    }

    package static func directoryHash(_ id: String) -> TokenHash { TokenHash(sha256: ["directory id", id]) }
}

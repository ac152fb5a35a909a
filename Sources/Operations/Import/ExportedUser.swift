import Accounts
import Composition
import JSON
internal import Syntax

/// A user as another product's export has it, before its providers are known to be ours.
struct ExportedUser {
    struct Identity {
        /// What the product calls the provider.
        let provider: String
        let subject: String
        /// What the provider said with a sign-in there. Whether an address is verified is not among it: products write
        /// that of addresses of providers that say nothing about it.
        let said: Attributes
    }

    /// By which rows of one user are known; empty where a record is a user.
    var key = ""
    var identities: [Identity] = []
    /// What the product calls the user, for where no provider's word is there.
    var names = Attributes()
    var hasPassword = false
    var hasSecondFactor = false
    var isDisabled = false
    /// Seconds since 1970; nil where the export does not say.
    var createdAt: Int64?
}

extension ExportedUser {
    /// - Throws: where an identity or a time is not as the product's documentation has it.
    init(_ record: JSONValue, of format: ImportFormat) throws(ImportError) {
        guard record.object != nil else { throw .notAnObject }
        switch format {
        // Its lines are read by ImportLine.
        case .gatehouse: throw .unknownMember
        case .firebase: try self.init(firebase: record)
        case .auth0: try self.init(auth0: record)
        case .supabase: try self.init(supabase: record)
        case .keycloak: try self.init(keycloak: record)
        }
    }

    private init(firebase user: JSONValue) throws(ImportError) {
        self.init()
        for (index, entry) in try Self.entries(user["providerUserInfo"]).enumerated() {
            identities.append(
                Identity(
                    provider: try Self.text(entry["providerId"], of: index),
                    subject: try Self.text(entry["rawId"], of: index),
                    said: Self.attributes(
                        entry, ["name": ["displayName"], "email": ["email"], "picture": ["photoUrl"]])))
        }
        names = Self.attributes(user, ["name": ["displayName"]])
        hasPassword = user["passwordHash"]?.string?.isEmpty == false
        hasSecondFactor = user["mfaInfo"]?.array?.isEmpty == false
        isDisabled = user["disabled"]?.boolean == true
        createdAt = try Self.milliseconds(user["createdAt"])
    }

    private init(auth0 user: JSONValue) throws(ImportError) {
        self.init()
        let words = [
            "name": ["name"], "given_name": ["given_name"], "family_name": ["family_name"], "picture": ["picture"],
            "email": ["email"], "phone_number": ["phone_number"],
        ]
        for (index, entry) in try Self.entries(user["identities"]).enumerated() {
            let provider = try Self.text(entry["provider"], of: index)
            let subject = try Self.text(entry["user_id"], of: index)
            // What stands beside the identities is what the first of them said, after which the user is named.
            let isPrimary = user["user_id"].isExactly("\(provider)|\(subject)")
            let words = Self.attributes(isPrimary ? user : entry["profileData"] ?? .null, words)
            identities.append(Identity(provider: provider, subject: subject, said: words))
        }
        hasSecondFactor = user["multifactor"]?.array?.isEmpty == false
        isDisabled = user["blocked"]?.boolean == true
        createdAt = try Self.time(user["created_at"])
    }

    private init(supabase row: JSONValue) throws(ImportError) {
        self.init()
        guard let user = row["user_id"]?.string, !user.isEmpty else { throw .noUserID }
        key = user
        let data = row["identity_data"] ?? .null
        let provider = try Self.text(row["provider"], of: 0)
        // Older tables have no provider_id.
        let subject = try Self.text(row["provider_id"] ?? data["sub"], of: 0)
        let words = [
            "name": ["full_name", "name"], "email": ["email"], "picture": ["avatar_url", "picture"],
        ]
        identities = [Identity(provider: provider, subject: subject, said: Self.attributes(data, words))]
        createdAt = try Self.time(row["created_at"])
    }

    private init(keycloak user: JSONValue) throws(ImportError) {
        self.init()
        for (index, entry) in try Self.entries(user["federatedIdentities"]).enumerated() {
            identities.append(
                Identity(
                    provider: try Self.text(entry["identityProvider"], of: index),
                    subject: try Self.text(entry["userId"], of: index), said: Attributes()))
        }
        names = Self.attributes(user, ["given_name": ["firstName"], "family_name": ["lastName"]])
        let kinds = user["credentials"]?.array?.compactMap { $0["type"]?.string } ?? []
        hasPassword = kinds.contains("password")
        hasSecondFactor = kinds.contains { $0 != "password" }
        isDisabled = user["enabled"]?.boolean == false
        createdAt = try Self.milliseconds(user["createdTimestamp"])
    }

    // MARK: What stands in a record

    private static func entries(_ value: JSONValue?) throws(ImportError) -> [JSONValue] {
        guard let value, !value.isNull else { return [] }
        guard let entries = value.array else { throw .identitiesNotArray }
        return entries
    }

    /// - Parameter index: of the identity, from 0.
    private static func text(_ value: JSONValue?, of index: Int) throws(ImportError) -> String {
        switch value {
        case .string(let text) where !text.isEmpty: return text
        // Some providers number their users.
        case .integer(let number): return String(number)
        default: throw .identity(index + 1, .exported)
        }
    }

    /// - Parameter names: under which members a word may stand, the better one first.
    private static func attributes(_ value: JSONValue, _ names: [String: [String]]) -> Attributes {
        var attributes = Attributes()
        for (name, members) in names.sorted(by: { $0.key < $1.key }) {
            // What a provider would be kept from saying, another product has from one.
            attributes[name] = members.lazy.compactMap { value[$0]?.shown?.string }
                .first { !$0.isEmpty && AttributeRule.fault(of: $0, named: name) == nil }
        }
        return attributes
    }

    private static func milliseconds(_ value: JSONValue?) throws(ImportError) -> Int64? {
        guard let value, !value.isNull else { return nil }
        switch value {
        case .integer(let time): return time / 1000
        case .number(let time) where time.magnitude < 1e15: return Int64(time) / 1000
        case .string(let text): if let time = Int64(text) { return time / 1000 }
        default: break
        }
        throw .exportedTime
    }

    private static func time(_ value: JSONValue?) throws(ImportError) -> Int64? {
        guard let value, !value.isNull else { return nil }
        guard let time = value.string.flatMap({ ExportTime.seconds($0) }) else { throw .exportedTime }
        return time
    }
}

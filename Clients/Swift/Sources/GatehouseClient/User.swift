/// What the service knows of a user, as far as the provider or the user has told it.
public struct User: Sendable, Equatable, Decodable {
    /// Never changes, whatever becomes of the user's address, number or carrier.
    public let id: Int64
    public let name: String?
    public let givenName: String?
    public let familyName: String?
    public let email: String?
    public let isEmailVerified: Bool?
    public let phoneNumber: String?
    public let isPhoneNumberVerified: Bool?
    public let postalCode: String?

    private enum CodingKeys: String, CodingKey {
        case id = "user_id", name, givenName = "given_name", familyName = "family_name", email
        case isEmailVerified = "email_verified", phoneNumber = "phone_number"
        case isPhoneNumberVerified = "phone_number_verified", postalCode = "postal_code"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        // A sign-in says it with a boolean, and `/users/me`, whose values are all texts, with one of those.
        func flag(_ key: CodingKeys) -> Bool? {
            (try? members.decode(Bool.self, forKey: key))
                ?? (try? members.decode(String.self, forKey: key)).map { $0 == "true" }
        }
        id = try members.decode(Int64.self, forKey: .id)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        givenName = try members.decodeIfPresent(String.self, forKey: .givenName)
        familyName = try members.decodeIfPresent(String.self, forKey: .familyName)
        email = try members.decodeIfPresent(String.self, forKey: .email)
        isEmailVerified = flag(.isEmailVerified)
        phoneNumber = try members.decodeIfPresent(String.self, forKey: .phoneNumber)
        isPhoneNumberVerified = flag(.isPhoneNumberVerified)
        postalCode = try members.decodeIfPresent(String.self, forKey: .postalCode)
    }
}

/// One of the ways in which a user can sign in.
public struct LinkedIdentity: Sendable, Equatable, Decodable {
    public let id: Int64
    /// The name of the provider's section.
    public let provider: String

    private enum CodingKeys: String, CodingKey {
        case id = "identity_id", provider
    }
}

/// What has become of two accounts.
public struct MergedAccount: Sendable, Equatable, Decodable {
    /// The user that is left.
    public let user: Int64
    /// The number that nobody has any more.
    public let absorbed: Int64

    private enum CodingKeys: String, CodingKey {
        case user = "user_id", absorbed = "merged_user_id"
    }
}

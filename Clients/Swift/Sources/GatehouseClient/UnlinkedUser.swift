/// Somebody whom a provider has vouched for and whom nobody here is yet, where registration is by ticket.
public struct UnlinkedUser: Sendable, Equatable {
    /// For `register(ticket:)` or `link(ticket:)`.
    public let ticket: LinkTicket
    /// What the provider said, to fill the registration form with.
    public let attributes: RegistrationAttributes
    /// For how many seconds the ticket is good, from when the answer came.
    public let expires: Int

    /// - Parameter clientID: of the app that redeemed the code of a sign-in through the browser; nil for who posts
    ///   codes.
    /// - Returns: nil for an answer without a ticket.
    init?(_ body: [String: Any], clientID: String?) {
        guard let text = body["link_ticket"] as? String, !text.isEmpty, let expires = body["expires"] as? Int else {
            return nil
        }
        ticket = LinkTicket(text: text, clientID: clientID)
        attributes = RegistrationAttributes(body["zenkey_attributes"] as? [String: Any] ?? [:])
        self.expires = expires
    }
}

/// Proof of an identity that is nobody's yet: good once, and for the client that got it.
public struct LinkTicket: Sendable, Equatable {
    let text: String
    let clientID: String?
}

/// What a provider said of somebody unknown, as far as it did (`zenkey_attributes`).
public struct RegistrationAttributes: Sendable, Equatable {
    public let name: String?
    public let givenName: String?
    public let familyName: String?
    public let email: String?
    public let phoneNumber: String?
    public let postalCode: String?
    public let birthdate: String?
    public let lastFourSocial: String?
    /// By the names of OpenID Connect Core §5.1.1, such as `locality`.
    public let address: [String: String]

    init(_ members: [String: Any]) {
        func member(_ name: String, _ part: String = "value") -> String? {
            (members[name] as? [String: Any])?[part] as? String
        }
        name = member("name")
        givenName = member("name", "given_name")
        familyName = member("name", "family_name")
        email = member("email")
        phoneNumber = member("phone")
        postalCode = member("postal_code")
        birthdate = member("birthdate")
        lastFourSocial = member("last_4_social")
        let parts = (members["address"] as? [String: Any])?["value"] as? [String: Any] ?? [:]
        address = parts.compactMapValues { $0 as? String }
    }
}

extension UnlinkedUser: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "UnlinkedUser(<redacted>)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LinkTicket: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "LinkTicket(<redacted>)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RegistrationAttributes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "RegistrationAttributes(<redacted>)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

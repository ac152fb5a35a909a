internal import Accounts
internal import Apps
internal import JSON
internal import SignIn

extension JSONWriter {
    /// What stock apps fill their registration form with, and the ticket.
    mutating func unlinkedUser(_ ticket: LinkTicket, as shape: ResponseShape) {
        name("zenkey_attributes")
        object { attributes in
            attributes.member("sub", ticket.text)
            switch shape {
            case .flat, .zenkeyAndroid: attributes.ofUnknown(ticket)
            case .zenkeyIOS: attributes.textsOfUnknown(ticket)
            }
            if ticket.permissions.contains(.claims) { attributes.claims(ticket.claims) }
        }
        member("link_ticket", ticket.text)
        member("expires", LinkTicket.lifetimeSeconds)
    }

    /// The carrier's attributes in the sample backend's shape: an object each.
    private mutating func ofUnknown(_ ticket: LinkTicket) {
        let (said, permissions) = (ticket.attributes, ticket.permissions)
        if permissions.contains(.profile), let name = said.name {
            self.name("name")
            object { parts in
                parts.member("value", name)
                if let givenName = said.givenName { parts.member("given_name", givenName) }
                if let familyName = said.familyName { parts.member("family_name", familyName) }
            }
        }
        for (member, value) in contactsOfUnknown(ticket, phone: "phone") {
            name(member)
            object { $0.member("value", value) }
        }
        if permissions.contains(.address), UserClaims.has(said, .address) {
            name(UserClaims.address)
            object { $0.address(of: said, as: "value") }
        }
    }

    /// The same as texts, under the names of `GET /users/me`.
    private mutating func textsOfUnknown(_ ticket: LinkTicket) {
        let said = ticket.attributes
        if ticket.permissions.contains(.profile) {
            for (member, value) in [
                ("name", said.name), ("given_name", said.givenName), ("family_name", said.familyName),
            ] {
                if let value { self.member(member, value) }
            }
        }
        for (member, value) in contactsOfUnknown(ticket, phone: "phone_number") { self.member(member, value) }
        if ticket.permissions.contains(.address), UserClaims.has(said, .address) {
            address(of: said, as: UserClaims.address)
        }
    }

    private func contactsOfUnknown(_ ticket: LinkTicket, phone: String) -> [(name: String, value: String)] {
        let said = ticket.attributes
        let all = [
            ("email", said.email, Permission.email), (phone, said.phoneNumber, .phone),
            ("postal_code", said.postalCode, .postalCode), ("birthdate", said["birthdate"], .profile),
            ("last_4_social", said["last_4_social"], .lastFourSocial),
        ]
        return all.compactMap { name, value, permission in
            guard ticket.permissions.contains(permission), let value else { return nil }
            return (name, value)
        }
    }
}

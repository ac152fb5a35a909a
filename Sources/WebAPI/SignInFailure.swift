internal import Accounts
internal import Apps
internal import JSON
internal import Providers
internal import SignIn

/// Why a sign-in failed, in a sentence for who answers the user that could not sign in.
package enum SignInFailure {
    /// - Parameter reason: the error's stable code, with the rule behind it where it has one, as counts have it.
    package static func sentence(_ reason: String) -> String {
        let parts = reason.split(separator: ":", maxSplits: 1)
        let code = parts.first.map(String.init) ?? ""
        if code == "invalid_id_token", parts.count == 2,
            let rule = IDTokenError(rawValue: String(parts[1].drop { $0 == " " }))
        {
            return sentence(rule)
        }
        return sentences[code] ?? "It was refused; /docs says what the code \(code) means."
    }

    private static let sentences = [
        "access_denied": "The user or the provider said no.",
        "authentication_timed_out": "The user did not answer in time.",
        "challenge_required": "The app sent no nonce of ours, which the provider's section demands.",
        "identity_in_use": "The identity is another user's already.",
        "insufficient_user_authentication": "The user had authenticated too long ago for what they wanted to do.",
        "interaction_required":
            "The provider wants the user to do something there first: the app began without asking.",
        "invalid_api_key": "The app sent no API key, or one that is not configured.",
        "invalid_challenge": "The nonce was none of ours, had expired, or was used before: the user waited too long.",
        "invalid_client": "The app's secret, or ours at the provider, is wrong.",
        "invalid_grant": "The code was wrong, too old or used before, or its verifier was another: begin again.",
        "invalid_request": "The app left a parameter out, or sent one that can't be read.",
        "issuer_mismatch":
            "The answer came from another issuer than the app asked: the app mixed up two, or was made to.",
        "locked": "The account is locked, by an operator or by its provider.",
        "migration_conflict": "Two accounts claim to be the one that the user moved from: an operator has to decide.",
        "other": "Several ways to fail, counted together.",
        "overloaded": "There was no room for it: the service or the provider had too much to do.",
        "provider_error": "The provider's answer was none that can be used; the log names what was wrong.",
        "provider_not_found": "No carrier serves the user's network, or the user has changed carriers.",
        "provider_timeout": "The provider did not answer in time.",
        "provider_unavailable": "The provider could not be reached, or said that it is out of order.",
        "rate_limited": "Too many came from that address at once.",
        "redirect_uri_not_allowed": "The app's redirect URI is not one of the provider's section.",
        "storage_unavailable": "The store could not be written to.",
        "unknown_client": "No provider is configured with the client ID that the app sent.",
        "unknown_provider": "No provider has the name that the app sent.",
        "userinfo_mismatch": "The provider's userinfo was about somebody else than its ID token.",
    ]

    private static func sentence(_ rule: IDTokenError) -> String {
        switch rule {
        case .signature: "The ID token's signature is wrong: the provider changed a key, or somebody made it up."
        case .algorithm: "The ID token was signed in a way that the provider's section does not allow."
        case .issuer: "The ID token names another issuer than the provider's section."
        case .audience: "The ID token is for another client than the one in the provider's section."
        case .authorizedParty: "The ID token was given to another client."
        case .expired: "The ID token had expired: a clock is wrong, or it came very late."
        case .issuedAt: "The ID token was issued too long ago, or in the future: a clock is wrong."
        case .nonce: "The ID token's nonce is not the app's: it belongs to another sign-in."
        case .subject: "The ID token names no user."
        case .acr: "The user authenticated less strongly than was asked for."
        case .authenticationTime: "The ID token does not show that the user authenticated recently enough."
        case .context: "The ID token is about another transaction than the app asked for."
        case .accessTokenHash: "The ID token belongs to another access token."
        case .codeHash: "The ID token belongs to another code."
        case .malformed: "What the provider sent is no ID token."
        case .unknownKey: "The ID token was signed with a key that the provider does not publish."
        }
    }
}

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

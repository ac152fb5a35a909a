import Testing

@testable import Accounts

@Suite struct `A profile` {
    let jane: Attributes = [
        "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "email": "jane@example.com",
        "email_verified": "true", "postal_code": "90210",
    ]

    func merged(_ sent: Attributes) -> Attributes {
        var profile = Profile(carrier: jane)
        profile.merge(ProviderStatement(provider: "zenkey", subject: "s", attributes: sent, at: 1))
        return profile.carrier
    }

    @Test func `keeps what was not sent`() {
        #expect(merged(Attributes()) == jane)
        #expect(merged(["postal_code": "10001"]).email == "jane@example.com")
    }

    @Test func `takes what was sent`() {
        let sent: Attributes = ["postal_code": "10001", "birthdate": "1990-02-29"]
        #expect(merged(sent).postalCode == "10001")
        #expect(merged(sent)["birthdate"] == "1990-02-29")
    }

    @Test func `stays equal, order and all, when the same is sent again`() {
        #expect(merged(jane) == jane)
        let reordered: Attributes = [
            "postal_code": "90210", "family_name": "Doe", "name": "Jane Doe", "given_name": "Jane",
        ]
        #expect(merged(reordered) == jane)
    }

    @Test func `replaces the names together`() {
        let carrier = merged(["name": "Jane Smith"])
        #expect(carrier.name == "Jane Smith")
        #expect(carrier.givenName == nil)
        #expect(carrier.familyName == nil)
    }

    @Test func `a profile never calls a new address verified because the old one was`() {
        let carrier = merged(["email": "new@example.com"])
        #expect(carrier.email == "new@example.com")
        #expect(carrier["email_verified"] == nil)
    }

    @Test func `takes an empty text for nothing said`() {
        #expect(merged(["email": "", "postal_code": ""]) == jane)
    }

    @Test func `comes back from its bytes as it was`() throws {
        let long = String(repeating: "\u{1F600}é", count: 5000)
        let attributes: Attributes = ["name": "Zoë \0 \u{301}", "picture": long, "x": "y"]
        for profile in [
            Profile(), Profile(carrier: jane), Profile(carrier: attributes), Profile(carrier: jane, own: attributes),
        ] {
            #expect(try Profile(encoded: profile.encoded) == profile)
        }
    }

    @Test func `comes back with what it knows of sources, other providers and further claims`() throws {
        var profile = Profile(carrier: jane, own: ["email": "own@example.com"])
        profile.merge(said(["email": "a@example.com", "email_verified": "true"], by: "a", ["roles": "[1,true]"]))
        var address = Attributes()
        address.setObject("address", json: #"{"country":"US"}"#)
        profile.merge(said(address, by: "b"))
        profile.merge(said(["email": "b@example.com", "phone_number": "+1"], by: "b", ["roles": "{}", "x": "1.5"]))
        #expect(profile.others.count == 1)
        #expect(try Profile(encoded: profile.encoded) == profile)
        let bytes = profile.encoded
        #expect(throws: EncodedContentError.malformed) { try Profile(encoded: Array(bytes.dropLast())) }
    }

    @Test func `reads what was written before it knew of sources`() throws {
        let bytes: [UInt8] =
            [1, 1, 5] + Array("email".utf8) + [3] + Array("a@b".utf8) + [2, 5] + Array("email".utf8) + [3]
            + Array("c@d".utf8)
        let profile = try Profile(encoded: bytes)
        #expect(profile == Profile(carrier: ["email": "a@b"], own: ["email": "c@d"]))
        #expect(
            profile.contacts == [
                GivenContact(.email, "a@b", by: .provider(nil, isVerified: false)),
                GivenContact(.email, "c@d", by: .user),
            ])
    }

    @Test func `reads what was written before users could edit theirs`() throws {
        let bytes: [UInt8] = [1, 1, 4] + Array("name".utf8) + [4] + Array("Jane".utf8)
        #expect(try Profile(encoded: bytes) == Profile(carrier: ["name": "Jane"]))
    }

    @Test func `shows the user's own values over the carrier's`() {
        let profile = Profile(carrier: jane, own: ["postal_code": "10001", "username": "jane"])
        #expect(profile.shown.postalCode == "10001")
        #expect(profile.shown["username"] == "jane")
        #expect(profile.shown.name == "Jane Doe")
        #expect(profile.shown["email_verified"] == "true")
        #expect(Profile(carrier: jane).shown == jane)
    }

    @Test(arguments: Contact.allCases)
    func `shows the carrier's address and number wherever there is one, and the user's apart`(contact: Contact) {
        let profile = Profile(
            carrier: [contact.rawValue: "theirs", contact.verifiedName: "true"], own: [contact.rawValue: "mine"])
        #expect(profile.shown[contact.rawValue] == "theirs")
        #expect(profile.isVerified(contact))
        #expect(profile.saidByUserAlone == [contact.rawValue: "mine"])
        let repeated = Profile(carrier: [contact.rawValue: "theirs"], own: [contact.rawValue: "theirs"])
        #expect(repeated.saidByUserAlone.isEmpty)
        #expect(!repeated.isVerified(contact))
    }

    @Test(arguments: Contact.allCases)
    func `a profile never calls verified what the user alone says`(contact: Contact) {
        let claimed: Attributes = [contact.rawValue: "mine", contact.verifiedName: "true"]
        // Whatever a carrier may have verified, it was not this.
        for carrier in [Attributes(), [contact.verifiedName: "true"]] {
            let profile = Profile(carrier: carrier, own: claimed)
            #expect(profile.shown[contact.rawValue] == "mine")
            #expect(profile.shown[contact.verifiedName] == nil)
            #expect(!profile.isVerified(contact))
            #expect(profile.saidByUserAlone == [contact.rawValue: "mine"])
        }
    }

    @Test func `shows no part of a name that the user replaced`() {
        let shown = Profile(carrier: jane, own: ["name": "Jane Smith"]).shown
        #expect(shown.name == "Jane Smith")
        #expect(shown.familyName == nil)
        #expect(Profile(carrier: jane, own: ["given_name": "J."]).shown.familyName == "Doe")
    }

    @Test func `changes nothing when what is shown is said again`() {
        let before = Profile(carrier: jane, own: ["email": "own@example.com", "nickname": "J"])
        for (name, value) in [
            ("email", "jane@example.com"), ("email", "own@example.com"), ("name", "Jane Doe"), ("nickname", "J"),
            ("username", "jane@example.com"), ("phone_number", nil), ("locale", ""),
        ] {
            var profile = before
            #expect(profile.edit([ProfileEdit(name, value)], reference: "abc").isEmpty)
            #expect(profile == before)
        }
        #expect(before.changes(among: [ProfileEdit("email", nil)], reference: "abc") == [ProfileEdit("email", nil)])
        #expect(Profile().changes(among: [ProfileEdit("username", "abc")], reference: "abc").isEmpty)
        #expect(Profile().changes(among: [ProfileEdit("username", "abd")], reference: "abc").count == 1)
    }

    @Test func `keeps the parts of a name that are sent back with a changed one, in whatever order`() {
        let parts = [ProfileEdit("given_name", "Jane"), ProfileEdit("family_name", "Doe")]
        for edits in [[ProfileEdit("name", "Dr. Jane Doe")] + parts, parts + [ProfileEdit("name", "Dr. Jane Doe")]] {
            var profile = Profile(carrier: jane)
            profile.edit(edits, reference: "abc")
            #expect(profile.shown.name == "Dr. Jane Doe")
            #expect(profile.shown.givenName == "Jane")
            #expect(profile.shown.familyName == "Doe")
        }
    }

    @Test func `takes a recent authentication to change what others find the user by`() {
        let acts = ["username", "email", "phone_number", "name", "nickname", "picture"].map {
            ProfileEdit($0, "x").sensitiveAct
        }
        #expect(acts == [.changeUsername, .changeContact, .changeContact, nil, nil, nil])
    }

    @Test func `a profile is refused when any byte is missing, or its version is unknown`() throws {
        let bytes = Profile(carrier: ["name": "Jane", "email": "j@example.com"]).encoded
        let ends = [1, 1 + 1 + 5 + 5, bytes.count]
        for count in 0..<bytes.count where !ends.contains(count) {
            #expect(throws: EncodedContentError.malformed) { try Profile(encoded: Array(bytes[..<count])) }
        }
        #expect(throws: EncodedContentError.unknownVersion(3)) { try Profile(encoded: [3] + bytes.dropFirst()) }
        #expect(throws: EncodedContentError.malformed) { try Profile(encoded: [1, 9]) }
        #expect(throws: EncodedContentError.malformed) {
            try Profile(encoded: [1, 1] + [UInt8](repeating: 0xFF, count: 9))
        }
    }
}

@Suite struct `Personal values` {
    @Test func `show nothing when printed, interpolated or dumped`() {
        let secret = "310380-jane"
        let subject = Subject(issuer: secret, value: secret)
        let attributes: Attributes = ["name": secret]
        let profile = Profile(carrier: attributes)
        let identity = Identity(
            id: IdentityID(rawValue: 1), user: UserID(rawValue: 1), provider: "zenkey", subject: subject,
            origin: .signIn, linkedAt: 1, lastSignInAt: 1, emailStoppedAt: nil)
        let user = User(id: UserID(rawValue: 1), reference: "abc", profile: profile, createdAt: 1, updatedAt: 1)
        for value in [subject, attributes, profile, identity, user] as [any Sendable] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(describing: value), String(reflecting: value), dumped] {
                #expect(!text.contains(secret))
            }
        }
    }
}

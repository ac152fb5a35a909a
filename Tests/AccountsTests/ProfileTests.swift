import Accounts
import Testing

@Suite struct `A profile` {
    let jane: Attributes = [
        "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "email": "jane@example.com",
        "email_verified": "true", "postal_code": "90210",
    ]

    func merged(_ sent: Attributes) -> Attributes {
        var profile = Profile(carrier: jane)
        profile.merge(carrier: sent)
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

    @Test func `never calls a new address verified because the old one was`() {
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

    @Test func `shows no value of the user's as verified, unless it is the one the carrier named`() {
        #expect(Profile(carrier: jane, own: ["email": "own@example.com"]).shown["email_verified"] == nil)
        let claimed = Profile(carrier: jane, own: ["email": "own@example.com", "email_verified": "true"])
        #expect(claimed.shown["email_verified"] == nil)
        #expect(Profile(carrier: jane, own: ["email": "jane@example.com"]).shown["email_verified"] == "true")
    }

    @Test func `shows no part of a name that the user replaced`() {
        let shown = Profile(carrier: jane, own: ["name": "Jane Smith"]).shown
        #expect(shown.name == "Jane Smith")
        #expect(shown.familyName == nil)
        #expect(Profile(carrier: jane, own: ["given_name": "J."]).shown.familyName == "Doe")
    }

    @Test func `is refused when any byte is missing, or its version is unknown`() throws {
        let bytes = Profile(carrier: ["name": "Jane", "email": "j@example.com"]).encoded
        let ends = [1, 1 + 1 + 5 + 5, bytes.count]
        for count in 0..<bytes.count where !ends.contains(count) {
            #expect(throws: ProfileCodingError.malformed) { try Profile(encoded: Array(bytes[..<count])) }
        }
        #expect(throws: ProfileCodingError.unknownVersion(2)) { try Profile(encoded: [2] + bytes.dropFirst()) }
        #expect(throws: ProfileCodingError.malformed) { try Profile(encoded: [1, 9]) }
        #expect(throws: ProfileCodingError.malformed) {
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
            origin: .signIn, linkedAt: 1, lastSignInAt: 1)
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

import Accounts
import Testing

@testable import SignIn

@Suite struct `Comparing what somebody has typed` {
    private func profile(_ carrier: Attributes, own: Attributes = [:], address: String? = nil) -> Profile {
        var carrier = carrier
        if let address { carrier.setObject("address", json: address) }
        return Profile(carrier: carrier, own: own)
    }

    @Test(arguments: [
        ("Jane Doe", "  JANE   doe ", true), ("Zoë Ångström-Müller", "zoe angstrom muller", true),
        ("Zoe\u{308} A\u{30A}ngstro\u{308}m", "ZOË ÅNGSTRÖM", true), ("Søren Bjørnæs", "soren bjornaes", true),
        ("Strauß", "STRAUSS", true), ("O’Connor", "O'Connor", true), ("Łukasz Đurić", "lukasz duric", true),
        ("Николай", "Никола\u{438}\u{306}", true), ("Αλέξης", "αλεξης", true), ("張偉", "張偉", true),
        ("Jane Doe", "Jane D", false), ("Jane Doe", "Doe Jane", false), ("Николай", "Николаи", false),
    ])
    func `finds names equal without case, accents, blanks and punctuation`(said: String, typed: String, isEqual: Bool) {
        #expect(profile(["name": said]).match(.name, typed) == (isEqual ? .yes : .no))
        #expect(profile(["family_name": said]).match(.familyName, typed) == (isEqual ? .yes : .no))
    }

    @Test func `makes a name of its parts where there is no other`() {
        let parts = profile(["given_name": "Jane", "family_name": "Doe", "middle_name": "M."])
        for typed in ["Jane Doe", "Doe, Jane", "Jane M Doe"] { #expect(parts.match(.name, typed) == .yes) }
        #expect(parts.match(.name, "Jane") == .no)
        #expect(profile(["given_name": "Jane"]).match(.name, "Jane") == .unknown)
    }

    @Test func `compares the rest by what the field says`() {
        let jane = profile([
            "postal_code": "SW1A 1AA", "birthdate": "1985-12-10", "phone_number": "+12065550100",
            "email": "Jane@Example.com",
        ])
        #expect(jane.match(.postalCode, "sw1a-1aa") == .yes && jane.match(.postalCode, "sw1a") == .no)
        #expect(jane.match(.birthdate, "1985-12-10") == .yes && jane.match(.birthdate, "1985-12-11") == .no)
        #expect(jane.match(.phoneNumber, "+1 (206) 555-0100") == .yes)
        #expect(jane.match(.phoneNumber, "0012065550100") == .yes && jane.match(.phoneNumber, "+12065550101") == .no)
        #expect(jane.match(.email, "jane@example.COM") == .yes && jane.match(.email, "j@example.com") == .no)
    }

    @Test func `compares an address with its text, or its lines`() {
        #expect(profile(["address": "1 Main St.\nSpringfield"]).match(.address, "1 main st, springfield") == .yes)
        let parts = #"{"street_address":"1 Main St","postal_code":"90210","locality":"Springfield","country":"US"}"#
        for typed in ["1 Main St 90210 Springfield", "1 main st, Springfield, 90210", "1 Main St 90210 Springfield US"]
        {
            #expect(profile([:], address: parts).match(.address, typed) == .yes)
        }
        #expect(profile([:], address: parts).match(.address, "1 Main St") == .no)
        #expect(profile([:], address: #"{"formatted":"1 Main St"}"#).match(.address, "1 Main St.") == .yes)
        #expect(profile([:], address: #"{"country":"US"}"#).match(.address, "US") == .unknown)
    }

    @Test func `never looks at what users say of themselves`() {
        let own: Attributes = ["name": "Jane", "email": "j@example.com", "postal_code": "90210"]
        for attribute in MatchedAttribute.allCases {
            #expect(profile([:], own: own).match(attribute, own[attribute.rawValue] ?? "1985-12-10") == .unknown)
        }
        #expect(profile(["email": "theirs@example.com"], own: own).match(.email, "j@example.com") == .no)
    }

    @Test func `tells only a difference of a date of which the year is all, or what is missing`() {
        #expect(profile(["birthdate": "1985"]).match(.birthdate, "1985-12-10") == .unknown)
        #expect(profile(["birthdate": "1985"]).match(.birthdate, "1986-12-10") == .no)
        #expect(profile(["birthdate": "0000-12-10"]).match(.birthdate, "1985-12-10") == .unknown)
        #expect(profile(["birthdate": "0000-12-10"]).match(.birthdate, "1985-12-11") == .no)
    }

    @Test(
        arguments: [
            (.birthdate, "1985"), (.birthdate, "0000-12-10"), (.birthdate, "1985-13-10"), (.birthdate, "10.12.1985"),
            (.name, " -' "), (.postalCode, "---"), (.address, "\u{301}"), (.phoneNumber, "none"), (.email, "  "),
        ] as [(MatchedAttribute, String)])
    func `refuses what is a part, or nothing`(attribute: MatchedAttribute, value: String) {
        #expect(attribute.fault(of: value) != nil)
    }
}

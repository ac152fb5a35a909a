internal import Crypto

/// A person with a phone.
struct Subscriber: Sendable, Equatable {
    /// The login hint.
    let name: String
    let givenName: String
    let familyName: String
    let email: String
    let phoneNumber: String
    let postalCode: String
    let birthdate: String

    var fullName: String { "\(givenName) \(familyName)" }

    /// Those that the sign-in page offers.
    static let wellKnown = [
        Subscriber(
            name: "ada", givenName: "Ada", familyName: "Lovelace", email: "ada@example.com",
            phoneNumber: "+13105550101", postalCode: "90210", birthdate: "1985-12-10"),
        Subscriber(
            name: "grace", givenName: "Grace", familyName: "Hopper", email: "grace@example.com",
            phoneNumber: "+12125550102", postalCode: "10001", birthdate: "1986-12-09"),
        Subscriber(
            name: "linus", givenName: "Linus", familyName: "Pauling", email: "linus@example.com",
            phoneNumber: "+15035550103", postalCode: "97201", birthdate: "1981-02-28"),
        Subscriber(
            name: "mary", givenName: "Mary", familyName: "Somerville", email: "mary@example.com",
            phoneNumber: "+16175550104", postalCode: "02101", birthdate: "1980-12-26"),
    ]

    private static let givenNames = ["Alex", "Blake", "Casey", "Drew", "Emery", "Finley", "Harper", "Jordan"]
    private static let familyNames = ["Adler", "Brook", "Carver", "Dale", "Ember", "Forrest", "Glover", "Hale"]

    /// The subscriber of a phone number: a well-known one, or one that is made of the number.
    ///
    /// - Returns: nil for what is nobody's: the made-up ones have numbers that begin with +1555.
    static func reached(at phoneNumber: String) -> Subscriber? {
        if let known = wellKnown.first(where: { $0.phoneNumber == phoneNumber }) { return known }
        guard phoneNumber.hasPrefix("+1555"), phoneNumber.utf8.count == 12 else { return nil }
        return named("phone" + phoneNumber.dropFirst())
    }

    /// The subscriber of that login hint: a well-known one, or one with attributes that follow from the hint.
    ///
    /// - Returns: nil unless the hint is 1 to 64 of lower-case letters, digits, `.`, `_` and `-`.
    static func named(_ hint: String) -> Subscriber? {
        let isName = hint.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "._-".utf8.contains(byte)
        }
        guard isName, (1...64).contains(hint.utf8.count) else { return nil }
        if let known = wellKnown.first(where: { $0.name == hint }) { return known }
        let hash = Digest.sha256.hash(Array(hint.utf8))
        func digits(_ count: Int, from offset: Int) -> String {
            hash[offset..<(offset + count)].map { String($0 % 10) }.joined()
        }
        return Subscriber(
            name: hint, givenName: givenNames[Int(hash[0] % 8)], familyName: familyNames[Int(hash[1] % 8)],
            email: "\(hint)@example.com", phoneNumber: "+1555" + digits(7, from: 2), postalCode: digits(5, from: 9),
            birthdate: "19\(70 + Int(hash[14] % 30))-0\(1 + Int(hash[15] % 9))-1\(hash[16] % 10)")
    }
}

/// What two spellings of one text have in common.
enum ComparableText {
    /// Case, blanks and punctuation go, and of Latin and Greek letters the accents where those are not told apart.
    static func of(_ text: String, hasAccents: Bool) -> String {
        var comparable = ""
        for character in text.uppercased().lowercased() {
            guard let first = character.unicodeScalars.first, isKept(first) else { continue }
            if hasAccents {
                comparable.append(character)
            } else {
                comparable += withoutAccents(character, first)
            }
        }
        return comparable
    }

    private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: false
        }
    }

    /// By the letter's name: "LATIN SMALL LETTER O WITH STROKE" is an o, and "LATIN SMALL LETTER AE" an a and an e.
    private static func withoutAccents(_ character: Character, _ first: Unicode.Scalar) -> String {
        if first.isASCII { return String(first) }
        guard let name = first.properties.name, name.hasPrefix("LATIN ") || name.hasPrefix("GREEK ") else {
            return String(character)
        }
        let words = name.split(separator: " ")
        let letter = Array(words.prefix { $0 != "WITH" })
        guard letter.starts(with: ["LATIN", "SMALL", "LETTER"]), letter.count == 4, letter[3].utf8.count <= 2 else {
            return letter.joined()
        }
        return letter[3].lowercased()
    }
}

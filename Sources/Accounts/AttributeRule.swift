internal import Syntax

/// What the value of an attribute must be, a provider's or a user's (OpenID Connect Core §5.1).
///
/// Where a user sets a value that breaks it, the request is refused; where a provider sends one, it is left out, for no
/// odd attribute may keep its owner from signing in. How long a value may be is the caller's to say.
public enum AttributeRule {
    /// What an attribute's text stands for, where it is more than words.
    private enum Form {
        case address, language, timeZone, date

        /// Asked for each attribute of each sign-in; the length of a name tells most of them apart.
        init?(of name: String) {
            switch (name.utf8.count, name) {
            case (7, "picture"), (7, "profile"), (7, "website"): self = .address
            case (6, "locale"): self = .language
            case (8, "zoneinfo"): self = .timeZone
            case (9, "birthdate"): self = .date
            default: return nil
            }
        }

        var expected: String {
            switch self {
            case .address: "must be an http or https URL"
            case .language: "must be a language tag (BCP 47), such as en-GB"
            case .timeZone: "must be a time zone's name, such as Europe/Paris"
            case .date: "must be a date, YYYY-MM-DD, with 0000 for a year that is not told, or the year alone"
            }
        }

        func fits(_ text: String) -> Bool {
            switch self {
            case .address: AttributeRule.isAddress(text)
            case .language: AttributeRule.isLanguage(text)
            case .timeZone: AttributeRule.isTimeZone(text)
            case .date: AttributeRule.isDate(text)
            }
        }
    }

    private static let maximumNameBytes = 64

    /// What is wrong with a value, as it completes "The parameter … "; it never repeats the value.
    ///
    /// - Parameter name: the attribute's.
    /// - Returns: nil for a value that may be stored and handed on.
    public static func fault(of text: String, named name: String) -> String? {
        // An address may be written as on an envelope (§5.1.1).
        if let fault = VisibleText.fault(of: text, mayHaveLines: name == "address") { return fault.rawValue }
        guard let form = Form(of: name), !form.fits(text) else { return nil }
        return form.expected
    }

    /// Whether a value may have parts of its own, as `address` has, and does not stand for one thing alone.
    public static func mayHaveParts(_ name: String) -> Bool { Form(of: name) == nil }

    /// Only what a browser fetches or opens as a page: a `javascript:` or `data:` URL that an app makes a link of runs
    /// in the app's name.
    private static func isAddress(_ text: String) -> Bool {
        let address = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard (try? EndpointURL(configured: String(Substring(address)))) != nil else { return false }
        // RFC 3986 §3.5: what stands in a query may stand in a fragment.
        return text.utf8.dropFirst(address.count + 1).allSatisfy { byte in
            byte.isPathCharacter || byte == .slash || byte == .questionMark || byte == .percent
        }
    }

    /// RFC 5646 §2.1, with the underscore that OpenID Connect Core §5.1 lets pass: tags of one to eight letters and
    /// digits, the first of letters alone.
    private static func isLanguage(_ text: String) -> Bool {
        guard text.utf8.count <= maximumNameBytes else { return false }
        var (isFirst, length) = (true, 0)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") {
                guard length > 0 else { return false }
                (isFirst, length) = (false, 0)
            } else {
                guard length < 8, isFirst ? byte.isLetter : byte.isAlphanumeric else { return false }
                length += 1
            }
        }
        return length > 0
    }

    /// The names of the IANA's database (RFC 6557): words between slashes, such as `America/Argentina/Salta`,
    /// `Etc/GMT+5`.
    private static func isTimeZone(_ text: String) -> Bool {
        guard text.utf8.count <= maximumNameBytes else { return false }
        var beginsWord = true
        for byte in text.utf8 {
            if beginsWord {
                guard byte.isLetter else { return false }
                beginsWord = false
            } else if byte == .slash {
                beginsWord = true
            } else {
                guard byte.isAlphanumeric || "_+-".utf8.contains(byte) else { return false }
            }
        }
        return !beginsWord
    }

    /// §5.1: ISO 8601, `YYYY-MM-DD`; the year may be 0000, or stand alone.
    private static func isDate(_ text: String) -> Bool {
        let bytes = text.utf8.span
        guard let year = number(in: bytes, 0..<4) else { return false }
        if bytes.count == 4 { return year > 0 }
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let month = number(in: bytes, 5..<7), let day = number(in: bytes, 8..<10)
        else { return false }
        return (1...12).contains(month) && (1...days(of: month, in: year)).contains(day)
    }

    /// - Returns: nil where the text is shorter, or anything but a digit stands there.
    private static func number(in bytes: Span<UInt8>, _ places: Range<Int>) -> Int? {
        guard places.upperBound <= bytes.count else { return nil }
        var number = 0
        for index in places {
            guard bytes[index].isDigit else { return nil }
            number = number * 10 + Int(bytes[index] - UInt8(ascii: "0"))
        }
        return number
    }

    /// A year that is not told may be a leap year.
    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

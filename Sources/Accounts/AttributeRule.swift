internal import Syntax

/// What the value of an attribute must be, a provider's or a user's (OpenID Connect Core §5.1).
///
/// Where a user sets a value that breaks it, the request is refused; where a provider sends one, it is left out, for no
/// odd attribute may keep its owner from signing in. How long a value may be is the caller's to say.
public enum AttributeRule {
    /// What an attribute's text stands for, where it is more than words.
    private enum Form {
        case address, language, timeZone, date

        init?(of name: String) {
            switch name {
            case "picture", "profile", "website": self = .address
            case "locale": self = .language
            case "zoneinfo": self = .timeZone
            case "birthdate": self = .date
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
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first, (try? EndpointURL(configured: String(address))) != nil else { return false }
        // RFC 3986 §3.5: what stands in a query may stand in a fragment.
        return parts.dropFirst().allSatisfy { fragment in
            fragment.utf8.allSatisfy { $0.isPathCharacter || $0 == .slash || $0 == .questionMark || $0 == .percent }
        }
    }

    /// RFC 5646 §2.1, with the underscore that OpenID Connect Core §5.1 lets pass.
    private static func isLanguage(_ text: String) -> Bool {
        let tags = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        guard text.utf8.count <= maximumNameBytes, let first = tags.first, first.utf8.allSatisfy(\.isLetter) else {
            return false
        }
        return tags.allSatisfy { (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isAlphanumeric) }
    }

    /// The names of the IANA's database (RFC 6557): words between slashes, such as `America/Argentina/Salta`,
    /// `Etc/GMT+5`.
    private static func isTimeZone(_ text: String) -> Bool {
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= maximumNameBytes
            && words.allSatisfy { word in
                word.utf8.first?.isLetter == true
                    && word.utf8.allSatisfy { $0.isAlphanumeric || "_+-".utf8.contains($0) }
            }
    }

    /// §5.1: ISO 8601, `YYYY-MM-DD`; the year may be 0000, or stand alone.
    private static func isDate(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.allSatisfy(\.isDigit) ? Int($0) : nil }
        guard numbers.count == parts.count, let year = numbers.first, parts.first?.utf8.count == 4 else { return false }
        guard parts.count > 1 else { return year > 0 }
        guard parts.count == 3, parts[1].utf8.count == 2, parts[2].utf8.count == 2 else { return false }
        let (month, day) = (numbers[1], numbers[2])
        return (1...12).contains(month) && (1...days(of: month, in: year)).contains(day)
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

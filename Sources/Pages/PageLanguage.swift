internal import Syntax

/// The languages that pages are written in; the raw value is what `lang` and Content-Language say (RFC 5646).
public enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case spanish = "es"
    case norwegian = "nb"
    case danish = "da"

    /// The language that a browser asks for (RFC 9110 §12.5.4).
    ///
    /// - Parameter acceptLanguage: the field's value, several fields joined by commas; nil when there is none.
    ///   What of it is malformed is passed over. English when nothing in it fits.
    public init(acceptLanguage: String?) {
        self = AcceptLanguage.choice(of: acceptLanguage ?? "") ?? .english
    }

    /// The language that an app asks for, or else the browser.
    ///
    /// - Parameters:
    ///   - locales: `ui_locales` (OpenID Connect Core §3.1.2.1): language tags, the most wanted first, with spaces
    ///     between.
    ///   - acceptLanguage: see ``init(acceptLanguage:)``; asked when none of the tags fits.
    public init(locales: String?, acceptLanguage: String?) {
        let locales = locales ?? ""
        guard locales.utf8.count <= AcceptLanguage.longest,
            let named = locales.utf8.split(separator: .space).lazy.compactMap({ Self(tag: $0.span) }).first
        else {
            self.init(acceptLanguage: acceptLanguage)
            return
        }
        self = named
    }

    /// The language of a tag, by its first part: Spanish is Spanish in every region. Who reads one of Norway's two
    /// written languages reads the other.
    ///
    /// - Parameter tag: subtags of one to eight letters and digits, the first of them letters (RFC 4647 §2.1).
    /// - Returns: nil for another language, and for what is no tag.
    init?(tag: Span<UInt8>) {
        var primaryEnd: Int?
        var subtagStart = 0
        for index in 0...tag.count where index == tag.count || tag[index] == UInt8(ascii: "-") {
            guard (1...8).contains(index - subtagStart) else { return nil }
            primaryEnd = primaryEnd ?? index
            subtagStart = index + 1
        }
        for index in tag.indices where !tag[index].isAlphanumeric && tag[index] != UInt8(ascii: "-") { return nil }
        let primary = 0..<(primaryEnd ?? 0)
        if tag.equalsIgnoringCase(primary, "en") {
            self = .english
        } else if tag.equalsIgnoringCase(primary, "es") {
            self = .spanish
        } else if ["nb", "no", "nn"].contains(where: { tag.equalsIgnoringCase(primary, $0) }) {
            self = .norwegian
        } else if tag.equalsIgnoringCase(primary, "da") {
            self = .danish
        } else {
            return nil
        }
    }
}

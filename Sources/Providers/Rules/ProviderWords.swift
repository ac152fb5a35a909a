internal import Crypto
public import HTTPClient
internal import JSON
import Syntax

/// What a provider says about its refusal, code and description, made fit for a log: it shows an operator why sign-ins
/// fail, when the code alone does not tell.
///
/// A provider may repeat what it was sent, or name the user. So everything that was sent is taken out, then whatever
/// looks like a token, an address or a number of a person; and what is left is short and printable.
public struct ProviderWords: Sendable, Equatable, CustomStringConvertible {
    static let maximumCode = 64
    static let maximumDescription = 240
    private static let removed = "[removed]"
    /// Longer words are tokens, hashes or codes rather than language.
    private static let maximumWordLength = 40
    /// As many digits are a phone number or an account's.
    private static let fewestPersonalDigits = 8
    /// Shorter values stand in any text by chance; they are taken out only as words of their own.
    private static let shortestPart = 6

    public let description: String

    /// - Parameter sent: secrets and everything else of the request that must not come back.
    /// - Returns: nil when the answer holds no error.
    public init?(_ response: OutboundResponse, removing sent: [String]) {
        let isSuccess = (200..<300).contains(response.status)
        guard let document = try? response.parsedObject(), let words = RefusalWords(document, isSuccess: isSuccess)
        else {
            return nil
        }
        let code = (words.names + words.numbers).joined(separator: ", ")
        let text = words.description
        if code.isEmpty, text == nil { return nil }
        let sent = Self.spellings(of: sent)
        let parts = [
            Self.fit(code, maximum: Self.maximumCode, removing: sent),
            text.map { Self.fit($0, maximum: Self.maximumDescription, removing: sent) },
        ].compactMap(\.self).filter { !$0.isEmpty }
        description = parts.joined(separator: ": ")
    }

    /// The values as they are and as they went over the wire, the longest first, so that no part of one remains.
    private static func spellings(of values: [String]) -> [String] {
        var all: Set<String> = []
        for value in values where !value.isEmpty {
            all.insert(value)
            var encoded: [UInt8] = []
            FormEncoding.append(value.utf8.span, to: &encoded)
            all.insert(String(decoding: encoded, as: UTF8.self))
        }
        return all.sorted { $0.utf8.count > $1.utf8.count }
    }

    private static func fit(_ text: String, maximum: Int, removing sent: [String]) -> String {
        var text = String(String.UnicodeScalarView(text.unicodeScalars.map { isPrintable($0) ? $0 : " " }))
        for value in sent where value.count >= shortestPart { text.replace(value, with: removed) }
        text = withoutNumbers(text)
        let words = text.split(separator: " ").map { word in isTelling(word, sent) ? removed : String(word) }
        text = words.joined(separator: " ")
        return text.count <= maximum ? text : text.prefix(maximum) + "…"
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .privateUse,
            .unassigned:
            false
        default: true
        }
    }

    /// Whether a word may be about the user or the request: an e-mail address, a long token, or (part of) what was
    /// sent.
    private static func isTelling(_ word: Substring, _ sent: [String]) -> Bool {
        if word.contains("@") || word.contains("eyJ") { return true }
        let parts = word.split { !($0.isLetter || $0.isNumber || "-._~+/=%".contains($0)) }
        return parts.contains { part in
            part.count > maximumWordLength
                || sent.contains { $0 == part || part.count >= shortestPart && $0.contains(part) }
        }
    }

    /// Takes out what may be a phone number, with whatever separates its digits.
    private static func withoutNumbers(_ text: String) -> String {
        var result = ""
        var number = ""
        func kept(_ number: String) -> String {
            number.count { $0.isNumber } >= fewestPersonalDigits ? removed : number
        }
        for character in text {
            if character.isNumber || !number.isEmpty && " -.()/+".contains(character) || character == "+" {
                number.append(character)
            } else {
                result += kept(number)
                number = ""
                result.append(character)
            }
        }
        return result + kept(number)
    }
}

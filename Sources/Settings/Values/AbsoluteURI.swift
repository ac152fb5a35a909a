import Syntax

/// The grammar that all redirect URIs share: absolute and without a fragment (RFC 6749 §3.1.2), of any scheme.
enum AbsoluteURI {
    /// The scheme of a text that is such a URI, in lower case; nil for any other text.
    static func scheme(of text: String) -> String? {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }),
            let colon = text.firstIndex(of: ":"), text.index(after: colon) < text.endIndex,
            let first = text.first, first.isLetter
        else { return nil }
        // RFC 3986 §3.1
        let isScheme = text[..<colon].allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
        return isScheme ? text[..<colon].lowercased() : nil
    }

    /// Whether a text has nothing but the characters of URIs, each `%` with two hexadecimal digits behind it (RFC 3986
    /// §2).
    static func isWritten(_ text: String) -> Bool {
        let bytes = text.utf8.span
        for index in bytes.indices {
            let byte = bytes[index]
            guard
                byte == .percent
                    ? bytes.isPercentEncoded(at: index, before: bytes.count)
                    : byte.isPathCharacter || "/?[]".utf8.contains(byte)
            else { return false }
        }
        return true
    }
}

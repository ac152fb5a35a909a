internal import System

/// Base64url without padding, the form of everything in JOSE (RFC 7515 §2).
public enum Base64URL {
    /// The text for bytes.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        String(utf8Capacity: encodedCount(of: bytes.count)) { Base64Alphabet.url.encode(bytes, into: &$0) }
    }

    /// The text for bytes.
    public static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

    /// The bytes of a text.
    ///
    /// Every byte string has exactly one encoding, and only that one is taken: no padding, white space or foreign
    /// characters, no length that no byte string has, and unused bits zero. Otherwise a token could be altered
    /// without becoming another token.
    /// - Returns: nil for any other text.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        // Appending nothing would write to the empty array that the whole process shares. One symbol is less than a
        // byte.
        if text.count < 2 { return text.isEmpty ? [] : nil }
        var isValid = false
        // Appended: an array that is made with its capacity asks the runtime for its type, which costs as much as the
        // memory.
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: text.count * 3 / 4) { output in
            isValid = Base64Alphabet.url.decode(text, into: &output)
        }
        return isValid ? bytes : nil
    }

    /// The bytes of a text; see ``decode(_:)``.
    public static func decode(_ text: String) -> [UInt8]? { decode(text.utf8.span) }

    /// The length of the text for so many bytes.
    public static func encodedCount(of count: Int) -> Int { Base64Alphabet.symbolCount(ofBytes: count) }

    /// Appends the text for bytes to other text.
    public static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        text.append(addingCapacity: encodedCount(of: bytes.count)) { output in
            Base64Alphabet.url.encode(bytes, into: &output)
        }
    }
}

/// Standard base64 with padding (RFC 4648 §4), as HTTP Basic authentication wants it (RFC 7617 §2).
public enum Base64 {
    /// The text for bytes.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        let text = [UInt8](capacity: (bytes.count + 2) / 3 * 4) { output in
            Base64Alphabet.standard.encode(bytes, into: &output)
            while output.count % 4 != 0 { output.append(UInt8(ascii: "=")) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The text for bytes.
    public static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

    /// The bytes of a padded text, held to the same strictness as ``Base64URL/decode(_:)``.
    /// - Returns: nil for any other text.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var end = text.count
        while end > 0, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        var isValid = false
        let bytes = [UInt8](capacity: end * 3 / 4) { output in
            isValid = Base64Alphabet.standard.decode(text.extracting(0..<end), into: &output)
        }
        return isValid ? bytes : nil
    }

    /// The bytes of a padded text; see ``decode(_:)``.
    public static func decode(_ text: String) -> [UInt8]? { decode(text.utf8.span) }
}

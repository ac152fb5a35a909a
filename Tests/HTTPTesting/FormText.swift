/// Fields as `application/x-www-form-urlencoded` writes them, independent of the product.
public enum FormText {
    public static func encode(_ fields: [(String, String)]) -> String {
        fields.map { "\(escape($0.0))=\(escape($0.1))" }.joined(separator: "&")
    }

    public static func encode(_ fields: [String: String]) -> String { encode(fields.map { ($0.key, $0.value) }) }

    private static func escape(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isASCII && (character.isLetter || character.isNumber)
                ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// The fields of the query in a URL; of a name that comes twice the first.
    public static func query(of url: String) -> [String: String] {
        let fields = url.drop { $0 != "?" }.dropFirst().split(separator: "&").map { field in
            let halves = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (unescape(halves[0]), unescape(halves.last ?? ""))
        }
        return Dictionary(fields) { first, _ in first }
    }

    private static func unescape(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

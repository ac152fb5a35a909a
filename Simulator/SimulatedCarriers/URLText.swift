/// URLs put together as text.
enum URLText {
    /// An address with query parameters added to those it has.
    static func adding(_ parameters: [(name: String, value: String)], to address: String) -> String {
        var text = address
        var separator = address.contains("?") ? "&" : "?"
        for parameter in parameters {
            text += "\(separator)\(encode(parameter.name))=\(encode(parameter.value))"
            separator = "&"
        }
        return text
    }

    /// Percent-encodes all but the unreserved characters of RFC 3986 §2.3.
    static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: encoded.append(byte)
            default: encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

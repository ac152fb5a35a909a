/// `application/x-www-form-urlencoded`, as RFC 6749 appendix B wants it: UTF-8, everything but the unreserved
/// characters escaped, a space as `+`.
enum FormEncoding {
    private static let hexadecimal = Array("0123456789ABCDEF".utf8)

    /// Appends `name=value`, after an `&` when something stands before.
    static func append(_ name: StaticString, _ value: String, to body: inout [UInt8]) {
        if !body.isEmpty { body.append(UInt8(ascii: "&")) }
        name.withUTF8Buffer { unsafe body.append(contentsOf: $0) }
        body.append(UInt8(ascii: "="))
        append(value.utf8.span, to: &body)
    }

    /// Appends one encoded value.
    static func append(_ value: Span<UInt8>, to body: inout [UInt8]) {
        // Most values go out as they are.
        if value.indices.allSatisfy({ isUnreserved(value[$0]) }) {
            return unsafe value.withUnsafeBufferPointer { unsafe body.append(contentsOf: $0) }
        }
        let hexadecimal = hexadecimal.span
        body.append(addingCapacity: value.count * 3) { output in
            for index in value.indices {
                let byte = value[index]
                if isUnreserved(byte) {
                    output.append(byte)
                } else if byte == UInt8(ascii: " ") {
                    output.append(UInt8(ascii: "+"))
                } else {
                    output.append(UInt8(ascii: "%"))
                    output.append(hexadecimal[Int(byte >> 4)])
                    output.append(hexadecimal[Int(byte & 15)])
                }
            }
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

/// Bytes that are not what they should be, or that a later version wrote.
public enum EncodedContentError: Error, Equatable, Sendable {
    case malformed
    case unknownVersion(UInt8)
}

/// How texts are written that are sealed as one value: a tag that says what comes, and then each text as UTF-8 behind
/// its length (LEB128).
enum TaggedTexts {
    static func append(_ tag: UInt8, _ texts: [String], to bytes: inout [UInt8]) {
        bytes.append(tag)
        for text in texts {
            var length = text.utf8.count
            while length > 0x7F {
                bytes.append(UInt8(length & 0x7F) | 0x80)
                length >>= 7
            }
            bytes.append(UInt8(length))
            bytes.append(contentsOf: text.utf8)
        }
    }

    /// Reads the text at an offset, and moves the offset behind it.
    static func text(_ bytes: [UInt8], _ offset: inout Int) throws(EncodedContentError) -> String {
        var length = 0
        var shift = 0
        while true {
            guard offset < bytes.count, shift <= 28 else { throw .malformed }
            let byte = bytes[offset]
            offset += 1
            length |= Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { break }
            shift += 7
        }
        guard length <= bytes.count - offset else { throw .malformed }
        defer { offset += length }
        return String(decoding: bytes[offset..<offset + length], as: UTF8.self)
    }
}

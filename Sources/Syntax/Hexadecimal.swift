internal import System

/// Base 16 (RFC 4648 §8).
public enum Hexadecimal {
    /// Bytes as text, two lowercase digits each.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(utf8Capacity: bytes.count * 2) { output in
            for byte in bytes {
                output.append((byte >> 4).hexadecimalDigit)
                output.append((byte & 15).hexadecimalDigit)
            }
        }
    }

    /// - Returns: the bytes of a text of two digits each; nil for any other.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.map {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 ? Int($0) - 48 : (Int($0) | 0x20) - 87
        }
        guard digits.count.isMultiple(of: 2), digits.allSatisfy({ (0..<16).contains($0) }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

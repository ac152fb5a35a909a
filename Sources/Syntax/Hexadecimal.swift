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
}

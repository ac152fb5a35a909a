internal import System

/// Base 16 (RFC 4648 §8).
public enum Hexadecimal {
    /// The digit of a number below 16, letters in upper case, as in percent-encoding.
    @inlinable
    public static func uppercase(_ number: UInt8) -> UInt8 { number < 10 ? 0x30 + number : 0x37 + number }

    /// The digit of a number below 16, letters in lower case.
    @inlinable
    public static func lowercase(_ number: UInt8) -> UInt8 { number < 10 ? 0x30 + number : 0x57 + number }

    /// Bytes as text, two lowercase digits each.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(utf8Capacity: bytes.count * 2) { output in
            for byte in bytes {
                output.append(lowercase(byte >> 4))
                output.append(lowercase(byte & 15))
            }
        }
    }
}

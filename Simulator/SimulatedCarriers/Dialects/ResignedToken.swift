import Syntax

/// The other signature that an ES256 token may have.
///
/// Where (r, s) is a signature by ECDSA, (r, n − s) is one of the same text by the same key, and takes no key to make.
/// So the text of a whole token does not tell whether it was seen before.
public enum ResignedToken {
    private static let halfByteCount = 32
    /// The order n of P-256 (SP 800-186 §3.2.1.3).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// - Parameter token: a JWS in compact serialization (RFC 7515 §7.1).
    /// - Returns: the same header and payload with the other signature; nil for what has no signature of 64 bytes.
    public static func of(_ token: String) -> String? {
        guard let end = token.lastIndex(of: "."),
            let signature = Base64URL.decode(String(token[token.index(after: end)...])),
            signature.count == 2 * halfByteCount
        else { return nil }
        return token[...end] + Base64URL.encode(other(signature))
    }

    /// r as it is, then n − s, both big-endian.
    static func other(_ signature: [UInt8]) -> [UInt8] {
        var difference = order
        var borrow = 0
        for index in order.indices.reversed() {
            let digit = Int(order[index]) - Int(signature[halfByteCount + index]) - borrow
            borrow = digit < 0 ? 1 : 0
            difference[index] = UInt8(truncatingIfNeeded: digit)
        }
        return signature.prefix(halfByteCount) + difference
    }
}

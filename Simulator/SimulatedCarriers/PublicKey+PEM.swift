internal import Crypto
import Syntax

extension PublicKey {
    /// An RSA key as the text of a PEM file: what an attacker feeds to a verifier that lets a token choose HS256
    /// (RFC 8725 §2.1). Empty for other keys.
    var pemText: String {
        guard case .rsa(let modulus, let exponent) = parameters else { return "" }
        let key = DER.sequence(DER.integer(modulus) + DER.integer(exponent))
        // RFC 8017 §A.1: rsaEncryption, with NULL for its parameters.
        let algorithm = DER.sequence([0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00])
        let info = DER.sequence(algorithm + DER.bitString(key))
        var body = Substring(Base64.encode(info))
        var lines: [Substring] = []
        while !body.isEmpty {
            lines.append(body.prefix(64))
            body = body.dropFirst(64)
        }
        return "-----BEGIN PUBLIC KEY-----\n\(lines.joined(separator: "\n"))\n-----END PUBLIC KEY-----\n"
    }
}

/// As much of ASN.1's distinguished encoding as a public key needs (X.690).
private enum DER {
    static func sequence(_ content: [UInt8]) -> [UInt8] { element(0x30, content) }

    /// - Parameter magnitude: big-endian without leading zeros.
    static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        // A first bit that is set would make the number negative.
        element(0x02, (magnitude.first ?? 0) >= 0x80 ? [0] + magnitude : magnitude)
    }

    static func bitString(_ content: [UInt8]) -> [UInt8] { element(0x03, [0] + content) }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            switch content.count {
            case ..<0x80: [UInt8(content.count)]
            case ..<0x100: [0x81, UInt8(content.count)]
            default: [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
            }
        return [tag] + length + content
    }
}

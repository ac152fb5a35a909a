public import Crypto

extension Random {
    /// A random text for URLs and headers: so many random bytes as base64url.
    public static func token(byteCount: Int) -> String { Base64URL.encode(bytes(byteCount)) }
}

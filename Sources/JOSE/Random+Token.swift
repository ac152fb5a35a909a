public import Crypto

extension Random {
    /// A random text for URLs and headers: so many random bytes as base64url.
    public static func token(byteCount: Int) -> String { withBytes(byteCount) { Base64URL.encode($0) } }
}

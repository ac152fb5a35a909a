internal import Crypto
import Syntax

/// What discovery hands to a secondary device, so that the carrier knows which primary one to ask.
enum LoginHintToken {
    private static let key = Random.bytes(32)

    static func make(for subscriber: Subscriber) -> String {
        "\(Base64URL.encode(Array(subscriber.name.utf8))).\(mark(subscriber.name))"
    }

    /// - Returns: nil when this process has not made the token.
    static func subscriber(_ token: String) -> Subscriber? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = Base64URL.decode(String(parts[0])) else { return nil }
        let name = String(decoding: bytes, as: UTF8.self)
        guard constantTimeEqual(Array(parts[1].utf8), Array(mark(name).utf8)) else { return nil }
        return Subscriber.named(name)
    }

    private static func mark(_ name: String) -> String {
        Base64URL.encode(HMAC.sha256(Array(name.utf8), key: key))
    }
}

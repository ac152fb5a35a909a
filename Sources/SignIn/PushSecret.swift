package import Accounts
package import Crypto
import JSON
import Providers
import Syntax

/// One of the two secrets of a server-initiated sign-in: what the app asks by, or what the carrier shows with its
/// notification. Each is random, of 256 bits, and the only key to what the store keeps for its holder.
package struct PushSecret: Sendable {
    package enum Purpose: String {
        case app = "gatehouse push of an app"
        case carrier = "gatehouse push at a carrier"
    }

    private static let byteCount = 32

    package let text: String
    private let purpose: Purpose

    package init(_ purpose: Purpose) {
        text = Random.token(byteCount: Self.byteCount)
        self.purpose = purpose
    }

    /// - Returns: nil for what was never one.
    package init?(_ text: String, _ purpose: Purpose) {
        guard text.utf8.count == Base64URL.encodedCount(of: Self.byteCount), Base64URL.decode(text) != nil else {
            return nil
        }
        (self.text, self.purpose) = (text, purpose)
    }

    /// By which it is found.
    ///
    /// - Parameter owner: whose it is, where it is the app's: to any other it is nothing.
    package func hash(owner: String = "") -> TokenHash { TokenHash(sha256: "\(text)\n\(owner)") }

    package func seal(_ content: PushContent) throws(CryptoError) -> [UInt8] {
        try AEAD.seal(content.encoded, key: key(), associatedData: [])
    }

    /// - Returns: nil when it was sealed under another secret, or by a version that wrote it otherwise.
    package func open(_ sealed: [UInt8]) -> PushContent? {
        guard let encoded = try? AEAD.open(sealed, key: key(), associatedData: []) else { return nil }
        return PushContent(encoded: encoded)
    }

    private func key() throws(CryptoError) -> SymmetricKey {
        try SymmetricKey(Secret(HMAC.sha256(Array(purpose.rawValue.utf8), key: Array(text.utf8))))
    }
}

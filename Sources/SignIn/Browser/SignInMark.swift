internal import Accounts
internal import Syntax

/// What tells one sign-in of a browser from the others, openly: the name of its cookie ends with it, and what is sent
/// through the browser for it begins with it. It is made of the hash of the browser's key, and good for nothing alone.
public struct SignInMark: Hashable, Sendable {
    /// A multiple of three, so that its text can stand before another one of base64url.
    static let byteCount = 9
    static let characterCount = Base64URL.encodedCount(of: byteCount)

    public let text: String

    init(of hash: TokenHash) {
        let bytes = hash.bytes
        text = Base64URL.encode(bytes.span.extracting(first: Self.byteCount))
    }

    /// - Returns: nil for what was never one.
    init?(_ text: some StringProtocol) {
        let text = String(text)
        guard text.utf8.count == Self.characterCount, Base64URL.decode(text) != nil else { return nil }
        self.text = text
    }
}

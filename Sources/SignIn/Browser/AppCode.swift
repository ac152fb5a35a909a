internal import Crypto
internal import Syntax

/// The one-time code of an app: random, and behind it what the sign-in is called in logs, so that the line of the
/// code's redemption, be it refused, has that too. Nothing is stored for it. The store knows the hash of all of it, so
/// another name with the same random bytes is no code.
struct AppCode {
    private static let byteCount = 32
    /// No character of base64url.
    private static let separator: Character = "."

    let text: String

    /// - Parameter correlationID: of the sign-in, checked to be harmless.
    init(for correlationID: String) {
        text = Random.token(byteCount: Self.byteCount) + String(Self.separator) + correlationID
    }

    /// The random part of a text that somebody presents as a code; nil for what is not formed like one.
    static func secret(of presented: String) -> String? {
        let secret = presented.prefix { $0 != separator }
        return secret.utf8.count == Base64URL.encodedCount(of: byteCount) ? String(secret) : nil
    }

    /// What the sign-in is called by a text that somebody presents as a code: what anybody can have written, kept to
    /// what an authorization request may say.
    ///
    /// - Returns: nil for what is not formed like a code, or says nothing harmless.
    static func correlationID(in presented: String) -> String? {
        guard let separator = presented.firstIndex(of: Self.separator),
            presented[..<separator].utf8.count == Base64URL.encodedCount(of: byteCount)
        else { return nil }
        let name = String(presented[presented.index(after: separator)...])
        guard !name.isEmpty else { return nil }
        return try? AuthorizedResponse.checked(correlationID: name)
    }
}

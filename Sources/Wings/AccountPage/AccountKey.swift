internal import Crypto
internal import Syntax

/// What a browser is known again by on the page, from the way to the provider to the last form: random, and kept in a
/// cookie that scripts don't see. Each step of the way draws another, so that who has put one there has none that
/// counts (session fixation).
struct AccountKey: Sendable {
    private static let byteCount = 32

    let text: String

    init() {
        text = Random.token(byteCount: Self.byteCount)
    }

    /// - Returns: nil for what was never one.
    init?(_ text: String) {
        guard text.utf8.count == Base64URL.encodedCount(of: Self.byteCount), Base64URL.decode(text) != nil else {
            return nil
        }
        self.text = text
    }

    /// What the store has of it.
    var hash: [UInt8] { derived("visit") }
    /// What a form of the page shows, so that no other site can have made it.
    var formToken: String { Base64URL.encode(derived("form")) }
    /// `state` and verifier of the sign-in that this browser has begun, so that nobody else's is finished here.
    var state: String { Base64URL.encode(derived("state")) }
    var codeVerifier: String { Base64URL.encode(derived("verifier")) }
    var codeChallenge: String { Base64URL.encode(Digest.sha256.hash(codeVerifier.utf8.span)) }

    /// Whether a sign-in that comes back is the one that this browser has begun.
    func isOwn(state shown: String) -> Bool { Self.isSame(state, shown) }

    /// Whether a form of this browser shows its token.
    func accepts(formToken shown: String?) -> Bool {
        shown.map { Self.isSame(formToken, $0) } ?? false
    }

    private static func isSame(_ text: String, _ shown: String) -> Bool {
        constantTimeEqual(Digest.sha256.hash(text.utf8.span), Digest.sha256.hash(shown.utf8.span))
    }

    private func derived(_ purpose: String) -> [UInt8] {
        HMAC.sha256(Array("gatehouse account page \(purpose)".utf8), key: Array(text.utf8))
    }
}

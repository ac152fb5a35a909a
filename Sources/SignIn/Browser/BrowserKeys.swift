internal import Accounts
internal import Crypto
internal import Syntax

/// What a browser is known again by in one sign-in: random, and kept in a cookie that scripts don't see.
public struct BrowserKey: Sendable {
    private static let byteCount = 32

    let text: String

    init() {
        text = Random.token(byteCount: Self.byteCount)
    }

    /// - Returns: nil for what this service has never given out.
    init?(_ text: some StringProtocol) {
        let text = String(text)
        guard text.utf8.count == Base64URL.encodedCount(of: Self.byteCount), Base64URL.decode(text) != nil else {
            return nil
        }
        self.text = text
    }

    var hash: Accounts.TokenHash { Accounts.TokenHash(sha256: text) }
}

/// What a browser shows: a key for each of its sign-ins that is under way, the youngest last.
///
/// Each sign-in draws its own as it begins and takes it away as it is finished, so that who has put one into somebody's
/// browser, or has seen one there, has none of those that follow (session fixation).
public struct BrowserKeys: Sendable {
    /// Sign-ins of one browser at once; one more makes the oldest give way, as a cookie has to stay small.
    public static let maximum = 8
    private static let separator: Character = "."

    private var keys: [BrowserKey] = []

    public init() {}

    /// - Parameter text: as ``text``.
    /// - Returns: nil for what this service has never given out.
    public init?(_ text: String) {
        let parts = text.split(separator: Self.separator, omittingEmptySubsequences: false)
        guard parts.count <= Self.maximum else { return nil }
        for part in parts {
            guard let key = BrowserKey(part) else { return nil }
            keys.append(key)
        }
    }

    /// What a cookie has; never empty once a sign-in has begun.
    public var text: String { keys.map(\.text).joined(separator: String(Self.separator)) }

    /// - Returns: the key of a sign-in that begins.
    public mutating func begin() -> BrowserKey {
        let key = BrowserKey()
        keys = keys.suffix(Self.maximum - 1) + [key]
        return key
    }

    /// Takes the key of a sign-in away that is finished. A browser without any gets one that nothing is bound to, so
    /// that it still shows that it was here.
    public mutating func finish(_ key: BrowserKey) {
        keys.removeAll { $0.text == key.text }
        if keys.isEmpty { keys.append(BrowserKey()) }
    }

    func key(_ hash: Accounts.TokenHash) -> BrowserKey? { keys.first { $0.hash == hash } }
}

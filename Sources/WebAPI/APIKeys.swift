public import Crypto
internal import HTTPServer
import Synchronization
import Syntax

/// The API keys apps send as `X-API-KEY`. They say which app is calling, and no more: a key shipped inside an app is no
/// secret (RFC 8252 §8.5).
public final class APIKeys: Sendable {
    private let digests: Mutex<[[UInt8]]>

    /// - Parameter keys: empty when the operator asks for none.
    public init(_ keys: [Secret]) {
        digests = Mutex(Self.digests(of: keys))
    }

    /// Takes other keys from the next request on.
    public func replace(with keys: [Secret]) {
        let digests = Self.digests(of: keys)
        self.digests.withLock { $0 = digests }
    }

    private static func digests(of keys: [Secret]) -> [[UInt8]] {
        keys.map { key in key.withBytes { Digest.sha256.hash($0) } }
    }

    /// Whose a request is, as far as its API key tells: empty where none is asked for.
    func owner(of request: HTTPRequest) -> String {
        guard digests.withLock({ !$0.isEmpty }), let sent = request.header("x-api-key") else { return "" }
        return Base64URL.encode(Digest.sha256.hash(sent.utf8.span))
    }

    /// Whether a request may go on. Digests are compared, in constant time, so that neither a key's length nor its
    /// beginning can be found by timing.
    func admit(_ request: HTTPRequest) -> Bool {
        let digests = digests.withLock(\.self)
        if digests.isEmpty { return true }
        guard let sent = request.header("x-api-key") else { return false }
        let digest = Digest.sha256.hash(sent.utf8.span)
        return digests.reduce(false) { found, key in constantTimeEqual(key, digest) || found }
    }
}

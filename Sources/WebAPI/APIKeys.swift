public import Crypto
internal import HTTPServer

/// The API keys apps send as `X-API-KEY`. They say which app is calling, and no more: a key shipped inside an app is no
/// secret (RFC 8252 §8.5).
public struct APIKeys: Sendable {
    private let digests: [[UInt8]]

    /// - Parameter keys: empty when the operator asks for none.
    public init(_ keys: [Secret]) {
        digests = keys.map { key in key.withBytes { Digest.sha256.hash($0) } }
    }

    /// Whether a request may go on. Digests are compared, in constant time, so that neither a key's length nor its
    /// beginning can be found by timing.
    func admit(_ request: HTTPRequest) -> Bool {
        if digests.isEmpty { return true }
        guard let sent = request.header("x-api-key") else { return false }
        let digest = Digest.sha256.hash(sent.utf8.span)
        return digests.reduce(false) { found, key in constantTimeEqual(key, digest) || found }
    }
}

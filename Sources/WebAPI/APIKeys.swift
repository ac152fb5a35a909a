public import Apps
import Crypto
package import HTTPServer
import Synchronization
import Syntax

/// The API keys apps send as `X-API-KEY`. They say which app is calling, and no more: a key shipped inside an app is no
/// secret (RFC 8252 §8.5).
public final class APIKeys: Sendable {
    private struct Entry {
        let digest: [UInt8]
        let responses: ResponseShape

        init(_ key: APIKey) {
            digest = key.key.withBytes { Digest.sha256.hash($0) }
            responses = key.responses
        }
    }

    private let entries: Mutex<[Entry]>

    /// - Parameter keys: empty when the operator asks for none.
    public init(_ keys: [APIKey]) {
        entries = Mutex(keys.map(Entry.init))
    }

    /// Takes other keys from the next request on.
    public func replace(with keys: [APIKey]) {
        let entries = keys.map(Entry.init)
        self.entries.withLock { $0 = entries }
    }

    /// Whose a request is, as far as its API key tells: empty where none is asked for.
    package func owner(of request: HTTPRequest) -> String {
        guard entries.withLock({ !$0.isEmpty }), let sent = request.header("x-api-key") else { return "" }
        return Base64URL.encode(Digest.sha256.hash(sent.utf8.span))
    }

    /// Whether a request may go on. Digests are compared, in constant time, so that neither a key's length nor its
    /// beginning can be found by timing.
    func admit(_ request: HTTPRequest) -> Bool { responses(to: request) != nil }

    /// How the sender of a request is answered.
    ///
    /// - Returns: nil for whom its key does not admit.
    func responses(to request: HTTPRequest) -> ResponseShape? {
        let entries = entries.withLock(\.self)
        if entries.isEmpty { return .flat }
        guard let sent = request.header("x-api-key") else { return nil }
        let digest = Digest.sha256.hash(sent.utf8.span)
        return entries.reduce(nil) { found, entry in
            constantTimeEqual(entry.digest, digest) ? entry.responses : found
        }
    }
}

public import Crypto
internal import HTTPServer
internal import SignIn
import Synchronization

/// What operators prove themselves with: a bearer token (RFC 6750 §2.1), or being on this machine where none is
/// configured.
public final class AdminToken: Sendable {
    private let digest: Mutex<[UInt8]?>

    /// - Parameter token: nil only where the listener is bound to a loopback address.
    public init(_ token: Secret?) {
        digest = Mutex(token.map(Self.digest))
    }

    /// Takes another token from the next request on.
    public func replace(with token: Secret?) {
        let digest = token.map(Self.digest)
        self.digest.withLock { $0 = digest }
    }

    private static func digest(of token: Secret) -> [UInt8] { token.withBytes { Digest.sha256.hash($0) } }

    /// Whether a request is an operator's. Digests are compared, in constant time, so that neither the token's length
    /// nor its beginning can be found by timing.
    ///
    /// - Parameter limits: of wrong tokens; a request without one guesses nothing and is not counted.
    /// - Throws: `ServiceError.invalidAdminToken` for a wrong token, `.rateLimited` after too many.
    func isOperator(_ request: HTTPRequest, _ limits: AddressLimits) throws(ServiceError) -> Bool {
        guard let digest = digest.withLock(\.self) else { return Self.isFromThisMachine(request) }
        guard let sent = PresentedToken(request).text else { return false }
        try limits.refuseAfterFailures(limits.clientAddress.network(of: request), of: .failedAdminTokens)
        guard constantTimeEqual(digest, Digest.sha256.hash(sent.utf8.span)) else {
            limits.countFailure(limits.clientAddress.network(of: request), as: .failedAdminTokens)
            throw .invalidAdminToken
        }
        return true
    }

    /// Every web page that is open on this machine can reach a loopback address too. It gives itself away by its
    /// origin, or, where its own name has been made to point here, by that name.
    private static func isFromThisMachine(_ request: HTTPRequest) -> Bool {
        guard request.header("origin") == nil, let host = request.header("host") else { return false }
        let name =
            host.hasPrefix("[") ? String(host.dropFirst().prefix { $0 != "]" }) : String(host.prefix { $0 != ":" })
        if name == "::1" || name.lowercased() == "localhost" { return true }
        return name.hasPrefix("127.") && name.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
    }
}

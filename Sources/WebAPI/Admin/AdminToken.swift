public import Crypto
internal import HTTPServer
internal import SignIn
import Synchronization
internal import Syntax

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
        guard constantTimeEqual(digest, Digest.sha256.hash(sent.utf8.span)) else {
            try limits.count(limits.clientAddress.network(of: request), as: .failedAdminTokens)
            throw .invalidAdminToken
        }
        return true
    }

    /// Every web page that is open on this machine can reach a loopback address too. It gives itself away by its
    /// origin, which a GET does not have everywhere; by what the browser says of it (Fetch Metadata, `Sec-Fetch-Site`),
    /// which no script can change; or, where its own name has been made to point here, by that name. What a person has
    /// typed into the browser, or follows from one of our own pages, is none.
    private static func isFromThisMachine(_ request: HTTPRequest) -> Bool {
        guard request.header("origin") == nil, let host = request.header("host"), isOwn(host) else { return false }
        return request.headers("sec-fetch-site").allSatisfy { ["none", "same-origin"].contains($0) }
    }

    /// Whether a Host field names what only this machine is reached by. Without a token the listener is on loopback, so
    /// that it has no other name.
    private static func isOwn(_ host: String) -> Bool {
        guard let address = try? EndpointURL(configured: "http://" + host) else { return false }
        return address.path.isEmpty && !address.hasQuery && HostName.isLoopback(address.host)
    }
}
